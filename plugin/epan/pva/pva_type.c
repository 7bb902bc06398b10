/* pva_type.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_type.h"

#include <epan/expert.h>

static int hf_type, hf_member;

static int ett_type = -1;

static expert_field ei_unknown_type;

/* Peers use a few levels and some dozens of fields; more is no type. */
enum { LEVELS_MOST = 16, MEMBERS_MOST = 4096, NODES_MOST = 65536, CACHED_MOST = 1 << 20 };

/* What a description was found to be. */
struct found {
    const struct pva_type *type;
    uint32_t bytes;
    bool is_unknown;
};

/* Of all connections, by keys of 64 bits. */
static wmem_map_t *by_id;        /* of const struct pva_type *: by circuit, side and number */
static wmem_map_t *by_operation; /* likewise: by circuit, operation and which */
static wmem_map_t *by_message;   /* of wmem_array_t *, of struct found */

static void
begin(void)
{
    by_id = pva_map_new();
    by_operation = pva_map_new();
    by_message = pva_map_new();
}

static void
put(wmem_map_t *map, uint64_t key, const void *value)
{
    if (wmem_map_lookup(map, &key))
        wmem_map_remove(map, &key);
    else if (wmem_map_size(map) >= CACHED_MOST)
        return;
    wmem_map_insert(map, wmem_memdup(wmem_file_scope(), &key, sizeof key), (void *)value);
}

static uint64_t
key_of_id(const struct pva_types *types, uint32_t id)
{
    return (uint64_t)types->circuit << 32 | (uint32_t)types->from_client << 16 | id;
}

static uint64_t
key_of_operation(const struct pva_types *types, uint32_t ioid, unsigned which)
{
    return ((uint64_t)types->circuit << 33 | which) ^ (uint64_t)ioid << 1;
}

struct pva_types
pva_types_of(uint32_t circuit, bool from_client, uint64_t start, bool first, bool kept, packet_info *pinfo)
{
    struct pva_types types = { .first = first, .circuit = circuit, .from_client = from_client };
    uint64_t key = (uint64_t)circuit << 41 | (uint64_t)from_client << 40 | start;
    types.found = first ? wmem_array_new(kept ? wmem_file_scope() : pinfo->pool, sizeof(struct found))
                        : wmem_map_lookup(by_message, &key);
    if (first && kept)
        put(by_message, key, types.found);
    return types;
}

/* These read a description, or a part of it. NULL if there is none, and then, unless it is that there is no type, the
 * place is over. */
static const struct pva_type *read_type(struct pva_place *place, unsigned level);

static void
read_members(struct pva_place *place, struct pva_type *type, unsigned level)
{
    type->id = wmem_strdup(wmem_file_scope(), pva_place_text(place, -1));
    uint32_t count = pva_place_size(place);
    /* A member has two bytes at least. */
    if (count > MEMBERS_MOST || !pva_place_has(place, count * 2)) {
        place->over = true;
        return;
    }
    type->names = wmem_alloc_array(wmem_file_scope(), const char *, count + 1);
    type->members = wmem_alloc_array(wmem_file_scope(), const struct pva_type *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        type->names[i] = wmem_strdup(wmem_file_scope(), pva_place_text(place, -1));
        type->members[i] = read_type(place, level + 1);
        place->over |= !type->members[i];
        if (place->over)
            return;
        type->count++;
        type->has_any |= type->members[i]->has_any;
        /* A union is one field of its structure, whatever it has. */
        if (type->code == PVA_TYPE_STRUCTURE)
            type->nodes = MIN(type->nodes + type->members[i]->nodes, NODES_MOST);
    }
}

static const struct {
    uint8_t code;
    const char *name;
} scalars[] = {
    { 0x00, "boolean" },
    { 0x20, "byte" },
    { 0x21, "short" },
    { 0x22, "int" },
    { 0x23, "long" },
    { 0x24, "ubyte" },
    { 0x25, "ushort" },
    { 0x26, "uint" },
    { 0x27, "ulong" },
    { 0x42, "float" },
    { 0x43, "double" },
    { PVA_TYPE_STRING, "string" },
    { PVA_TYPE_BOUNDED_STRING, "string" },
    { PVA_TYPE_STRUCTURE, "structure" },
    { PVA_TYPE_UNION, "union" },
    { PVA_TYPE_ANY, "any" },
};

/* NULL for what is reserved: it is no type. */
static const char *
scalar_name(uint8_t code)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(scalars); i++)
        if (scalars[i].code == code)
            return scalars[i].name;
    return NULL;
}

static const struct pva_type *
read_full(struct pva_place *place, uint8_t code, unsigned level)
{
    struct pva_type *type = wmem_new0(wmem_file_scope(), struct pva_type);
    uint8_t arrays = code & PVA_TYPE_ARRAYS, scalar = code & ~PVA_TYPE_ARRAYS;
    *type = (struct pva_type){ .code = code, .nodes = 1, .id = "", .has_any = scalar == PVA_TYPE_ANY };
    if (level == LEVELS_MOST || !scalar_name(scalar)) {
        place->over = true;
    } else if (code == PVA_TYPE_STRUCTURE || code == PVA_TYPE_UNION) {
        read_members(place, type, level);
    } else if (scalar == PVA_TYPE_STRUCTURE || scalar == PVA_TYPE_UNION) {
        type->members = wmem_alloc_array(wmem_file_scope(), const struct pva_type *, 1);
        type->members[0] = read_type(place, level + 1);
        place->over |= !type->members[0];
        type->has_any = !place->over && type->members[0]->has_any;
    } else if (arrays == PVA_TYPE_BOUNDED_ARRAY || arrays == PVA_TYPE_FIXED_ARRAY || code == PVA_TYPE_BOUNDED_STRING) {
        type->count = pva_place_size(place);
    }
    return place->over ? NULL : type;
}

static const struct pva_type *
read_type(struct pva_place *place, unsigned level)
{
    uint8_t code = (uint8_t)pva_place_number(place, -1, 1);
    if (place->over || code == PVA_TYPE_NULL)
        return NULL;
    if (code < PVA_TYPE_TAGGED_ID)
        return read_full(place, code, level);
    uint64_t key = key_of_id(place->types, pva_place_number(place, -1, 2));
    if (code == PVA_TYPE_ID) {
        const struct pva_type *known = wmem_map_lookup(by_id, &key);
        place->over |= !known;
        return known;
    }
    if (code == PVA_TYPE_TAGGED_ID)
        pva_place_number(place, -1, 4);
    const struct pva_type *type = level < LEVELS_MOST ? read_type(place, level + 1) : NULL;
    if (type && !place->over)
        put(by_id, key, type);
    return type;
}

static struct found
next_found(struct pva_types *types)
{
    struct found found = { .is_unknown = true };
    if (types->found && types->next < wmem_array_get_count(types->found))
        found = *(const struct found *)wmem_array_index(types->found, types->next++);
    return found;
}

/* The description at the place. NULL if there is none, or it cannot be known (then `is_unknown`). */
static const struct pva_type *
read_description(struct pva_place *place, bool *is_unknown)
{
    struct pva_types *types = place->types;
    struct found found;
    if (types->first) {
        int start = place->offset;
        found.type = read_type(place, 0);
        found.is_unknown = place->over;
        found.bytes = (uint32_t)(place->offset - start);
        wmem_array_append_one(types->found, found); /* what a later visit needs to know of it */
    } else {
        found = next_found(types);
        place->offset += (int)found.bytes;
    }
    *is_unknown = found.is_unknown;
    if (found.is_unknown)
        place->over = place->is_unknown = true;
    return found.is_unknown ? NULL : found.type;
}

void
pva_types_keep(struct pva_types *types, uint32_t ioid, unsigned which, const struct pva_type *type)
{
    if (types->first && type)
        put(by_operation, key_of_operation(types, ioid, which), type);
}

const struct pva_type *
pva_types_of_operation(struct pva_types *types, uint32_t ioid, unsigned which)
{
    if (!types->first)
        return next_found(types).type;
    uint64_t key = key_of_operation(types, ioid, which);
    const struct found found = { .type = wmem_map_lookup(by_operation, &key) };
    wmem_array_append_one(types->found, found);
    return found.type;
}

bool
pva_type_is_array(const struct pva_type *type)
{
    return type->code & PVA_TYPE_ARRAYS;
}

const char *
pva_type_name(wmem_allocator_t *scope, const struct pva_type *type)
{
    bool has_element = pva_type_is_array(type) && type->members;
    const char *id = has_element ? type->members[0]->id : type->id;
    return wmem_strdup_printf(scope, "%s%s%s%s", scalar_name(type->code & ~PVA_TYPE_ARRAYS), *id ? " " : "", id,
                              pva_type_is_array(type) ? "[]" : "");
}

static void
show_members(proto_tree *tree, struct pva_place *place, const struct pva_type *type, unsigned level)
{
    bool is_array = pva_type_is_array(type);
    const struct pva_type *element = is_array && type->members ? type->members[0] : type;
    for (uint32_t i = 0; element->names && i < element->count && place->fields_left > 0; i++) {
        const struct pva_type *member = element->members[i];
        proto_item *item = proto_tree_add_string_format(tree, hf_member, place->tvb, 0, 0, element->names[i], "%s %s",
                                                        pva_type_name(place->pinfo->pool, member), element->names[i]);
        proto_item_set_generated(item);
        place->fields_left--;
        if (member->members && level < LEVELS_MOST)
            show_members(proto_item_add_subtree(item, ett_type), place, member, level + 1);
    }
}

void
pva_description_say_unknown(const struct pva_place *place, proto_item *item)
{
    expert_add_info(place->pinfo, item, &ei_unknown_type);
}

const struct pva_type *
pva_description_show(struct pva_place *place)
{
    int start = place->offset;
    bool is_unknown;
    const struct pva_type *type = read_description(place, &is_unknown);
    if (!place->tree)
        return type;
    const char *name = type ? pva_type_name(place->pinfo->pool, type) : is_unknown ? "unknown" : "none";
    proto_item *item =
        proto_tree_add_string(place->tree, hf_type, place->tvb, start, MAX(place->offset - start, 0), name);
    if (is_unknown)
        pva_description_say_unknown(place, item);
    if (type && type->members)
        show_members(proto_item_add_subtree(item, ett_type), place, type, 0);
    return type;
}

void
pva_types_register(int proto)
{
    static hf_register_info hf[] = {
        PVA_FIELD(hf_type, "Type", "type", FT_STRING, BASE_NONE, NULL, 0,
                  "Type of a value, as the message describes it"),
        PVA_FIELD(hf_member, "Field", "type.field", FT_STRING, BASE_NONE, NULL, 0,
                  "Name of a field of a structure or union"),
    };
    static int *ett[] = { &ett_type };
    static ei_register_info ei[] = {
        { &ei_unknown_type,
          { "pva.type.unknown", PI_UNDECODED, PI_NOTE,
            "No earlier message describes this value's type: it is missing in the capture, or Wireshark did not "
            "reassemble it",
            EXPFILL } },
    };
    register_init_routine(begin);
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
