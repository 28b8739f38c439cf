/*
 * Containers put together byte by byte, from the tables of the format alone: nothing here calls the library. What is
 * assembled can then be damaged at known places.
 */
#ifndef HRY_TESTS_FILE_ASSEMBLE_H
#define HRY_TESTS_FILE_ASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

enum { ASM_HAS_KV = 1, ASM_SORTED = 2, ASM_CRC = 4 };
enum { ASM_TENSORS = 16 };

typedef struct assembly {
    uint8_t *bytes; /* malloc'd; capacity doubles */
    size_t nbytes, capacity;
    uint32_t alignment;
    /* Where things are, as they are added. */
    size_t count;
    size_t descriptor[ASM_TENSORS], descriptor_length[ASM_TENSORS], data[ASM_TENSORS], data_length[ASM_TENSORS];
    const char *name[ASM_TENSORS];
    size_t name_length[ASM_TENSORS];
    size_t kv, kv_length; /* 0: none */
    size_t index, entry[ASM_TENSORS] /* of name_length */, fixed[ASM_TENSORS] /* of what follows the name */;
    size_t trailer;
} assembly;

/* ---- Bytes ---- */
void asm_bytes(assembly *a, const void *bytes, size_t nbytes);
void asm_u8(assembly *a, unsigned x);
void asm_u16(assembly *a, unsigned x);
void asm_u32(assembly *a, uint32_t x);
void asm_u64(assembly *a, uint64_t x);
void asm_pad(assembly *a, size_t align);
/* Over what is there. */
void asm_set(assembly *a, size_t at, uint64_t x, size_t nbytes);
uint64_t asm_get(const assembly *a, size_t at, size_t nbytes);
/* Inserts n zero bytes; nothing else moves its offsets. */
void asm_insert(assembly *a, size_t at, size_t n);
uint32_t asm_crc32c(const void *bytes, size_t nbytes);

/* ---- A container ---- */
/* Header with a first_descriptor_offset of 64 and an unknown count. */
void asm_begin(assembly *a, uint32_t flags, uint32_t alignment);
/* A tensor as the placement rules have it: descriptor, then nbuffers buffers with sizes, all in data. name borrowed. */
void asm_tensor(assembly *a, const char *name, const void *descriptor, size_t descriptor_length, const void *data,
                const uint64_t *sizes, size_t nbuffers);
/* float32, row-major, one buffer of the values. */
void asm_floats(assembly *a, const char *name, const float *values, size_t rank, const uint64_t *shape);
/* The KV section: count and the encoded entries; padded. */
void asm_kv(assembly *a, uint32_t count, const void *entries, size_t nbytes);
/* Index in the order that the tensors were added, and trailer. */
void asm_end(assembly *a);
/* Writes the index's CRC anew. */
void asm_seal(assembly *a);
void asm_free(assembly *a);

/* ---- Descriptors ---- */
/* A row-major one with one 64-aligned CPU buffer; returns its length. */
size_t asm_dense(uint8_t *dst, uint8_t type, size_t rank, const uint64_t *shape, uint64_t byte_size);

/* "w" [3,4] = 0..11 and "b" [3] = 0.5 1.5 2.5, float32; metadata a = "1" and n = -5; CRC. */
void asm_standard(assembly *a, uint32_t flags);

#endif
