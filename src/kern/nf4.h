/* The sixteen levels of NF4 (quantization, section 5.4) and the midpoints between them, as float32. */
#ifndef HRY_KERN_NF4_H
#define HRY_KERN_NF4_H

extern const float hry_nf4_levels[16];
/* What lies above hry_nf4_thresholds[k] is nearer to level k + 1 than to level k (section 11.1); the last is there to
 * fill a vector, and nothing lies above it. */
extern const float hry_nf4_thresholds[16];

#endif
