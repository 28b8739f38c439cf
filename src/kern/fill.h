/* Each file of faster kernels puts its own over those of the table; kern.c calls them by what the processor has. */
#ifndef HRY_KERN_FILL_H
#define HRY_KERN_FILL_H

#include "kern/kern.h"

#if defined(__x86_64__)
#define HRY_KERN_X86 1
void hry_fill_crc32c_sse42(struct hry_kern *table);
void hry_fill_crc32c_clmul(struct hry_kern *table);
void hry_fill_convert_avx2(struct hry_kern *table);
void hry_fill_convert_avx512(struct hry_kern *table);
void hry_fill_dequant_avx2(struct hry_kern *table);
void hry_fill_dequant_avx512(struct hry_kern *table);
void hry_fill_stats_avx2(struct hry_kern *table);
void hry_fill_stats_avx512(struct hry_kern *table);
void hry_fill_quant_avx2(struct hry_kern *table);
void hry_fill_quant_avx512(struct hry_kern *table);
void hry_fill_reduce_avx2(struct hry_kern *table);
void hry_fill_reduce_avx512(struct hry_kern *table);
void hry_fill_sparse_avx2(struct hry_kern *table);
void hry_fill_sparse_avx512(struct hry_kern *table);
void hry_fill_move_avx2(struct hry_kern *table);
void hry_fill_move_avx512(struct hry_kern *table);
void hry_fill_square_avx2(struct hry_kern *table);
void hry_fill_square_avx512(struct hry_kern *table);
#elif defined(__aarch64__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HRY_KERN_ARM 1
void hry_fill_crc32c_arm(struct hry_kern *table);
void hry_fill_convert_neon(struct hry_kern *table);
void hry_fill_dequant_neon(struct hry_kern *table);
void hry_fill_quant_neon(struct hry_kern *table);
void hry_fill_reduce_neon(struct hry_kern *table);
void hry_fill_stats_neon(struct hry_kern *table);
#endif

#endif
