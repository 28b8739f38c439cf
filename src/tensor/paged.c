#include "tensor/paged.h"

#include "base/checked.h"
#include "base/status.h"
#include "tensor/access.h"
#include "tensor/verify.h"

bool hry_paged_of(const hry_tensor *tensor, hry_paged *paged)
{
    const hry_desc *desc = &tensor->desc;
    hry_layout layout;
    hry_layout_store store;
    if (desc->layout != HRY_LAYOUT_BLOCK_PAGED || !hry_desc_layout_get(desc, &layout, &store))
        return false;
    uint64_t nbytes;
    bool wide = layout.block_table_index_type == 1;
    *paged = (hry_paged){ .table = hry_tensor_buffer(tensor, 1, &nbytes),
                          .pointers = hry_tensor_buffer(tensor, 2, NULL),
                          .table_count = nbytes / (wide ? 8 : 4),
                          .wide = wide,
                          .num_seqs = layout.num_seqs,
                          .page_size = layout.page_size,
                          .num_pages = layout.num_pages,
                          .tokens = hry_desc_dim(desc, 0),
                          .heads = hry_desc_dim(desc, 1),
                          .dim = hry_desc_dim(desc, 2) };
    return true;
}

void hry_paged_pages(const hry_paged *paged, uint64_t sequence, uint64_t *low, uint64_t *high)
{
    *low = *high = 0;
    if (sequence >= paged->num_seqs)
        return;
    uint64_t from = hry_paged_number(paged, paged->pointers, sequence);
    uint64_t to = hry_paged_number(paged, paged->pointers, sequence + 1);
    if (from <= to && to <= paged->table_count) {
        *low = from;
        *high = to;
    }
}

bool hry_paged_slot(const hry_paged *paged, uint64_t sequence, uint64_t token, uint64_t *slot)
{
    uint64_t low = 0, high = 0, page = token / paged->page_size, number;
    hry_paged_pages(paged, sequence, &low, &high);
    if (page >= high - low)
        return false;
    number = hry_paged_number(paged, paged->table, low + page);
    *slot = number * paged->page_size + token % paged->page_size;
    return number < paged->num_pages;
}

hry_status hry_paged_check_counts(const hry_paged *paged, const uint64_t *counts, hry_error *err)
{
    uint64_t total = 0, low = 0, high = 0;
    if (!counts)
        return paged->num_seqs <= 1
                   ? HRY_OK
                   : hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 0, paged->num_seqs,
                              "the tokens of %u sequences are found with the token count of each, which the format "
                              "does not store",
                              paged->num_seqs);
    for (uint32_t s = 0; s < paged->num_seqs; s++) {
        hry_paged_pages(paged, s, &low, &high);
        if (!hry_add(total, counts[s], &total) || hry_ceil_div(counts[s], paged->page_size) > high - low)
            return hry_fail_rule_because(err, HRY_RULE_L_BP_24, HRY_SECTION_DATA, 0, counts[s],
                                         "sequence %u has %llu pages of %u tokens, too few for %llu", s,
                                         (unsigned long long)(high - low), paged->page_size,
                                         (unsigned long long)counts[s]);
    }
    return total == paged->tokens
               ? HRY_OK
               : hry_fail_rule_because(err, HRY_RULE_L_BP_24, HRY_SECTION_DATA, 0, total,
                                       "the token counts add up to %llu, not to the %llu tokens of the tensor",
                                       (unsigned long long)total, (unsigned long long)paged->tokens);
}

/* ---- Reading a box: page by page ---- */

typedef struct page_job {
    const hry_paged *paged;
    const hry_decoder *decoder;
    const uint8_t *first;
    const hry_box *box;
    const hry_value_sink *sink;
} page_job;

/* n positions of the box from j on, whose tokens lie in one page, the first of them in a slot. */
static hry_status read_slots(const page_job *w, uint64_t j, uint64_t n, uint64_t slot, hry_error *err)
{
    const hry_paged *paged = w->paged;
    uint64_t row = paged->heads * paged->dim;
    hry_value_sink part = {
        .bytes = w->sink->bytes, .want = w->sink->want, .bits = w->sink->bits, .executor = w->sink->executor
    };
    hry_map from;
    hry_box box = *w->box;
    box.count[0] = n;
    hry_map_copy(&part.map, &w->sink->map);
    hry_map_cut(&part.map, 0, j, n);
    box.start[0] = 0;
    hry_map_strided(&from, 3, (uint64_t[]){ paged->page_size, paged->heads, paged->dim },
                    (int64_t[]){ (int64_t)row, (int64_t)paged->dim, 1 });
    hry_map_select(&from, &box);
    from.base += (int64_t)(slot * row);
    box.start[0] = slot;
    return hry_read_dense(w->decoder, w->first, &from, &box, &part, err);
}

/* Tokens in ascending order, so that one pass over the sequences finds them all. */
static hry_status read_tokens(const page_job *w, const uint64_t *counts, hry_error *err)
{
    const hry_paged *paged = w->paged;
    const hry_box *box = w->box;
    uint64_t count = box->count[0], sequence = 0, before = 0; /* tokens of the sequences before */
    uint64_t step = box->step[0] < 0 ? 0 - (uint64_t)box->step[0] : (uint64_t)box->step[0];
    bool down = box->step[0] < 0;
    for (uint64_t done = 0, n; done < count; done += n) {
        uint64_t j = down ? count - 1 - done : done, slot;
        uint64_t token = box->start[0] + j * (uint64_t)box->step[0];
        while (sequence < paged->num_seqs && token - before >= hry_paged_count(paged, counts, sequence))
            before += hry_paged_count(paged, counts, sequence++);
        if (!hry_paged_slot(paged, sequence, token - before, &slot))
            return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_DATA, 0, token, "token %llu is on no page",
                            (unsigned long long)token);
        uint64_t left = hry_paged_count(paged, counts, sequence) - (token - before);
        uint64_t in_page = paged->page_size - (token - before) % paged->page_size;
        n = ((left < in_page ? left : in_page) - 1) / step + 1;
        n = n < count - done ? n : count - done;
        hry_status status = read_slots(w, down ? j - (n - 1) : j, n, down ? slot + (n - 1) * step : slot, err);
        if (status)
            return status;
    }
    return HRY_OK;
}

static hry_status take_pages(const hry_tensor *tensor, hry_paged *paged, hry_error *err)
{
    if (hry_paged_of(tensor, paged))
        return HRY_OK;
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, tensor->desc.layout, "a %s tensor has no pages",
                    hry_layout_name(tensor->desc.layout));
}

/* What all reading begins with. */
static hry_status open_pages(const hry_tensor *tensor, const hry_value_sink *sink, hry_decoder *decoder,
                             hry_paged *paged, hry_error *err)
{
    hry_status status = hry_decoder_init(decoder, tensor, &sink->want, err);
    if (!status)
        status = hry_verify_once(tensor, sink->executor, err);
    if (!status)
        status = take_pages(tensor, paged, err);
    return status ? status : hry_paged_check_counts(paged, sink->token_counts, err);
}

hry_status hry_read_paged(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err)
{
    hry_decoder decoder;
    hry_paged paged;
    hry_status status = open_pages(tensor, sink, &decoder, &paged, err);
    if (status)
        return status;
    page_job w = { &paged, &decoder, hry_tensor_first(tensor), box, sink };
    return read_tokens(&w, sink->token_counts, err);
}

hry_status hry_paged_read_slots(const hry_tensor *tensor, const hry_value_sink *to, hry_error *err)
{
    hry_decoder decoder;
    hry_paged paged;
    hry_value_sink sink = { .bytes = to->bytes, .want = to->want, .bits = to->bits, .executor = to->executor };
    const uint64_t *counts = to->token_counts;
    hry_status status = open_pages(tensor, to, &decoder, &paged, err);
    if (status)
        return status;
    const uint64_t shape[] = { paged.num_pages * paged.page_size, paged.heads, paged.dim };
    hry_box box = { .count = { shape[0], shape[1], shape[2] }, .step = { 1, 1, 1 } };
    page_job w = { &paged, &decoder, hry_tensor_first(tensor), &box, &sink };
    hry_map_packed(&sink.map, 3, shape);
    for (uint64_t s = 0; s < paged.num_seqs && !status; s++) {
        uint64_t tokens = hry_paged_count(&paged, counts, s), slot;
        for (uint64_t t = 0; t < tokens && !status; t += paged.page_size) {
            uint64_t n = tokens - t < paged.page_size ? tokens - t : paged.page_size;
            status = hry_paged_slot(&paged, s, t, &slot) ? read_slots(&w, slot, n, slot, err)
                                                         : hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_DATA, 0, t,
                                                                    "token %llu is on no page", (unsigned long long)t);
        }
    }
    return status;
}

hry_status hry_tensor_find_token(const hry_tensor *tensor, uint64_t sequence, uint64_t token, bool *found,
                                 uint64_t *slot, hry_error *err)
{
    hry_paged paged;
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (!status)
        status = hry_verify_once(tensor, NULL, err);
    if (!status)
        status = take_pages(tensor, &paged, err);
    if (status)
        return status;
    *found = hry_paged_slot(&paged, sequence, token, slot);
    return HRY_OK;
}
