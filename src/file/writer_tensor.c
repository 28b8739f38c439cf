/* One tensor after the other: descriptor, padding, buffers. (file-format, 3 and 9.1) */
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"
#include "file/container_index.h"
#include "file/writer.h"

#include <inttypes.h>

hry_status hry_tensor_name_check(hry_str name, hry_error *err)
{
    if (name.len == 0 || name.len > UINT16_MAX)
        return hry_fail_rule_because(err, HRY_RULE_F_17, HRY_SECTION_INDEX, 0, name.len,
                                     "a name of %zu bytes: it has to have 1 to 65535", name.len);
    if (!hry_utf8_valid(name.ptr, name.len))
        return hry_fail_rule_because(err, HRY_RULE_F_17, HRY_SECTION_INDEX, 0, 0, "the name is not UTF-8");
    return HRY_OK;
}

static hry_status check_name(const hry_writer *w, hry_str name, hry_error *err)
{
    int shown = name.len < 100 ? (int)name.len : 100;
    hry_status status = hry_tensor_name_check(name, err);
    if (status)
        return status;
    if (hry_pieces_has(&w->index, name))
        return hry_fail_rule_because(err, HRY_RULE_F_17, HRY_SECTION_INDEX, 0, 0,
                                     "there is a tensor named \"%.*s\" already", shown, name.ptr);
    if (8 + (uint64_t)w->index.length + 2 + name.len + HRY_ENTRY_FIXED > UINT32_MAX)
        return hry_fail_rule(err, HRY_RULE_F_30, HRY_SECTION_INDEX, 0, w->index.length);
    return HRY_OK;
}

/* Before the header is written, the file's alignment follows what its first tensors declare. (B-42) */
static void raise_alignment(hry_writer *w, const hry_desc *desc)
{
    hry_buffer b;
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &b); k++)
        if (b.byte_size != 0 && b.alignment > w->wanted)
            w->wanted = b.alignment;
}

static hry_status check_buffers(const hry_writer *w, const hry_desc *desc, unsigned carry, hry_error *err)
{
    uint32_t alignment = hry_writer_alignment(w);
    for (uint32_t k = 0; k < hry_desc_buffer_count(desc); k++) {
        hry_buffer b;
        hry_desc_buffer(desc, k, &b);
        uint64_t at = desc->buffers_offset + 1 + 16 * (uint64_t)k;
        if (!(carry & HRY_CARRY_ALIGNMENT) && b.byte_size != 0 && b.alignment > alignment)
            return hry_fail_rule_because(err, HRY_RULE_FL_07, HRY_SECTION_BUFFERS, at + 8, b.alignment,
                                         "buffer %" PRIu32 " declares an alignment of %" PRIu32
                                         ", above the file's %" PRIu32,
                                         k, b.alignment, alignment);
        if (!(carry & HRY_CARRY_DEVICES) && (b.device_tag | b.sync_mode | b.memory_class) != 0)
            return hry_fail_rule(err, HRY_RULE_FL_08, HRY_SECTION_BUFFERS, at + 12, b.device_tag);
    }
    return HRY_OK;
}

static hry_status check_dims(const hry_desc *desc, hry_error *err)
{
    if (!(desc->state & HRY_DESC_HAS_DYNAMIC))
        return HRY_OK;
    uint32_t k = 0;
    while (hry_desc_dim(desc, k) != HRY_DYNAMIC)
        k++;
    return hry_fail_rule(err, HRY_RULE_F_T04, HRY_SECTION_SHAPE, 20 + 8 * (uint64_t)k, k);
}

hry_status hry_writer_check(hry_writer *writer, hry_str name, const hry_desc *desc, unsigned carry, hry_desc *own,
                            hry_error *err)
{
    hry_desc parsed;
    hry_status status = check_name(writer, name, err);
    if (!status)
        status = hry_desc_parse(desc->bytes, desc->length, &writer->parse.options, &parsed, err);
    if (!status && !(carry & HRY_CARRY_DYNAMIC))
        status = check_dims(&parsed, err);
    if (status)
        return status;
    raise_alignment(writer, &parsed);
    status = check_buffers(writer, &parsed, carry | (writer->options.any_device ? HRY_CARRY_DEVICES : 0), err);
    if (!status)
        *own = parsed;
    return status;
}

/* Where the tensor's buffers go, when its descriptor starts at offset. */
static bool place(const hry_desc *desc, uint64_t offset, uint32_t alignment, hry_open_tensor *t)
{
    uint64_t end;
    *t = (hry_open_tensor){ .count = hry_desc_buffer_count(desc) };
    if (!hry_add(offset, desc->length, &end) || !hry_align_up(end, t->count ? alignment : 8, &end))
        return false;
    t->data_offset = end;
    for (uint32_t k = 0; k < t->count; k++) {
        hry_buffer b;
        hry_desc_buffer(desc, k, &b);
        t->size[k] = b.byte_size;
        if (!hry_align_up(end, alignment, &end) || !hry_add(end, b.byte_size, &end))
            return false;
    }
    t->end = t->count ? end : t->data_offset;
    return end <= INT64_MAX - HRY_ALIGNMENT_MAX;
}

/* The index entry is final before the first byte of data: all sizes are in the descriptor. */
static hry_status add_entry(hry_writer *w, hry_str name, const hry_desc *desc, uint64_t offset,
                            const hry_open_tensor *t, hry_error *err)
{
    uint8_t *fixed = hry_pieces_add(&w->index, &w->allocator, name, HRY_ENTRY_FIXED);
    if (!fixed)
        return hry_fail_memory(err, name.len + HRY_ENTRY_FIXED);
    hry_store64(fixed + HRY_ENTRY_DESCRIPTOR_OFFSET, offset);
    hry_store32(fixed + HRY_ENTRY_DESCRIPTOR_LENGTH, desc->length);
    hry_store64(fixed + HRY_ENTRY_DATA_OFFSET, t->data_offset);
    hry_store64(fixed + HRY_ENTRY_DATA_LENGTH, t->end - t->data_offset);
    hry_store32(fixed + HRY_ENTRY_FLAGS, 0);
    return HRY_OK;
}

/* Index entry, header if it is the first, descriptor and padding. */
static hry_status open_placed(hry_writer *w, hry_str name, const hry_desc *desc, uint64_t offset, hry_error *err)
{
    hry_status status = add_entry(w, name, desc, offset, &w->tensor, err);
    if (status)
        return status;
    if (!w->started)
        status = hry_writer_start(w, err);
    if (!status)
        status = hry_emit_bytes(&w->out, desc->bytes, desc->length, err);
    if (!status)
        status = hry_emit_zeros_to(&w->out, w->tensor.data_offset, err);
    if (!status)
        w->state = HRY_WRITER_IN_TENSOR;
    return hry_writer_result(w, status);
}

hry_status hry_writer_open_tensor(hry_writer *writer, hry_str name, const hry_desc *desc, hry_error *err)
{
    uint64_t offset = writer->started ? writer->out.position : HRY_HEADER_SIZE;
    if (!place(desc, offset, hry_writer_alignment(writer), &writer->tensor))
        return hry_fail_usage(err, "the tensor does not fit a file");
    return open_placed(writer, name, desc, offset, err);
}

hry_status hry_writer_open_opaque(hry_writer *writer, hry_str name, const hry_desc *desc, uint64_t nbytes,
                                  hry_error *err)
{
    uint64_t offset = writer->started ? writer->out.position : HRY_HEADER_SIZE, start, end;
    uint64_t align = nbytes ? hry_writer_alignment(writer) : 8;
    if (!hry_add(offset, desc->length, &start) || !hry_align_up(start, align, &start) ||
        !hry_add(start, nbytes, &end) || end > INT64_MAX - HRY_ALIGNMENT_MAX)
        return hry_fail_usage(err, "the tensor does not fit a file");
    writer->tensor = (hry_open_tensor){ .data_offset = start, .end = end, .size = { nbytes }, .count = nbytes != 0 };
    return open_placed(writer, name, desc, offset, err);
}

hry_status hry_writer_begin(hry_writer *writer, const char *name, size_t len, const hry_desc *desc, hry_error *err)
{
    hry_desc own;
    hry_status status = hry_writer_usable(writer, HRY_WRITER_BETWEEN, err);
    writer->wanted = 0;
    if (!status)
        status = hry_writer_check(writer, (hry_str){ name, len }, desc, 0, &own, err);
    return status ? status : hry_writer_open_tensor(writer, (hry_str){ name, len }, &own, err);
}

/* What the tensor still waits for, padding left out. */
static uint64_t missing(const hry_open_tensor *t)
{
    uint64_t sum = 0;
    for (uint32_t k = t->buffer; k < t->count; k++)
        sum += t->size[k]; /* fits: placed in a file */
    return sum - t->written;
}

/* The piece that goes to the buffer being filled; padding is written on the way to it. */
static hry_status next_piece(hry_writer *w, uint64_t left, uint64_t *piece, hry_error *err)
{
    hry_open_tensor *t = &w->tensor;
    hry_status status = HRY_OK;
    while (t->written == t->size[t->buffer] && !status) {
        t->buffer++;
        t->written = 0;
        uint64_t mask = (uint64_t)w->info.alignment - 1;
        status = hry_emit_zeros_to(&w->out, (w->out.position + mask) & ~mask, err);
    }
    uint64_t room = t->size[t->buffer] - t->written;
    *piece = left < room ? left : room;
    return status;
}

static hry_status check_data(const hry_writer *w, uint64_t nbytes, hry_error *err)
{
    hry_status status = hry_writer_usable(w, HRY_WRITER_IN_TENSOR, err);
    if (!status && nbytes > missing(&w->tensor))
        status = hry_fail_usage(err, "%" PRIu64 " bytes of data, where the tensor still takes %" PRIu64, nbytes,
                                missing(&w->tensor));
    return status;
}

hry_status hry_writer_data(hry_writer *writer, const void *bytes, size_t nbytes, hry_error *err)
{
    const uint8_t *p = bytes;
    hry_status status = check_data(writer, nbytes, err);
    if (status)
        return status;
    for (uint64_t left = nbytes, piece; left > 0 && !status; left -= piece) {
        status = next_piece(writer, left, &piece, err);
        if (!status)
            status = hry_emit_bytes(&writer->out, p, piece, err);
        writer->tensor.written += piece;
        p += piece;
    }
    return hry_writer_result(writer, status);
}

hry_status hry_writer_data_fd(hry_writer *writer, int fd, uint64_t offset, uint64_t nbytes, hry_error *err)
{
    hry_status status = check_data(writer, nbytes, err);
    if (status)
        return status;
    for (uint64_t left = nbytes, piece; left > 0 && !status; left -= piece) {
        status = next_piece(writer, left, &piece, err);
        if (!status)
            status = hry_emit_file(&writer->out, fd, offset, piece, err);
        writer->tensor.written += piece;
        offset += piece;
    }
    return hry_writer_result(writer, status);
}

hry_status hry_writer_end(hry_writer *writer, hry_error *err)
{
    hry_status status = hry_writer_usable(writer, HRY_WRITER_IN_TENSOR, err);
    if (!status && missing(&writer->tensor) != 0)
        status = hry_fail_usage(err, "the tensor still takes %" PRIu64 " bytes of data", missing(&writer->tensor));
    if (status)
        return status;
    writer->state = HRY_WRITER_BETWEEN;
    status = hry_emit_zeros_to(&writer->out, (writer->tensor.end + 7) & ~(uint64_t)7, err);
    return hry_writer_result(writer, status);
}
