#include "interop/gguf/gguf_reader.h"

#include <inttypes.h>

hry_status hry_gguf_short(hry_gguf_reader *r, uint64_t n, enum hry_section section, const char *what)
{
    if (n > hry_gguf_rest(r))
        return hry_fail(r->err, HRY_E_INPUT, section, r->at, hry_gguf_rest(r),
                        "%s: %" PRIu64 " bytes are wanted, the file has %" PRIu64 " more (truncated?)", what, n,
                        hry_gguf_rest(r));
    if (r->at > r->limit || n > r->limit - r->at)
        return hry_fail(r->err, HRY_E_LIMIT, section, r->at, r->limit,
                        "the header is longer than the limit of %" PRIu64 " bytes", r->limit);
    r->want = r->at + n;
    return HRY_E_BUSY;
}

hry_status hry_gguf_take_string(hry_gguf_reader *r, enum hry_section section, const char *what, hry_str *string)
{
    hry_status status = hry_gguf_need(r, 8, section, what);
    if (status)
        return status;
    uint64_t start = r->at, length = hry_gguf_take64(r);
    if (length > r->have - r->at) {
        /* The offset is that of the length. */
        if (length > hry_gguf_rest(r))
            return hry_fail(r->err, HRY_E_INPUT, section, start, length,
                            "%s of %" PRIu64 " bytes, the file has %" PRIu64 " more (truncated?)", what, length,
                            hry_gguf_rest(r));
        return hry_gguf_short(r, length, section, what);
    }
    *string = (hry_str){ (const char *)r->bytes + r->at, (size_t)length };
    r->at += length;
    return HRY_OK;
}
