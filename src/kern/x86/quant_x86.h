/* Codes of less than a byte, packed: the same for both widths of x86. After a lanes_ header. */
#ifndef HRY_KERN_X86_QUANT_X86_H
#define HRY_KERN_X86_QUANT_X86_H

/* Neighbours of `bits` bits joined, the second shifted by a multiplication: 16 bits for each pair. */
INLINE __m128i pairs_of(lanes_int codes, int bits)
{
    __m128i bytes = to_bytes(lanes_int_and(codes, (1 << bits) - 1));
    return _mm_maddubs_epi16(bytes, _mm_set1_epi16((short)(1 | 256 << bits)));
}

/* And of those, 32 bits for each four. */
INLINE __m128i fours_of(lanes_int codes, int bits)
{
    return _mm_madd_epi16(pairs_of(codes, bits), _mm_set1_epi32(1 | 65536 << 2 * bits));
}

INLINE void put_4(uint8_t *q, lanes_int codes)
{
    __m128i pairs = pairs_of(codes, 4), packed = _mm_packus_epi16(pairs, pairs);
    memcpy(q, &packed, LANES / 2);
}

INLINE void put_2(uint8_t *q, lanes_int codes)
{
    const __m128i lowest = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    __m128i packed = _mm_shuffle_epi8(fours_of(codes, 2), lowest);
    memcpy(q, &packed, LANES / 4);
}

INLINE void put_6(uint8_t *q, lanes_int codes)
{
    const __m128i lowest = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m128i packed = _mm_shuffle_epi8(fours_of(codes, 6), lowest);
    memcpy(q, &packed, LANES / 4 * 3);
}

#endif
