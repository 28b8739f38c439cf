/* What the processor can do, within the mask of the environment's HURRAY_CPU=ref|avx2|avx512|neon. */
#ifndef HRY_BASE_CPU_H
#define HRY_BASE_CPU_H

enum {
    HRY_CPU_REF = 0,
    HRY_CPU_SSE42 = 1u << 0,  /* with the crc32 instruction */
    HRY_CPU_AVX2 = 1u << 1,   /* with F16C, FMA, BMI1, BMI2 */
    HRY_CPU_AVX512 = 1u << 2, /* F, BW, DQ, VL, VBMI */
    HRY_CPU_NEON = 1u << 3,
    HRY_CPU_ARM_CRC = 1u << 4,
    HRY_CPU_CLMUL = 1u << 5 /* the carry-less product of 64 bits */
};

/* The features to use, found once and never changed afterwards. */
unsigned hry_cpu_features(void);

#endif
