/* Composites in a container: a head and the tensors that follow it in write order. (file-format, 7; composite, 2.3) */
#include "file/container_composite.h"

#include "base/alloc.h"
#include "base/status.h"
#include "tensor/member_stack.h"
#include "tensor/object.h"

#include <inttypes.h>

/* The write order of all entries; NULL when it is the order of the index. False when there is no memory. */
static bool write_order(hry_container *c, const uint32_t **order)
{
    *order = NULL;
    if (c->index.ascending)
        return true;
    uint32_t *made = atomic_load_explicit(&c->write_order, memory_order_acquire), *expected = NULL;
    if (!made) {
        made = hry_index_order(&c->index, &c->base.allocator);
        if (made && !atomic_compare_exchange_strong(&c->write_order, &expected, made)) {
            hry_free(&c->base.allocator, made, c->base.count * sizeof *made, _Alignof(uint32_t));
            made = expected;
        }
    }
    *order = made;
    return made != NULL;
}

static uint64_t offset_of(const hry_container *c, uint32_t i)
{
    return hry_load64(hry_index_fixed(&c->index, i) + HRY_ENTRY_DESCRIPTOR_OFFSET);
}

hry_status hry_write_order_init(hry_container *container, hry_write_order *order, hry_error *err)
{
    order->container = container;
    return write_order(container, &order->positions)
               ? HRY_OK
               : hry_fail_memory(err, (uint64_t)container->base.count * sizeof(uint32_t));
}

uint32_t hry_write_order_place(const hry_write_order *order, uint32_t i)
{
    const hry_container *c = order->container;
    if (!order->positions)
        return i;
    uint32_t low = 0, high = c->base.count;
    uint64_t offset = offset_of(c, i);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (offset_of(c, order->positions[middle]) <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Tensors in write order, head first, until no member is missing. */
static hry_status feed_all(hry_member_stack *stack, const hry_write_order *order, uint32_t place, uint32_t *next,
                           hry_error *err)
{
    hry_container *c = order->container;
    do {
        if (place >= c->base.count)
            return hry_member_stack_finish(stack, err);
        hry_desc desc;
        uint32_t i = hry_write_order_at(order, place++);
        hry_status status = hry_container_desc(c, i, &desc, err);
        if (!status)
            status = hry_member_stack_feed(stack, &desc, offset_of(c, i), err);
        if (status)
            return status;
    } while (hry_member_stack_is_open(stack));
    *next = place;
    return HRY_OK;
}

hry_status hry_container_verify_composite(const hry_write_order *order, uint32_t place, uint32_t *next, hry_error *err)
{
    hry_member_stack stack;
    hry_member_stack_init(&stack, &order->container->parse.limits, &order->container->base.allocator);
    hry_status status = feed_all(&stack, order, place, next, err);
    hry_member_stack_clear(&stack);
    return status;
}

static hry_status build(const hry_write_order *order, uint32_t place, uint32_t *next, hry_tensor **tensor,
                        hry_error *err);

static hry_status build_members(const hry_write_order *order, uint32_t place, hry_tensor **members, uint32_t expected,
                                uint32_t *built, uint32_t *next, hry_error *err)
{
    hry_status status = HRY_OK;
    *next = place + 1;
    for (*built = 0; *built < expected && !status; *built += status == HRY_OK)
        status = build(order, *next, next, &members[*built], err);
    return status;
}

/* A tensor of a tree that was verified. */
static hry_status build(const hry_write_order *order, uint32_t place, uint32_t *next, hry_tensor **tensor,
                        hry_error *err)
{
    hry_container *c = order->container;
    hry_desc desc;
    uint32_t built;
    if (place >= c->base.count) /* only when mapped bytes have changed since they were verified */
        return hry_fail_rule(err, HRY_RULE_L_CMP_29, HRY_SECTION_COMPOSITE, 0, place);
    uint32_t i = hry_write_order_at(order, place);
    hry_status status = hry_container_desc(c, i, &desc, err);
    if (status)
        return status;
    if (desc.layout != HRY_LAYOUT_COMPOSITE) {
        *next = place + 1;
        return hry_container_tensor(c, i, &desc, tensor, err);
    }
    uint32_t expected = hry_composite_member_count(&desc);
    if (expected > c->base.count)
        return hry_fail_rule(err, HRY_RULE_L_CMP_29, HRY_SECTION_LAYOUT, offset_of(c, i) + desc.layout_offset + 4,
                             expected);
    hry_tensor **members = hry_alloc_array(&c->base.allocator, expected, sizeof *members, _Alignof(hry_tensor *));
    if (!members)
        return hry_fail_memory(err, expected * sizeof *members);
    status = build_members(order, place, members, expected, &built, next, err);
    if (!status)
        status = hry_tensor_adopt_members(&desc, members, expected, &c->base.allocator, tensor, err);
    for (uint32_t k = 0; status && k < built; k++)
        hry_tensor_release(members[k]);
    hry_free(&c->base.allocator, members, expected * sizeof *members, _Alignof(hry_tensor *));
    return status;
}

hry_status hry_container_composite(hry_container *container, uint32_t i, hry_tensor **tensor, hry_error *err)
{
    hry_write_order order;
    uint32_t next;
    hry_status status = hry_write_order_init(container, &order, err);
    if (status)
        return status;
    uint32_t place = hry_write_order_place(&order, i);
    status = hry_container_verify_composite(&order, place, &next, err);
    return status ? status : build(&order, place, &next, tensor, err);
}
