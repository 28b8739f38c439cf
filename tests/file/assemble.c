#include "file/assemble.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

void asm_bytes(assembly *a, const void *bytes, size_t nbytes)
{
    while (a->nbytes + nbytes > a->capacity) {
        a->capacity = a->capacity ? 2 * a->capacity : 65536;
        a->bytes = realloc(a->bytes, a->capacity);
        assert_non_null(a->bytes);
    }
    if (nbytes)
        memcpy(a->bytes + a->nbytes, bytes, nbytes);
    a->nbytes += nbytes;
}

static void append(assembly *a, uint64_t x, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++) {
        uint8_t byte = (uint8_t)(x >> (8 * i));
        asm_bytes(a, &byte, 1);
    }
}

void asm_u8(assembly *a, unsigned x)
{
    append(a, x, 1);
}

void asm_u16(assembly *a, unsigned x)
{
    append(a, x, 2);
}

void asm_u32(assembly *a, uint32_t x)
{
    append(a, x, 4);
}

void asm_u64(assembly *a, uint64_t x)
{
    append(a, x, 8);
}

void asm_pad(assembly *a, size_t align)
{
    static const uint8_t zeros[4096];
    while (a->nbytes % align != 0) {
        size_t missing = align - a->nbytes % align;
        asm_bytes(a, zeros, missing < sizeof zeros ? missing : sizeof zeros);
    }
}

void asm_set(assembly *a, size_t at, uint64_t x, size_t nbytes)
{
    assert_true(at + nbytes <= a->nbytes);
    for (size_t i = 0; i < nbytes; i++)
        a->bytes[at + i] = (uint8_t)(x >> (8 * i));
}

uint64_t asm_get(const assembly *a, size_t at, size_t nbytes)
{
    uint64_t x = 0;
    for (size_t i = 0; i < nbytes; i++)
        x |= (uint64_t)a->bytes[at + i] << (8 * i);
    return x;
}

void asm_insert(assembly *a, size_t at, size_t n)
{
    size_t moved = a->nbytes - at;
    for (size_t i = 0; i < n; i++)
        asm_u8(a, 0);
    memmove(a->bytes + at + n, a->bytes + at, moved);
    memset(a->bytes + at, 0, n);
}

/* Bit by bit, as the parameters of file-format, 6 say it. */
uint32_t asm_crc32c(const void *bytes, size_t nbytes)
{
    const uint8_t *p = bytes;
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < nbytes; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
    }
    return ~crc;
}

void asm_begin(assembly *a, uint32_t flags, uint32_t alignment)
{
    *a = (assembly){ .alignment = alignment };
    asm_bytes(a, "HRRYFILE", 8);
    asm_u8(a, 1);
    asm_u8(a, 0);
    asm_u16(a, 0);
    asm_u32(a, flags);
    asm_u32(a, alignment);
    asm_u64(a, 64);
    asm_u64(a, UINT64_MAX);
    for (int i = 0; i < 28; i++)
        asm_u8(a, 0);
}

void asm_tensor(assembly *a, const char *name, const void *descriptor, size_t descriptor_length, const void *data,
                const uint64_t *sizes, size_t nbuffers)
{
    const uint8_t *p = data;
    size_t i = a->count++;
    assert_true(i < ASM_TENSORS);
    a->name[i] = name;
    a->name_length[i] = strlen(name);
    a->descriptor[i] = a->nbytes;
    a->descriptor_length[i] = descriptor_length;
    asm_bytes(a, descriptor, descriptor_length);
    asm_pad(a, nbuffers ? a->alignment : 8);
    a->data[i] = a->nbytes;
    for (size_t k = 0; k < nbuffers; k++) {
        asm_pad(a, a->alignment);
        asm_bytes(a, p, (size_t)sizes[k]);
        p += sizes[k];
    }
    a->data_length[i] = a->nbytes - a->data[i];
    asm_pad(a, 8);
}

void asm_floats(assembly *a, const char *name, const float *values, size_t rank, const uint64_t *shape)
{
    uint8_t descriptor[128];
    uint64_t nbytes = 4;
    for (size_t k = 0; k < rank; k++)
        nbytes *= shape[k];
    size_t length = asm_dense(descriptor, 0x03, rank, shape, nbytes);
    asm_tensor(a, name, descriptor, length, values, &nbytes, 1);
}

void asm_kv(assembly *a, uint32_t count, const void *entries, size_t nbytes)
{
    a->kv = a->nbytes;
    a->kv_length = 4 + nbytes;
    asm_u32(a, count);
    asm_bytes(a, entries, nbytes);
    asm_pad(a, 8);
}

void asm_end(assembly *a)
{
    a->index = a->nbytes;
    asm_u64(a, a->count);
    for (size_t i = 0; i < a->count; i++) {
        a->entry[i] = a->nbytes;
        asm_u16(a, (unsigned)a->name_length[i]);
        asm_bytes(a, a->name[i], a->name_length[i]);
        a->fixed[i] = a->nbytes;
        asm_u64(a, a->descriptor[i]);
        asm_u32(a, (uint32_t)a->descriptor_length[i]);
        asm_u64(a, a->data[i]);
        asm_u64(a, a->data_length[i]);
        asm_u32(a, 0);
    }
    a->trailer = a->nbytes;
    asm_u64(a, a->index);
    asm_u64(a, a->trailer - a->index);
    asm_u64(a, a->kv);
    asm_u32(a, (uint32_t)a->kv_length);
    asm_u32(a, 0);
    asm_u32(a, 0);
    asm_bytes(a, "HRRY", 4);
    asm_seal(a);
}

void asm_seal(assembly *a)
{
    size_t index = (size_t)asm_get(a, a->trailer, 8), length = (size_t)asm_get(a, a->trailer + 8, 8);
    if (asm_get(a, 12, 4) & ASM_CRC && index <= a->nbytes && length <= a->nbytes - index)
        asm_set(a, a->trailer + 28, asm_crc32c(a->bytes + index, length), 4);
}

void asm_free(assembly *a)
{
    free(a->bytes);
    *a = (assembly){ 0 };
}

size_t asm_dense(uint8_t *dst, uint8_t type, size_t rank, const uint64_t *shape, uint64_t byte_size)
{
    assembly d = { 0 };
    asm_bytes(&d, "HRRY", 4);
    asm_u8(&d, 1);
    asm_u8(&d, 0);
    asm_u32(&d, (uint32_t)(28 + 8 * rank + 1 + 16));
    asm_u32(&d, 0); /* flags */
    asm_u8(&d, type);
    asm_u8(&d, 0x01); /* row-major */
    asm_u32(&d, (uint32_t)rank);
    for (size_t k = 0; k < rank; k++)
        asm_u64(&d, shape[k]);
    asm_u64(&d, 0); /* byte_offset */
    asm_u8(&d, 1);
    asm_u64(&d, byte_size);
    asm_u32(&d, 64); /* alignment */
    asm_u32(&d, 0);  /* device_tag, sync_mode, memory_class, reserved */
    memcpy(dst, d.bytes, d.nbytes);
    size_t length = d.nbytes;
    asm_free(&d);
    return length;
}

void asm_standard(assembly *a, uint32_t flags)
{
    static const uint8_t metadata[] = { 1, 0, 'a', 0x01, 1,    0,    0,    0,    '1', /* a = "1" */
                                        1, 0, 'n', 0x02, 0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
    static const float b[] = { 0.5f, 1.5f, 2.5f };
    float w[12];
    for (int i = 0; i < 12; i++)
        w[i] = (float)i;
    asm_begin(a, flags, 4096);
    asm_floats(a, flags & ASM_SORTED ? "b" : "w", w, 2, (uint64_t[]){ 3, 4 });
    asm_floats(a, flags & ASM_SORTED ? "w" : "b", b, 1, (uint64_t[]){ 3 });
    if (flags & ASM_HAS_KV)
        asm_kv(a, 2, metadata, sizeof metadata);
    asm_end(a);
}
