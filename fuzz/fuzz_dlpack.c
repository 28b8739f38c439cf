/* The structure that a producer hands over: every field hostile but the data pointer, which no one can check. */
#include "tensor/dlpack_abi.h"

#include <hurray/hurray.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes);

static int deleted;

static void count(struct DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

static void take(void *to, size_t n, const uint8_t **bytes, size_t *nbytes)
{
    size_t have = n < *nbytes ? n : *nbytes;
    memset(to, 0, n);
    if (have)
        memcpy(to, *bytes, have);
    *bytes += have;
    *nbytes -= have;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes)
{
    static uint8_t data[1 << 16];
    struct DLManagedTensorVersioned m = { .deleter = count };
    int64_t shape[70], strides[70];
    uint8_t choice, pick;
    int8_t ndim;
    deleted = 0;
    take(&choice, 1, &bytes, &nbytes);
    take(&ndim, 1, &bytes, &nbytes);
    take(&m.dl_tensor.dtype, sizeof m.dl_tensor.dtype, &bytes, &nbytes);
    take(&pick, 1, &bytes, &nbytes);
    m.version.major = choice & 1 ? 1 : pick;
    m.flags = pick;
    m.dl_tensor.ndim = ndim > 66 ? 66 : ndim;
    m.dl_tensor.device.device_type = pick % 20;
    take(shape, sizeof shape, &bytes, &nbytes);
    take(strides, sizeof strides, &bytes, &nbytes);
    if (choice & 2) /* small dimensions: the rest is reached more often */
        for (size_t k = 0; k < 70; k++) {
            shape[k] &= 3;
            strides[k] = strides[k] % 16;
        }
    m.dl_tensor.data = choice & 4 ? NULL : data + sizeof data / 2;
    m.dl_tensor.shape = choice & 8 ? NULL : shape;
    m.dl_tensor.strides = choice & 16 ? NULL : strides;
    /* Elements that are packed are read: only where they lie in data. */
    bool packs = m.dl_tensor.dtype.code == 6 || m.dl_tensor.dtype.bits < 8;
    if (packs && !(choice & 2 && ndim <= 4))
        return 0;
    hry_tensor *t = NULL;
    struct DLManagedTensorVersioned *back = NULL;
    if (hry_tensor_from_dlpack(&m, NULL, &t, NULL)) {
        if (t || deleted)
            abort();
        return 0;
    }
    if (!hry_tensor_to_dlpack(t, &back, NULL))
        back->deleter(back);
    hry_tensor_release(t);
    if (deleted != 1)
        abort();
    return 0;
}
