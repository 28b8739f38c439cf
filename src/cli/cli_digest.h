/*
 * SHA-256 of values. Of a tensor: its type's name, the rank as 4 bytes, each dimension as 8, and its values as
 * 'cat --format raw' gives them; numbers little-endian. Of a file: for each tensor, in the order of their names' bytes,
 * the length of the name as 2 bytes, the name, and the 32 bytes of its digest.
 */
#ifndef HRY_CLI_DIGEST_H
#define HRY_CLI_DIGEST_H

#include "cli/cli_plan.h"
#include "cli/cli_progress.h"

enum { CLI_DIGEST_SIZE = 32, CLI_DIGEST_TEXT = 2 * CLI_DIGEST_SIZE + 1 };

typedef struct cli_digest {
    uint8_t bytes[CLI_DIGEST_SIZE];
} cli_digest;

/* What digests are made from. */
typedef struct cli_digester {
    hry_read_options read;  /* without token counts */
    const cli_args *args;   /* for these; NULL: none */
    cli_progress *progress; /* NULL: none */
} cli_digester;

/*
 * Of tensor i. *has is false, without an error, for a group, which is its members and no more. With read.stored, a
 * tensor whose values nobody can tell gives the digest of its buffers.
 */
hry_status cli_digest_tensor(const cli_digester *digester, hry_file *file, uint64_t i, cli_digest *digest, bool *has,
                             hry_error *err);

typedef struct cli_named_digest {
    hry_str name;
    cli_digest digest;
} cli_named_digest;

/* Of a file: sorts the tensors. */
cli_digest cli_digest_file(cli_named_digest *tensors, uint64_t count);

/* Lower-case hexadecimal digits, and back: false for anything else. */
void cli_digest_text(const cli_digest *digest, char text[CLI_DIGEST_TEXT]);
bool cli_digest_parse(const char *text, size_t len, cli_digest *digest);

/* The metadata key of a tensor's digest: this and the tensor's name. */
#define CLI_DIGEST_KEY "digest.sha256."
/* The tensor that a key is about; ptr NULL when it is another key. */
hry_str cli_digest_key_tensor(hry_str key);
/* Takes the digest of a tensor that is changed out of what will be written. */
void cli_digest_forget(cli_plan *plan, hry_str tensor);

#endif
