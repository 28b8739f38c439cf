/* info --map: where the bytes of a container go. */
#ifndef HRY_CLI_MAP_H
#define HRY_CLI_MAP_H

#include "cli/cli_input.h"
#include "cli/cli_json.h"

typedef enum cli_part {
    CLI_PART_HEADER,
    CLI_PART_DESCRIPTOR,
    CLI_PART_DATA,
    CLI_PART_KV,
    CLI_PART_INDEX,
    CLI_PART_TRAILER,
    CLI_PART_GAP,
    CLI_PART_COUNT
} cli_part;

/* One stretch of the file; i and buffer count for descriptors and data. */
typedef struct cli_region {
    uint64_t offset, size;
    uint64_t i;
    uint32_t buffer;
    cli_part part;
} cli_region;

typedef struct cli_map {
    cli_region *regions; /* by offset, covering the file without overlap; gaps are regions of their own */
    uint64_t count;
} cli_map;

/* The map of an open container; the caller frees map->regions. Buffers of tensors that cannot be read are one region.
 */
void cli_map_make(hry_file *file, uint64_t file_size, cli_map *map);
const char *cli_part_name(cli_part part);

int cli_map_print(const cli_input *input, const cli_args *args);
int cli_map_json(cli_json *json, const cli_input *input);

#endif
