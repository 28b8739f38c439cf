/* The stored bytes of a buffer, copied out: one piece after the other, or many at once. */
#include "base/status.h"
#include "file/collection.h"

#include <inttypes.h>
#include <string.h>

/* Large enough that starting a piece costs nothing, small enough to keep every thread busy. */
#define PIECE ((uint64_t)8 << 20)

typedef struct job {
    const hry_file *file;
    const hry_stored_buffer *stored;
    uint8_t *dst;
    atomic_int status;
    hry_error *err;
    atomic_flag reported; /* the first to fail fills in *err */
} job;

static void read_piece(void *arg, size_t i)
{
    job *j = arg;
    uint64_t from = i * PIECE, left = j->stored->nbytes - from, nbytes = left < PIECE ? left : PIECE;
    if (atomic_load_explicit(&j->status, memory_order_relaxed) != HRY_OK)
        return;
    hry_error err;
    if (j->stored->bytes) {
        memcpy(j->dst + from, j->stored->bytes + from, (size_t)nbytes);
        return;
    }
    hry_status status = j->file->ops->read_stored(j->file, j->stored, from, j->dst + from, nbytes, &err);
    if (status && !atomic_flag_test_and_set(&j->reported)) {
        if (j->err)
            *j->err = err;
        atomic_store(&j->status, status);
    }
}

static hry_status read_all(const hry_file *file, const hry_stored_buffer *stored, void *dst,
                           const hry_executor *executor, hry_error *err)
{
    job j = { .file = file, .stored = stored, .dst = dst, .err = err, .reported = ATOMIC_FLAG_INIT };
    size_t pieces = (size_t)(stored->nbytes / PIECE + (stored->nbytes % PIECE != 0));
    if (executor && pieces > 1)
        executor->run(executor->ctx, pieces, read_piece, &j);
    else
        for (size_t i = 0; i < pieces; i++)
            read_piece(&j, i);
    return (hry_status)atomic_load(&j.status);
}

/* The bytes of a tensor whose size is open are carried, but given to nobody. */
static hry_status check_static(const hry_file *file, uint64_t i, const hry_desc *desc, hry_error *err)
{
    hry_file_entry entry = { 0 };
    uint32_t k = 0;
    if (!(desc->state & HRY_DESC_HAS_DYNAMIC))
        return HRY_OK;
    while (hry_desc_dim(desc, k) != HRY_DYNAMIC)
        k++;
    hry_file_entry_get(file, i, &entry);
    return hry_fail_rule(err, HRY_RULE_F_T04, HRY_SECTION_SHAPE, entry.descriptor_offset + 20 + 8 * (uint64_t)k, k);
}

static hry_status find_buffer(hry_file *file, uint64_t i, uint32_t k, hry_stored_buffer *stored, hry_error *err)
{
    hry_desc desc;
    hry_status status = hry_file_desc(file, i, &desc, err);
    if (status)
        return status;
    if (k >= hry_desc_buffer_count(&desc))
        return hry_fail_usage(err, "tensor %" PRIu64 " has no buffer %" PRIu32, i, k);
    status = check_static(file, i, &desc, err);
    if (status)
        return status;
    return file->ops->stored(file, (uint32_t)i, &desc, k, stored, err);
}

hry_status hry_file_read_into(hry_file *file, uint64_t i, uint32_t k, void *dst, uint64_t nbytes,
                              const hry_executor *executor, hry_error *err)
{
    hry_stored_buffer stored;
    hry_status status = file->ops->recheck(file, err);
    if (!status)
        status = find_buffer(file, i, k, &stored, err);
    if (status)
        return status;
    status = nbytes == stored.nbytes ? read_all(file, &stored, dst, executor, err)
                                     : hry_fail_usage(err, "buffer %" PRIu32 " has %" PRIu64 " bytes, not %" PRIu64, k,
                                                      stored.nbytes, nbytes);
    hry_tensor_release(stored.owner);
    return status;
}

bool hry_file_buffer_offset(hry_file *file, uint64_t i, uint32_t k, uint64_t *offset, uint64_t *nbytes)
{
    hry_desc desc;
    hry_stored_buffer stored;
    if (hry_file_desc(file, i, &desc, NULL) || k >= hry_desc_buffer_count(&desc) ||
        file->ops->stored(file, (uint32_t)i, &desc, k, &stored, NULL))
        return false;
    bool located = stored.offset != HRY_NOWHERE && (stored.fd >= 0 || !stored.owner);
    hry_tensor_release(stored.owner);
    if (located) {
        *offset = stored.offset;
        *nbytes = stored.nbytes;
    }
    return located;
}
