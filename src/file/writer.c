#include "file/writer.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "file/create.h"
#include "kern/kern.h"
#include "os/io.h"

static hry_status write_to_fd(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    const hry_writer *w = ctx;
    return hry_os_write_all(w->out.os, w->out.fd, bytes, nbytes, err);
}

static hry_status check_options(const hry_writer_options *options, hry_error *err)
{
    uint32_t a = options->alignment;
    if (a != 0 && (!hry_is_pow2(a) || a < HRY_ALIGNMENT_MIN || a > HRY_ALIGNMENT_MAX))
        return hry_fail_usage(err, "alignment %u: a container's is a power of two from 4096 to 2097152", a);
    return HRY_OK;
}

/* All that the writers have in common. sink NULL: to the descriptor fd. */
static hry_status make_writer(const hry_sink *sink, const struct hry_os *os, int fd, const hry_writer_options *options,
                              hry_writer **writer, hry_error *err)
{
    static const hry_writer_options none;
    const hry_writer_options *o = options ? options : &none;
    hry_status status = check_options(o, err);
    if (status)
        return status;
    hry_writer *w = hry_alloc_zeroed(o->allocator, sizeof *w, _Alignof(hry_writer));
    if (!w)
        return hry_fail_memory(err, sizeof *w);
    w->allocator = hry_allocator_or_default(o->allocator);
    w->options = *o;
    w->atomic.fd = -1;
    hry_sink to_fd = { .write = write_to_fd, .ctx = w };
    status = hry_emit_init(&w->out, sink ? sink : &to_fd, os, fd, &w->allocator, err);
    if (!status && !hry_parse_settings_init(&w->parse, &o->parse, &w->allocator))
        status = hry_fail_memory(err, w->parse.block_size);
    if (status)
        hry_writer_destroy(w);
    else
        *writer = w;
    return status;
}

hry_status hry_writer_create_on(const struct hry_os *os, const char *path, const hry_writer_options *options,
                                hry_writer **writer, hry_error *err)
{
    hry_writer *w = NULL;
    hry_status status = make_writer(NULL, os, -1, options, &w, err);
    if (status)
        return status;
    unsigned flags = (w->options.replace ? HRY_ATOMIC_REPLACE : 0u) | (w->options.no_sync ? HRY_ATOMIC_NO_SYNC : 0u);
    status = hry_atomic_begin(&w->atomic, os, &w->allocator, path, flags, err);
    if (status) {
        hry_writer_destroy(w);
        return status;
    }
    w->to_path = true;
    w->out.fd = w->atomic.fd;
    *writer = w;
    return HRY_OK;
}

hry_status hry_writer_create(const char *path, const hry_writer_options *options, hry_writer **writer, hry_error *err)
{
    return hry_writer_create_on(&hry_os_default, path, options, writer, err);
}

hry_status hry_writer_create_fd(int fd, const hry_writer_options *options, hry_writer **writer, hry_error *err)
{
    return make_writer(NULL, &hry_os_default, fd, options, writer, err);
}

hry_status hry_writer_create_sink(const hry_sink *sink, const hry_writer_options *options, hry_writer **writer,
                                  hry_error *err)
{
    return make_writer(sink, &hry_os_default, -1, options, writer, err);
}

void hry_writer_destroy(hry_writer *writer)
{
    if (!writer)
        return;
    hry_allocator allocator = writer->allocator;
    hry_atomic_abort(&writer->atomic);
    hry_emit_fini(&writer->out, &allocator);
    hry_parse_settings_fini(&writer->parse, &allocator);
    hry_pieces_fini(&writer->index, &allocator);
    hry_pieces_fini(&writer->kv, &allocator);
    hry_free(&allocator, writer, sizeof *writer, _Alignof(hry_writer));
}

hry_status hry_writer_result(hry_writer *writer, hry_status status)
{
    if (status)
        writer->failed = status;
    return status;
}

hry_status hry_writer_usable(const hry_writer *writer, enum hry_writer_state state, hry_error *err)
{
    if (writer->failed)
        return hry_fail(err, writer->failed, HRY_SECTION_NONE, 0, 0, "an earlier write to this file failed");
    if (writer->state == state)
        return HRY_OK;
    static const char *const now[] = { "no tensor is begun", "a tensor is begun and not ended",
                                       "the file is finished" };
    return hry_fail_usage(err, "%s", now[writer->state]);
}

/* KV and index start at multiples of 8, and each is padded to one. */
static hry_status pad8(hry_writer *w, hry_error *err)
{
    return hry_emit_zeros_to(&w->out, (w->out.position + 7) & ~(uint64_t)7, err);
}

static hry_status write_kv(hry_writer *w, hry_error *err)
{
    if (w->options.no_kv)
        return HRY_OK;
    uint8_t count[4];
    hry_store32(count, (uint32_t)w->kv.count);
    w->info.kv_offset = w->out.position;
    w->info.kv_length = 4 + w->kv.length;
    hry_status status = hry_emit_bytes(&w->out, count, sizeof count, err);
    if (!status)
        status = hry_emit_bytes(&w->out, w->kv.bytes, w->kv.length, err);
    return status ? status : pad8(w, err);
}

static hry_status write_index_part(hry_writer *w, const void *bytes, size_t nbytes, uint32_t *crc, hry_error *err)
{
    *crc = hry_kern()->crc32c(*crc, bytes, nbytes);
    return hry_emit_bytes(&w->out, bytes, nbytes, err);
}

static hry_status write_sorted(hry_writer *w, uint32_t *crc, hry_error *err)
{
    size_t count = w->index.count, size = 2 * count * sizeof(uint32_t);
    uint32_t *order = hry_alloc(&w->allocator, size, _Alignof(uint32_t));
    if (!order)
        return hry_fail_memory(err, size);
    hry_pieces_sort(&w->index, order, order + count);
    hry_status status = HRY_OK;
    for (size_t i = 0; i < count && !status; i++) {
        size_t start = w->index.at[order[i]];
        size_t end = order[i] + 1u < count ? w->index.at[order[i] + 1] : w->index.length;
        status = write_index_part(w, w->index.bytes + start, end - start, crc, err);
    }
    hry_free(&w->allocator, order, size, _Alignof(uint32_t));
    return status;
}

static hry_status write_index(hry_writer *w, hry_frame *frame, hry_error *err)
{
    uint8_t count[8];
    hry_store64(count, w->index.count);
    w->info.index_offset = w->out.position;
    w->info.index_length = 8 + w->index.length;
    hry_status status = write_index_part(w, count, sizeof count, &frame->index_crc32c, err);
    if (status)
        return status;
    return w->options.sorted ? write_sorted(w, &frame->index_crc32c, err)
                             : write_index_part(w, w->index.bytes, w->index.length, &frame->index_crc32c, err);
}

static hry_status write_tail(hry_writer *w, hry_error *err)
{
    hry_frame frame = { 0 };
    hry_status status = w->started ? HRY_OK : hry_writer_start(w, err);
    if (!status)
        status = write_kv(w, err);
    if (!status)
        status = write_index(w, &frame, err);
    if (status)
        return status;
    uint8_t trailer[HRY_TRAILER_SIZE];
    frame.info = w->info;
    hry_trailer_encode(&frame, trailer);
    status = hry_emit_bytes(&w->out, trailer, sizeof trailer, err);
    return status ? status : hry_emit_flush(&w->out, err);
}

hry_status hry_writer_finish(hry_writer *writer, hry_error *err)
{
    hry_status status = hry_writer_usable(writer, HRY_WRITER_BETWEEN, err);
    if (status)
        return status;
    status = write_tail(writer, err);
    if (!status && writer->out.sink.finish)
        status = writer->out.sink.finish(writer->out.sink.ctx, err);
    if (!status && writer->to_path)
        status = hry_atomic_commit(&writer->atomic, err);
    writer->state = HRY_WRITER_DONE;
    return hry_writer_result(writer, status);
}

uint32_t hry_writer_alignment(const hry_writer *writer)
{
    if (writer->started)
        return writer->info.alignment;
    if (writer->options.alignment)
        return writer->options.alignment;
    uint32_t wanted = writer->wanted < HRY_ALIGNMENT_MAX ? writer->wanted : HRY_ALIGNMENT_MAX;
    return wanted > HRY_ALIGNMENT_MIN ? wanted : HRY_ALIGNMENT_MIN;
}

hry_status hry_writer_start(hry_writer *writer, hry_error *err)
{
    const hry_writer_options *o = &writer->options;
    uint8_t header[HRY_HEADER_SIZE];
    writer->info = (hry_file_info){ .version_major = 1,
                                    .flags = HRY_FILE_HAS_INDEX_CRC | (o->no_kv ? 0 : HRY_FILE_HAS_KV) |
                                             (o->sorted ? HRY_FILE_SORTED_INDEX : 0),
                                    .alignment = hry_writer_alignment(writer),
                                    .first_descriptor_offset = HRY_HEADER_SIZE,
                                    .tensor_count_hint = o->tensor_count ? o->tensor_count : UINT64_MAX };
    writer->started = true;
    hry_header_encode(&writer->info, header);
    return hry_emit_bytes(&writer->out, header, sizeof header, err);
}
