#include "cli/cli_digest.h"
#include "cli/cli_out.h"
#include "cli/cli_pack.h"
#include "cli/cli_tensor.h"
#include "cli/cli_tokens.h"
#include "cli/cli_values.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static EVP_MD_CTX *begin(void)
{
    EVP_MD_CTX *sha = EVP_MD_CTX_new();
    if (!sha || !EVP_DigestInit_ex(sha, EVP_sha256(), NULL))
        cli_out_of_memory();
    return sha;
}

static void add(void *ctx, const void *bytes, size_t nbytes)
{
    if (!EVP_DigestUpdate(ctx, bytes, nbytes))
        cli_out_of_memory();
}

static void add_number(EVP_MD_CTX *sha, uint64_t value, size_t nbytes)
{
    uint8_t bytes[8];
    for (size_t k = 0; k < nbytes; k++)
        bytes[k] = (uint8_t)(value >> 8 * k);
    add(sha, bytes, nbytes);
}

static cli_digest end(EVP_MD_CTX *sha)
{
    cli_digest digest;
    if (!EVP_DigestFinal_ex(sha, digest.bytes, NULL))
        cli_out_of_memory();
    EVP_MD_CTX_free(sha);
    return digest;
}

static void add_head(EVP_MD_CTX *sha, const char *type, uint32_t rank, const uint64_t *shape)
{
    add(sha, type, strlen(type));
    add_number(sha, rank, 4);
    for (uint32_t k = 0; k < rank; k++)
        add_number(sha, shape[k], 8);
}

static void count_progress(const cli_digester *digester, uint64_t nbytes)
{
    if (digester->progress)
        cli_progress_add(digester->progress, nbytes);
}

static hry_status add_values(EVP_MD_CTX *sha, const cli_digester *digester, const hry_tensor *tensor, hry_error *err)
{
    cli_values values;
    uint8_t *piece;
    uint64_t count;
    hry_read_options read = digester->read;
    if (digester->args)
        read.token_counts = cli_tokens_for(digester->args, hry_tensor_desc(tensor), NULL);
    hry_status status = cli_values_open(&values, tensor, NULL, 0, &read, err);
    if (status)
        return status;
    cli_pack pack = { .bits = values.bits, .write = add, .ctx = sha };
    add_head(sha, cli_type_name(values.type), values.part.rank, values.part.shape);
    while (!(status = cli_values_next(&values, &piece, &count, err)) && count) {
        uint64_t before = pack.nbytes;
        cli_pack_add(&pack, piece, count);
        count_progress(digester, pack.nbytes - before);
    }
    if (!status)
        cli_pack_end(&pack);
    cli_values_close(&values);
    return status;
}

static void add_buffers(EVP_MD_CTX *sha, const hry_tensor *tensor)
{
    const hry_desc *desc = hry_tensor_desc(tensor);
    uint64_t shape[HRY_RANK_MAX];
    hry_desc_shape(desc, shape);
    add_head(sha, cli_type_name(hry_desc_type(desc)), hry_desc_rank(desc), shape);
    for (uint32_t k = 0; k < hry_desc_buffer_count(desc); k++) {
        uint64_t nbytes;
        const void *bytes = hry_tensor_buffer(tensor, k, &nbytes);
        if (nbytes)
            add(sha, bytes, (size_t)nbytes);
    }
}

hry_status cli_digest_tensor(const cli_digester *digester, hry_file *file, uint64_t i, cli_digest *digest, bool *has,
                             hry_error *err)
{
    hry_desc desc;
    hry_tensor *tensor;
    hry_status status = hry_file_desc(file, i, &desc, err);
    *has = false;
    if (status || cli_is_group(&desc))
        return status;
    status = hry_file_tensor_at(file, i, &tensor, err);
    if (status)
        return status;
    EVP_MD_CTX *sha = begin();
    if (digester->read.stored && hry_desc_is_opaque(&desc))
        add_buffers(sha, tensor);
    else
        status = add_values(sha, digester, tensor, err);
    cli_digest made = end(sha);
    hry_tensor_release(tensor);
    *has = status == HRY_OK;
    if (*has)
        *digest = made;
    return status;
}

static int by_name(const void *a, const void *b)
{
    const cli_named_digest *x = a, *y = b;
    size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = memcmp(x->name.ptr, y->name.ptr, len);
    return order ? order : x->name.len < y->name.len ? -1 : x->name.len > y->name.len;
}

cli_digest cli_digest_file(cli_named_digest *tensors, uint64_t count)
{
    EVP_MD_CTX *sha = begin();
    qsort(tensors, (size_t)count, sizeof *tensors, by_name);
    for (uint64_t k = 0; k < count; k++) {
        add_number(sha, tensors[k].name.len, 2);
        add(sha, tensors[k].name.ptr, tensors[k].name.len);
        add(sha, tensors[k].digest.bytes, CLI_DIGEST_SIZE);
    }
    return end(sha);
}

void cli_digest_text(const cli_digest *digest, char text[CLI_DIGEST_TEXT])
{
    for (size_t k = 0; k < CLI_DIGEST_SIZE; k++)
        snprintf(text + 2 * k, 3, "%02x", digest->bytes[k]);
}

static int digit_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool cli_digest_parse(const char *text, size_t len, cli_digest *digest)
{
    if (len != 2 * CLI_DIGEST_SIZE)
        return false;
    for (size_t k = 0; k < CLI_DIGEST_SIZE; k++) {
        int high = digit_value(text[2 * k]), low = digit_value(text[2 * k + 1]);
        if (high < 0 || low < 0)
            return false;
        digest->bytes[k] = (uint8_t)(16 * high + low);
    }
    return true;
}

hry_str cli_digest_key_tensor(hry_str key)
{
    size_t n = strlen(CLI_DIGEST_KEY);
    if (key.len <= n || memcmp(key.ptr, CLI_DIGEST_KEY, n) != 0)
        return (hry_str){ 0 };
    return (hry_str){ key.ptr + n, key.len - n };
}

void cli_digest_forget(cli_plan *plan, hry_str tensor)
{
    for (uint64_t k = 0; k < plan->kv_count; k++) {
        hry_str name = cli_digest_key_tensor(plan->kvs[k].key);
        if (name.ptr && name.len == tensor.len && memcmp(name.ptr, tensor.ptr, tensor.len) == 0) {
            cli_plan_remove_kv(plan, k);
            return;
        }
    }
}
