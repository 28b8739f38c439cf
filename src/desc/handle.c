/* One row of the buffer table: 16 bytes. (buffers, section 1) */
#include "base/checked.h"
#include "desc/reader.h"

enum { ALIGNMENT = 8, DEVICE = 12, SYNC = 13, MEMORY = 14, RESERVED = 15 };

/* For each device, a bit for each memory class that it has (buffers, section 4). */
static const uint8_t classes[] = { 0x7, 0xF, 0xF, 0x7, 0xF, 0x1, 0x7, 0xF, 0x7 };

enum { DEVICES = sizeof classes };

static const char *const device_names[DEVICES] = { "CPU",    "CUDA",    "ROCm",      "Metal", "Vulkan",
                                                   "WebGPU", "Hexagon", "LevelZero", "OpenCL" };

const char *hry_device_name(uint8_t tag)
{
    return tag < DEVICES ? device_names[tag] : hry_is_private(tag) ? "private" : "unknown";
}

static hry_status fail(const hry_draft *f, enum hry_rule rule, uint32_t offset)
{
    return hry_draft_fail(f, rule, HRY_SECTION_BUFFERS, offset, f->view.bytes[offset]);
}

/* False where the device has no such class: a private class goes with a private device alone. */
static bool has_class(uint8_t device, uint8_t memory)
{
    if (hry_is_private(memory))
        return hry_is_private(device);
    return (hry_is_private(device) ? 1 : classes[device]) >> memory & 1;
}

/* All that is not plain host memory. */
static hry_status verify_place(const hry_draft *f, uint32_t at)
{
    const uint8_t *h = f->view.bytes + at;
    uint8_t device = h[DEVICE], sync = h[SYNC], memory = h[MEMORY];
    if (h[RESERVED] != 0)
        return fail(f, HRY_RULE_D_23, at + RESERVED);
    if (device == 0xFF)
        return fail(f, HRY_RULE_D_24, at + DEVICE);
    if (device >= DEVICES && !hry_is_private(device))
        return fail(f, HRY_RULE_D_25, at + DEVICE);
    if (sync > HRY_SYNC_CONSUMER_STREAM)
        return fail(f, HRY_RULE_D_26, at + SYNC);
    if (device == HRY_DEVICE_CPU && sync != 0)
        return fail(f, HRY_RULE_D_27, at + SYNC);
    if (memory > HRY_MEMORY_PEER && !hry_is_private(memory))
        return fail(f, HRY_RULE_D_28, at + MEMORY);
    return has_class(device, memory) ? HRY_OK : fail(f, HRY_RULE_D_29, at + MEMORY);
}

/* A device, memory class or mode that the profile is too old for is an unassigned one to it. */
static hry_status verify_known(const hry_draft *f, uint32_t at)
{
    static const struct {
        enum hry_space space;
        uint32_t field;
        enum hry_rule rule;
    } fields[] = {
        { HRY_SPACE_DEVICE, DEVICE, HRY_RULE_D_25 },
        { HRY_SPACE_SYNC_MODE, SYNC, HRY_RULE_D_26 },
        { HRY_SPACE_MEMORY_CLASS, MEMORY, HRY_RULE_D_28 },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint8_t value = f->view.bytes[at + fields[i].field];
        if (!hry_profile_knows(f->profile, fields[i].space, value))
            return fail(f, fields[i].rule, at + fields[i].field);
    }
    return HRY_OK;
}

hry_status hry_handle_verify(const hry_draft *f, uint32_t at)
{
    const uint8_t *h = f->view.bytes + at;
    uint32_t alignment = hry_load32(h + ALIGNMENT);
    if (hry_load32(h + DEVICE) != 0) {
        hry_status status = verify_place(f, at);
        if (!status && f->profile->extra_count)
            status = verify_known(f, at);
        if (status)
            return status;
    }
    if (!hry_is_pow2(alignment))
        return hry_draft_fail(f, HRY_RULE_D_30, HRY_SECTION_BUFFERS, at + ALIGNMENT, alignment);
    if (alignment < 64 && hry_load64(h) != 0)
        return hry_draft_fail(f, HRY_RULE_D_31, HRY_SECTION_BUFFERS, at + ALIGNMENT, alignment);
    return HRY_OK;
}

hry_status hry_handle_verify_allowed(const hry_draft *f, uint32_t at)
{
    uint8_t device = f->view.bytes[at + DEVICE], memory = f->view.bytes[at + MEMORY];
    if (hry_is_private(device) && !hry_allows_device(f->options->allow, device))
        return fail(f, HRY_RULE_D_33, at + DEVICE);
    if (hry_is_private(memory) && !hry_allows_memory_class(f->options->allow, memory))
        return fail(f, HRY_RULE_D_33, at + MEMORY);
    return HRY_OK;
}
