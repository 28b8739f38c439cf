/* The annotated bytes of descriptors and containers. They show what is there, valid or not. */
#ifndef HRY_CLI_INSPECT_H
#define HRY_CLI_INSPECT_H

#include "cli/cli_dump.h"
#include "cli/cli_input.h"

/* A descriptor in memory, whose first byte is at base in the file. buffers_offset is where a permissive reader found
 * the buffer table under an unknown layout; 0: nowhere. */
void cli_inspect_descriptor(cli_dump *dump, const uint8_t *bytes, size_t nbytes, uint64_t base,
                            uint32_t buffers_offset);

/* A whole container, or one of its tensors (only.ptr not NULL). Exit code; a report where the system refuses. */
int cli_inspect_container(cli_dump *dump, const cli_source *source, hry_str only);

/* What is read of one stretch of a container; NULL after a report. The caller frees it. */
uint8_t *cli_inspect_load(const cli_source *source, uint64_t offset, size_t nbytes);
/* Where a tensor lies. alignment is that of the file's data, 0 where a file is a descriptor alone; data_offset 0: at
 * the next multiple of it. data_length counts when the descriptor does not tell its buffers. */
typedef struct cli_place {
    uint64_t offset, data_offset, data_length, alignment;
} cli_place;

/* A descriptor and the data after it. *end: the first byte after both. False after a report. */
bool cli_inspect_tensor(cli_dump *dump, const cli_source *source, const cli_place *place, hry_str name, uint64_t *end);
/* A gap of the file. */
void cli_inspect_gap(cli_dump *dump, const cli_source *source, uint64_t offset, uint64_t nbytes);
/* Metadata and index, in memory. */
void cli_inspect_kv(cli_dump *dump, const uint8_t *bytes, size_t nbytes, uint64_t base);

#endif
