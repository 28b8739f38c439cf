/*
 * Any bytes as a container (packed.h), read in one pass and at random: what one pass accepts, reading at random has
 * whole and equal; what is whole at random, one pass accepts unless tensors or data lie where only an index finds them.
 * One pass does not look into what buffers hold, so neither does the check beside it.
 */
#include "packed.h"

#include <hurray/file.h>

static const hry_limits limits = { .descriptor_length = 1 << 16, .member_count = 4096 };
static const hry_file_options options = { .parse.limits = &limits };

typedef struct feed {
    const uint8_t *bytes;
    size_t left, step;
} feed;

static hry_status give(void *ctx, void *dst, size_t nbytes, size_t *got, hry_error *err)
{
    feed *f = ctx;
    (void)err;
    size_t n = f->left < nbytes ? f->left : nbytes;
    f->step = f->step * 5 % 8191 + 1;
    n = f->step < n ? f->step : n;
    memcpy(dst, f->bytes, n);
    f->bytes += n;
    f->left -= n;
    *got = n;
    return HRY_OK;
}

static uint64_t mix(uint64_t digest, const void *bytes, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u;
    return digest;
}

/* Every tensor in write order: descriptor, then data. */
static hry_status by_scan(const uint8_t *bytes, size_t nbytes, uint64_t *digest, uint64_t *order, hry_error *err)
{
    feed f = { bytes, nbytes, nbytes };
    hry_pull pull = { give, &f };
    hry_scan *scan;
    hry_status status = hry_scan_open(&pull, &options, &scan, err);
    bool more = true;
    uint64_t count = 0;
    *digest = 0;
    if (status)
        return status;
    while (more && !status) {
        hry_desc desc;
        size_t got = 1;
        uint8_t piece[4096];
        status = hry_scan_next(scan, &more, &desc, err);
        if (status || !more)
            continue;
        *digest = mix(*digest, desc.bytes, desc.length);
        while (got && !status && !(desc.state & HRY_DESC_HAS_DYNAMIC)) {
            status = hry_scan_data(scan, piece, sizeof piece, &got, err);
            *digest = status ? 0 : mix(*digest, piece, got);
        }
        count++;
    }
    for (uint64_t k = 0, i; k < count && !status && k < 64; k++) {
        CHECK(hry_scan_position(scan, k, &i));
        order[k] = i;
    }
    CHECK(status || (hry_scan_directory(scan) && hry_file_count(hry_scan_directory(scan)) == count));
    hry_scan_close(scan);
    return status;
}

static void note(void *ctx, const hry_finding *f)
{
    const char *rule = hry_rule_id(f->rule);
    bool *elsewhere = ctx;
    *elsewhere |= strcmp(rule, "FL-10") == 0 || strcmp(rule, "FL-04") == 0 || strcmp(rule, "FL-01") == 0 ||
                  strcmp(rule, "FL-11") == 0 || strcmp(rule, "FL-03") == 0;
}

/* The same at random, in that order. False when a tensor cannot be had. */
static bool at_random(hry_file *file, const uint64_t *order, uint64_t *digest)
{
    *digest = 0;
    for (uint64_t k = 0; k < hry_file_count(file) && k < 64; k++) {
        hry_desc desc;
        hry_buffer b;
        if (hry_file_desc(file, order[k], &desc, NULL))
            return false;
        *digest = mix(*digest, desc.bytes, desc.length);
        for (uint32_t i = 0; !(desc.state & HRY_DESC_HAS_DYNAMIC) && hry_desc_buffer(&desc, i, &b); i++) {
            uint8_t *data = malloc((size_t)b.byte_size + 1);
            CHECK(data && hry_file_read_into(file, order[k], i, data, b.byte_size, NULL, NULL) == HRY_OK);
            *digest = mix(*digest, data, (size_t)b.byte_size);
            free(data);
        }
    }
    return true;
}

static void judge(const uint8_t *bytes, size_t nbytes)
{
    uint64_t order[64] = { 0 }, scanned, looked_up, violations = 0;
    hry_error err = { 0 };
    hry_file *file;
    hry_status status = by_scan(bytes, nbytes, &scanned, order, &err);
    CHECK(!status || err.offset <= nbytes);
    hry_status opened = hry_file_open_memory(bytes, nbytes, NULL, NULL, &options, &file, NULL);
    if (opened) {
        CHECK(status);
        return;
    }
    bool elsewhere = false;
    CHECK(hry_file_check(file, &(hry_check_options){ .lint = true, .headers_only = true }, note, &elsewhere,
                         &violations, NULL) == HRY_OK);
    if (!status)
        CHECK(violations == 0 && at_random(file, order, &looked_up) &&
              (hry_file_count(file) > 64 || looked_up == scanned));
    else
        CHECK(violations || elsewhere);
    hry_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    judge_packed(data, size, judge);
    return 0;
}
