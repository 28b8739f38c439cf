/* Element types: tags, sizes, packing, and the value of one element. (format: element-types) */
#ifndef HURRAY_TYPE_H
#define HURRAY_TYPE_H

#include <hurray/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Type tags, as stored in byte 14 of a descriptor. 0xF0..0xFE are private; everything else is never accepted. */
enum {
    HRY_TYPE_FLOAT16 = 0x01,
    HRY_TYPE_BFLOAT16 = 0x02,
    HRY_TYPE_FLOAT32 = 0x03,
    HRY_TYPE_FLOAT64 = 0x04,
    HRY_TYPE_INT8 = 0x10,
    HRY_TYPE_UINT8 = 0x11,
    HRY_TYPE_INT16 = 0x12,
    HRY_TYPE_UINT16 = 0x13,
    HRY_TYPE_INT32 = 0x14,
    HRY_TYPE_UINT32 = 0x15,
    HRY_TYPE_INT64 = 0x16,
    HRY_TYPE_UINT64 = 0x17,
    HRY_TYPE_BOOL = 0x20,
    HRY_TYPE_FLOAT8_E4M3 = 0x40,
    HRY_TYPE_FLOAT8_E5M2 = 0x41,
    HRY_TYPE_FLOAT8_E8M0 = 0x42,
    HRY_TYPE_FLOAT4_E2M1 = 0x43,
    HRY_TYPE_FLOAT6_E2M3 = 0x44,
    HRY_TYPE_FLOAT6_E3M2 = 0x45,
    HRY_TYPE_FLOAT128 = 0x46,
    HRY_TYPE_INT4 = 0x48,
    HRY_TYPE_UINT4 = 0x49,
    HRY_TYPE_INT2 = 0x4A,
    HRY_TYPE_UINT2 = 0x4B,
    HRY_TYPE_COMPLEX64 = 0x50,
    HRY_TYPE_COMPLEX128 = 0x51,
    HRY_TYPE_PRIVATE_FIRST = 0xF0,
    HRY_TYPE_PRIVATE_LAST = 0xFE
};

typedef enum hry_kind {
    HRY_KIND_NONE = 0, /* no such type, or a private one */
    HRY_KIND_FLOAT = 1,
    HRY_KIND_INT = 2,
    HRY_KIND_UINT = 3,
    HRY_KIND_BOOL = 4,
    HRY_KIND_COMPLEX = 5
} hry_kind;

/* What is known of a type. bits is the width of one element; alignment its natural one in bytes. */
typedef struct hry_type_info {
    const char *name; /* "float32"; never NULL */
    uint8_t tag;
    uint8_t tier; /* 1 or 2; 0 for private types */
    uint8_t bits; /* 1, 2, 4, 6, 8, 16, 32, 64 or 128; 0 for private types: their descriptor says it */
    uint8_t alignment;
    uint8_t kind; /* hry_kind */
} hry_type_info;

/* The row of a named type; NULL for a tag that is private, reserved or unassigned. A constant. */
HRY_API const hry_type_info *hry_type_find(uint8_t tag);
/* "float32"; "private" for 0xF0..0xFE, "unknown" for other tags. A constant string. */
HRY_API const char *hry_type_name(uint8_t tag);
/* The tag of a type by the format's name, 0 when there is none. */
HRY_API uint8_t hry_type_by_name(const char *name, size_t len);
/* Rows by position, for listing: NULL from the end on. */
HRY_API const hry_type_info *hry_type_at(size_t position);

/*
 * Bytes that count contiguous elements of bits each take (element-types, section 4). Widths 1, 2 and 4 fill bytes,
 * 6 fills groups of 4 elements in 3 bytes; others are whole bytes. False, *nbytes untouched, when the size does not
 * fit 64 bits or there is no such width.
 */
HRY_API bool hry_type_size(uint32_t bits, uint64_t count, uint64_t *nbytes);

/*
 * One element. index counts elements from base (not bytes), forward only; base needs no alignment. Sub-byte types are
 * packed from the lowest bit (element-types, section 3). The element's bytes must be there: for 6-bit types all 3 of
 * its group. No allocation. Any number of threads may read; elements that share a byte or a 6-bit group cannot be set
 * by two threads at once. Tags without a named type give 0 and write nothing.
 */

/*
 * The element's bits, zero-extended, in *lo and, for 128-bit types, *hi (0 for others; hi may be NULL). The real part
 * of a complex number is its lower half.
 */
HRY_API void hry_element_bits(uint8_t type, const void *base, uint64_t index, uint64_t *lo, uint64_t *hi);
HRY_API void hry_element_set_bits(uint8_t type, void *base, uint64_t index, uint64_t lo, uint64_t hi);
/*
 * The element's value as float64: exact for every type but int64, uint64 and float128, which are rounded to nearest
 * even. The real part of a complex value. A reserved e8m0 code (0x00, 0xFF) gives NaN.
 */
HRY_API double hry_element_f64(uint8_t type, const void *base, uint64_t index);
/*
 * Stores value, converted as element-types section 5 says, with one rounding to nearest even. float4, float6 and
 * float8_e4m3 saturate, infinity included; float8_e5m2, float16, bfloat16 and float32 overflow to infinity; integers
 * round to nearest even and saturate; float8_e8m0 takes positive values only and rounds down to a power of two;
 * complex gets imaginary part 0; bool is value != 0. False, nothing written, where the type has no such value: NaN for
 * integers, bool, float4, float6 and e8m0; values below 2^-126 or from 2^128 on for e8m0.
 */
HRY_API bool hry_element_set_f64(uint8_t type, void *base, uint64_t index, double value);
/* The same, but float8_e5m2, float16 and bfloat16 saturate too: their largest finite value instead of infinity. */
HRY_API bool hry_element_set_f64_saturate(uint8_t type, void *base, uint64_t index, double value);

/* Scalar conversions by bit pattern. NaN stays NaN (quiet, sign kept, leading payload bits kept). */
HRY_API float hry_f16_to_f32(uint16_t bits);
HRY_API uint16_t hry_f32_to_f16(float value);
HRY_API float hry_bf16_to_f32(uint16_t bits);
HRY_API uint16_t hry_f32_to_bf16(float value);
HRY_API float hry_e4m3_to_f32(uint8_t bits);
HRY_API uint8_t hry_f32_to_e4m3(float value); /* saturates */
HRY_API float hry_e5m2_to_f32(uint8_t bits);
HRY_API uint8_t hry_f32_to_e5m2(float value);
/* The largest finite value in place of infinity, whether given or come about. */
HRY_API uint16_t hry_f32_to_f16_saturate(float value);
HRY_API uint16_t hry_f32_to_bf16_saturate(float value);
HRY_API uint8_t hry_f32_to_e5m2_saturate(float value);
/* 2^(bits - 127); NaN for 0x00 and 0xFF, which stand for no value. */
HRY_API float hry_e8m0_to_f32(uint8_t bits);
/* Bits above the type's width are ignored. */
HRY_API float hry_e2m1_to_f32(uint8_t bits);
HRY_API float hry_e2m3_to_f32(uint8_t bits);
HRY_API float hry_e3m2_to_f32(uint8_t bits);
/* float4 and float6 saturate; NaN gives 0xFF, which is no code of these types. */
HRY_API uint8_t hry_f32_to_e2m1(float value);
HRY_API uint8_t hry_f32_to_e2m3(float value);
HRY_API uint8_t hry_f32_to_e3m2(float value);

#ifdef __cplusplus
}
#endif

#endif
