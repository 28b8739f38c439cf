#include "cli/cli_map.h"
#include "cli/cli_out.h"
#include "cli/cli_text.h"

#include <inttypes.h>
#include <stdlib.h>

const char *cli_part_name(cli_part part)
{
    static const char *const names[] = { "header", "descriptor", "data", "kv", "index", "trailer", "gap" };
    return names[part];
}

static void add(cli_map *map, uint64_t *room, cli_region region)
{
    if (map->count == *room) {
        *room = *room ? *room * 2 : 64;
        map->regions = cli_realloc_items(map->regions, *room, sizeof *map->regions);
    }
    map->regions[map->count++] = region;
}

static void add_tensor(cli_map *map, uint64_t *room, hry_file *file, uint64_t i)
{
    hry_file_entry entry;
    hry_desc desc;
    if (!hry_file_entry_get(file, i, &entry))
        return;
    add(map, room, (cli_region){ entry.descriptor_offset, entry.descriptor_length, i, 0, CLI_PART_DESCRIPTOR });
    bool ok = hry_file_desc(file, i, &desc, NULL) == HRY_OK;
    uint64_t offset, nbytes;
    uint32_t known = 0;
    for (uint32_t k = 0; ok && hry_file_buffer_offset(file, i, k, &offset, &nbytes); k++, known++)
        if (nbytes)
            add(map, room, (cli_region){ offset, nbytes, i, k, CLI_PART_DATA });
    if (!known && entry.data_length)
        add(map, room, (cli_region){ entry.data_offset, entry.data_length, i, 0, CLI_PART_DATA });
}

static int by_offset(const void *a, const void *b)
{
    const cli_region *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->size < y->size ? -1 : x->size > y->size;
}

/* Puts the space between regions, and after the last, into regions of its own. */
static void add_gaps(cli_map *map, uint64_t *room, uint64_t file_size)
{
    uint64_t count = map->count, at = 0;
    for (uint64_t k = 0; k <= count; k++) {
        uint64_t next = k < count ? map->regions[k].offset : file_size;
        if (next > at)
            add(map, room, (cli_region){ at, next - at, 0, 0, CLI_PART_GAP });
        if (k < count && map->regions[k].offset + map->regions[k].size > at)
            at = map->regions[k].offset + map->regions[k].size;
    }
}

void cli_map_make(hry_file *file, uint64_t file_size, cli_map *map)
{
    enum { HEADER = 64, TRAILER = 40 };
    uint64_t room = 0;
    hry_file_info info;
    *map = (cli_map){ 0 };
    hry_file_info_get(file, &info);
    add(map, &room, (cli_region){ 0, HEADER, 0, 0, CLI_PART_HEADER });
    for (uint64_t i = 0; i < hry_file_count(file); i++)
        add_tensor(map, &room, file, i);
    if (info.kv_length)
        add(map, &room, (cli_region){ info.kv_offset, info.kv_length, 0, 0, CLI_PART_KV });
    add(map, &room, (cli_region){ info.index_offset, info.index_length, 0, 0, CLI_PART_INDEX });
    add(map, &room, (cli_region){ file_size - TRAILER, TRAILER, 0, 0, CLI_PART_TRAILER });
    qsort(map->regions, (size_t)map->count, sizeof *map->regions, by_offset);
    add_gaps(map, &room, file_size);
    qsort(map->regions, (size_t)map->count, sizeof *map->regions, by_offset);
}

static bool has_tensor(const cli_region *region)
{
    return region->part == CLI_PART_DESCRIPTOR || region->part == CLI_PART_DATA;
}

static void put_region(const cli_input *input, const cli_region *region, int width)
{
    printf("%*" PRIu64 "  %*" PRIu64 "  %s", width, region->offset, width, region->size, cli_part_name(region->part));
    if (has_tensor(region)) {
        hry_str name = hry_file_name(input->file, region->i);
        fputs("  ", stdout);
        cli_put_text(stdout, name.ptr, name.len);
        if (region->part == CLI_PART_DATA && region->buffer)
            printf("  buffer %" PRIu32, region->buffer);
    }
    fputc('\n', stdout);
}

/* How the file's bytes divide among the kinds of regions. */
static void put_sums(const cli_map *map, uint64_t file_size, bool exact)
{
    uint64_t bytes[CLI_PART_COUNT] = { 0 }, counts[CLI_PART_COUNT] = { 0 };
    for (uint64_t k = 0; k < map->count; k++) {
        bytes[map->regions[k].part] += map->regions[k].size;
        counts[map->regions[k].part]++;
    }
    for (int part = 0; part < CLI_PART_COUNT; part++)
        if (counts[part])
            printf("%-10s  %6.2f %%  %s in %" PRIu64 "\n", cli_part_name((cli_part)part),
                   100.0 * (double)bytes[part] / (double)file_size, cli_size_text(bytes[part], exact).text,
                   counts[part]);
    printf("%-10s  %6.2f %%  %s\n", "file", 100.0, cli_size_text(file_size, exact).text);
}

int cli_map_print(const cli_input *input, const cli_args *args)
{
    if (input->kind != CLI_KIND_CONTAINER)
        return cli_fail(CLI_FAILED, input->source.name, NULL, "only a container has a map");
    cli_map map;
    cli_map_make(input->file, input->source.size, &map);
    int width = snprintf(NULL, 0, "%" PRIu64, input->source.size);
    for (uint64_t k = 0; k < map.count && !cli_out_closed(); k++) {
        const cli_region *region = &map.regions[k];
        if (!has_tensor(region) || cli_selected(args, hry_file_name(input->file, region->i)))
            put_region(input, region, width);
    }
    put_sums(&map, input->source.size, cli_has(args, CLI_OPT_BYTES));
    free(map.regions);
    return CLI_OK;
}

int cli_map_json(cli_json *json, const cli_input *input)
{
    cli_map map;
    cli_map_make(input->file, input->source.size, &map);
    cli_json_open_array(json, "map");
    for (uint64_t k = 0; k < map.count && !cli_out_closed(); k++) {
        const cli_region *region = &map.regions[k];
        cli_json_open(json, NULL);
        cli_json_u64(json, "offset", region->offset);
        cli_json_u64(json, "size", region->size);
        cli_json_str(json, "part", cli_part_name(region->part));
        if (has_tensor(region)) {
            hry_str name = hry_file_name(input->file, region->i);
            cli_json_text(json, "tensor", name.ptr, name.len);
        }
        if (region->part == CLI_PART_DATA)
            cli_json_u64(json, "buffer", region->buffer);
        cli_json_close(json);
    }
    cli_json_close_array(json);
    free(map.regions);
    return CLI_OK;
}
