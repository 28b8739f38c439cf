#include "interop/safetensors/st_file.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "base/status.h"

#include <inttypes.h>

/* Bytes of a header that readers of safetensors take. */
enum { USUAL_LIMIT = 100000000 };

static hry_status check_length(const hry_foreign_bytes *bytes, uint64_t length, const hry_limits *limits,
                               hry_error *err)
{
    uint64_t left = bytes->size - HRY_ST_LENGTH_SIZE;
    if (length > left)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 0, length,
                        "header of %" PRIu64 " bytes, but the file has only %" PRIu64 " after its length (truncated?)",
                        length, left);
    if (length > limits->header_length)
        return hry_fail(err, HRY_E_LIMIT, HRY_SECTION_FILE_HEADER, 0, length,
                        "header of %" PRIu64 " bytes, more than the limit of %" PRIu64, length, limits->header_length);
    if (length == 0)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 0, 0, "header of 0 bytes");
    return HRY_OK;
}

/* The header's JSON, in place or read into memory of the file's. */
static hry_status fetch_json(hry_st_file *f, uint64_t length, const uint8_t **json, hry_error *err)
{
    if (f->bytes.at) {
        *json = f->bytes.at + HRY_ST_LENGTH_SIZE;
        return HRY_OK;
    }
    f->json = hry_alloc(&f->allocator, (size_t)length, 1);
    if (!f->json)
        return hry_fail_memory(err, length);
    f->json_size = (size_t)length;
    *json = f->json;
    return hry_foreign_bytes_read(&f->bytes, HRY_ST_LENGTH_SIZE, f->json, f->json_size, err);
}

static hry_status read_header(hry_st_file *f, const hry_limits *limits, hry_notes *notes, hry_error *err)
{
    uint8_t head[HRY_ST_LENGTH_SIZE];
    if (f->bytes.size < sizeof head)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 0, f->bytes.size,
                        "file of %" PRIu64 " bytes, too short for a header (truncated?)", f->bytes.size);
    hry_status status = hry_foreign_bytes_read(&f->bytes, 0, head, sizeof head, err);
    if (status)
        return status;
    const uint8_t *json = NULL;
    uint64_t length = hry_load64(head);
    status = check_length(&f->bytes, length, limits, err);
    if (status == HRY_OK)
        status = fetch_json(f, length, &json, err);
    if (status == HRY_OK)
        status = hry_st_header_read(&f->header, json, length, f->bytes.size, limits, &f->allocator, notes, err);
    return status;
}

static void give_up(hry_st_file *f)
{
    hry_allocator allocator = f->allocator;
    hry_free(&allocator, f->json, f->json_size, 1);
    hry_free(&allocator, f, sizeof *f, _Alignof(hry_st_file));
}

hry_status hry_st_file_open(const hry_foreign_bytes *bytes, const hry_file_options *options, hry_notes *notes,
                            hry_st_file **file, hry_error *err)
{
    hry_limits limits = hry_limits_resolve(options->parse.limits);
    if (!options->parse.limits || options->parse.limits->header_length == 0)
        limits.header_length = USUAL_LIMIT;
    hry_st_file *f = hry_alloc_zeroed(options->allocator, sizeof *f, _Alignof(hry_st_file));
    if (!f)
        return hry_fail_memory(err, sizeof *f);
    f->allocator = hry_allocator_or_default(options->allocator);
    f->bytes = *bytes;
    hry_status status = read_header(f, &limits, notes, err);
    if (status) {
        give_up(f);
        return status;
    }
    *file = f;
    return HRY_OK;
}

void hry_st_file_close(hry_st_file *file)
{
    hry_st_header_fini(&file->header);
    hry_foreign_bytes_close(&file->bytes);
    give_up(file);
}

hry_status hry_st_file_desc(const hry_st_file *file, uint64_t i, hry_desc *desc, hry_error *err)
{
    const hry_st_header *h = &file->header;
    uint64_t at = h->entries[i].desc_at;
    return hry_desc_parse(h->descs + at, h->descs_size - (size_t)at, NULL, desc, err);
}
