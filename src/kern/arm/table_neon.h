/* Tables of float32 values that bytes are indices into. After lanes_neon.h. */
#ifndef HRY_KERN_ARM_TABLE_NEON_H
#define HRY_KERN_ARM_TABLE_NEON_H

/* The four bytes of the lanes' floats, from the lowest, one in each of the vectors. */
INLINE lanes join_bytes(uint8x16_t b0, uint8x16_t b1, uint8x16_t b2, uint8x16_t b3)
{
    uint16x8_t low0 = vreinterpretq_u16_u8(vzip1q_u8(b0, b1)), high0 = vreinterpretq_u16_u8(vzip1q_u8(b2, b3));
    uint16x8_t low1 = vreinterpretq_u16_u8(vzip2q_u8(b0, b1)), high1 = vreinterpretq_u16_u8(vzip2q_u8(b2, b3));
    return (lanes){ { vreinterpretq_f32_u16(vzip1q_u16(low0, high0)), vreinterpretq_f32_u16(vzip2q_u16(low0, high0)),
                      vreinterpretq_f32_u16(vzip1q_u16(low1, high1)),
                      vreinterpretq_f32_u16(vzip2q_u16(low1, high1)) } };
}

/* The bytes of 16 floats apart, from the lowest. Compilers do this once, or beforehand, where the floats are constant.
 */
INLINE uint8x16x4_t bytes_apart(const void *floats)
{
    const uint8_t *p = floats;
    uint16x8_t v0 = vreinterpretq_u16_u8(vld1q_u8(p)), v1 = vreinterpretq_u16_u8(vld1q_u8(p + 16));
    uint16x8_t v2 = vreinterpretq_u16_u8(vld1q_u8(p + 32)), v3 = vreinterpretq_u16_u8(vld1q_u8(p + 48));
    uint8x16_t low0 = vreinterpretq_u8_u16(vuzp1q_u16(v0, v1)), low1 = vreinterpretq_u8_u16(vuzp1q_u16(v2, v3));
    uint8x16_t high0 = vreinterpretq_u8_u16(vuzp2q_u16(v0, v1)), high1 = vreinterpretq_u8_u16(vuzp2q_u16(v2, v3));
    return (uint8x16x4_t){ { vuzp1q_u8(low0, low1), vuzp2q_u8(low0, low1), vuzp1q_u8(high0, high1),
                             vuzp2q_u8(high0, high1) } };
}

/* One of 16 floats for each index. */
INLINE lanes look_up(uint8x16_t indices, const void *floats)
{
    uint8x16x4_t bytes = bytes_apart(floats);
    return join_bytes(vqtbl1q_u8(bytes.val[0], indices), vqtbl1q_u8(bytes.val[1], indices),
                      vqtbl1q_u8(bytes.val[2], indices), vqtbl1q_u8(bytes.val[3], indices));
}

/* The same for floats whose lower halves are 0, as those of few bits are. */
INLINE lanes look_up_short(uint8x16_t indices, const void *floats)
{
    const uint8x16_t zero = vdupq_n_u8(0);
    uint8x16x4_t bytes = bytes_apart(floats);
    return join_bytes(zero, zero, vqtbl1q_u8(bytes.val[2], indices), vqtbl1q_u8(bytes.val[3], indices));
}

#endif
