#include "type/widen.h"

/*
 * The tables are computed by the compiler from the formula of element-types, section 5:
 * (1 + m / 2^M) * 2^(e - bias), and m / 2^M * 2^(1 - bias) for e = 0. M is at most 3.
 */
#define TOP_BIT(m) ((m) >= 4 ? 2u : (m) >= 2 ? 1u : 0u)
#define SUBNORMAL(m, M, bias) \
    ((m) == 0 ? 0u : (TOP_BIT(m) + 128u - (bias) - (M)) << 23 | (((m) << (23 - TOP_BIT(m))) & 0x7FFFFFu))
#define NORMAL(e, m, M, bias) (((e) + 127u - (bias)) << 23 | (m) << (23 - (M)))
#define MAGNITUDE(e, m, M, bias) ((e) == 0 ? SUBNORMAL(m, M, bias) : NORMAL(e, m, M, bias))
#define FINITE(c, E, M, bias) \
    (((c) >> ((E) + (M)) & 1u) << 31 | MAGNITUDE((c) >> (M) & ((1u << (E)) - 1u), (c) & ((1u << (M)) - 1u), M, bias))

#define E4M3(c) (((c)&0x7Fu) == 0x7Fu ? ((c)&0x80u) << 24 | HRY_F32_NAN : FINITE(c, 4, 3, 7))
#define E5M2(c)                                \
    (((c)&0x7Fu) < 0x7Cu ? FINITE(c, 5, 2, 15) \
                         : ((c)&0x80u) << 24 | 0x7F800000u | ((c)&3u ? HRY_F32_NAN | ((c)&3u) << 21 : 0u))
#define E2M3(c) FINITE(c, 2, 3, 1)
#define E3M2(c) FINITE(c, 3, 2, 3)
#define E2M1(c) FINITE(c, 2, 1, 1)

#define CODES4(F, c) F(c), F((c) + 1u), F((c) + 2u), F((c) + 3u)
#define CODES16(F, c) CODES4(F, c), CODES4(F, (c) + 4u), CODES4(F, (c) + 8u), CODES4(F, (c) + 12u)
#define CODES64(F, c) CODES16(F, c), CODES16(F, (c) + 16u), CODES16(F, (c) + 32u), CODES16(F, (c) + 48u)
#define CODES256(F) CODES64(F, 0u), CODES64(F, 64u), CODES64(F, 128u), CODES64(F, 192u)

const uint32_t hry_widen_e4m3[256] = { CODES256(E4M3) };
const uint32_t hry_widen_e5m2[256] = { CODES256(E5M2) };
const uint32_t hry_widen_e2m3[64] = { CODES64(E2M3, 0u) };
const uint32_t hry_widen_e3m2[64] = { CODES64(E3M2, 0u) };
const uint32_t hry_widen_e2m1[16] = { CODES16(E2M1, 0u) };
