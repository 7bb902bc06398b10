/* pva_value.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_value.h"

#include <inttypes.h>

#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "../../compat.h"

static int hf_set, hf_overrun, hf_selected, hf_left_out;
static int hf_boolean, hf_int, hf_long, hf_uint, hf_ulong, hf_float, hf_double, hf_string;

static int ett_value = -1;

enum { LEVELS_SHOWN = 16 };

static void show_named(struct pva_place *place, const char *name, const struct pva_type *type, unsigned level);

/* So many fields are enough of one message. */
static bool
may_go_on(struct pva_place *place)
{
    if (place->fields_left == 0)
        place->over = true;
    else
        place->fields_left--;
    return !place->over;
}

static const char *
label_of(const char *name)
{
    return *name ? name : "Value";
}

/* Numbers: values of a fixed size. */
struct number {
    const int *hf; /* NULL: the type is none of a number */
    uint32_t bytes;
};

/* Returns how a number of a type is shown. `code`: the type's, without the bits of arrays. */
static struct number
number_of(uint8_t code)
{
    switch (code) {
    case 0x00:
        return (struct number){ &hf_boolean, 1 };
    case 0x20:
    case 0x21:
    case 0x22:
        return (struct number){ &hf_int, 1U << (code - 0x20) };
    case 0x23:
        return (struct number){ &hf_long, 8 };
    case 0x24:
    case 0x25:
    case 0x26:
        return (struct number){ &hf_uint, 1U << (code - 0x24) };
    case 0x27:
        return (struct number){ &hf_ulong, 8 };
    case 0x42:
        return (struct number){ &hf_float, 4 };
    case 0x43:
        return (struct number){ &hf_double, 8 };
    default:
        return (struct number){ NULL, 0 };
    }
}

/* The number at the place, as its label has it. */
static const char *
number_text(const struct pva_place *place, const struct number *number)
{
    wmem_allocator_t *scope = place->pinfo->pool;
    const uint64_t bits = pva_place_bits(place, number->bytes);
    const unsigned above = 64 - number->bytes * 8;
    if (number->hf == &hf_boolean)
        return bits ? "true" : "false";
    if (number->hf == &hf_float)
        return wmem_strdup_printf(scope, "%g", (double)tvb_get_ieee_float(place->tvb, place->offset, place->encoding));
    if (number->hf == &hf_double)
        return wmem_strdup_printf(scope, "%.15g", tvb_get_ieee_double(place->tvb, place->offset, place->encoding));
    if (number->hf == &hf_int || number->hf == &hf_long)
        return wmem_strdup_printf(scope, "%" PRId64, (int64_t)(bits << above) >> above);
    return wmem_strdup_printf(scope, "%" PRIu64, bits);
}

/* Shows a number under its name, instead of the field's. */
static void
show_number(struct pva_place *place, const char *name, const struct number *number)
{
    const int at = place->offset;
    if (!pva_place_has(place, number->bytes))
        return;
    const char *text = place->tree ? number_text(place, number) : NULL;
    const bool is_true = number->hf == &hf_boolean && pva_place_number(place, -1, 1) != 0;
    proto_item *item = number->hf == &hf_boolean
                           ? proto_tree_add_boolean(place->tree, hf_boolean, place->tvb, at, 1, is_true)
                           : pva_place_show(place, *number->hf, number->bytes);
    proto_item_set_text(item, "%s: %s", label_of(name), text);
}

static void
show_text(struct pva_place *place, const char *name)
{
    int start = place->offset;
    const char *text = pva_place_text(place, -1);
    if (place->tree && !place->over)
        proto_tree_add_string_format(place->tree, hf_string, place->tvb, start, place->offset - start, text, "%s: %s",
                                     label_of(name), compat_printable(place->pinfo->pool, text));
}

/* The tree of a value that has others in it; the place's own until close_tree(). */
static proto_tree *
open_tree(struct pva_place *place, const char *name, const struct pva_type *type, const char *more)
{
    proto_tree *outer = place->tree;
    if (outer)
        place->tree = proto_tree_add_subtree_format(outer, place->tvb, place->offset, 0, ett_value, NULL, "%s: %s%s",
                                                    label_of(name), pva_type_name(place->pinfo->pool, type), more);
    return outer;
}

static void
show_left_out(const struct pva_place *place, uint32_t count)
{
    if (place->tree && count > 0)
        proto_item_set_generated(proto_tree_add_uint(place->tree, hf_left_out, place->tvb, 0, 0, count));
}

/* Numbers: those that are not shown need not be looked at. */
static void
show_numbers(struct pva_place *place, const struct number *number, uint32_t count)
{
    uint32_t shown = MIN(count, place->values_most);
    if (count > INT32_MAX / number->bytes) {
        place->over = true;
        return;
    }
    uint32_t end = (uint32_t)place->offset + count * number->bytes;
    for (uint32_t i = 0; i < shown && pva_place_has(place, number->bytes); i++)
        pva_place_show(place, *number->hf, number->bytes);
    show_left_out(place, count - shown);
    place->offset = (int)end;
}

static void
show_element(struct pva_place *place, const struct pva_type *type, unsigned level)
{
    uint8_t scalar = type->code & ~PVA_TYPE_ARRAYS;
    const struct pva_type any = { .code = PVA_TYPE_ANY, .id = "", .has_any = true };
    if (scalar == PVA_TYPE_STRING || scalar == PVA_TYPE_BOUNDED_STRING)
        show_text(place, "");
    /* Structures, unions and variants say first whether they are there. */
    else if (pva_place_number(place, -1, 1) != 0 && !place->over)
        show_named(place, "", scalar == PVA_TYPE_ANY ? &any : type->members[0], level + 1);
}

static void
show_array(struct pva_place *place, const char *name, const struct pva_type *type, unsigned level)
{
    bool is_fixed = (type->code & PVA_TYPE_ARRAYS) == PVA_TYPE_FIXED_ARRAY;
    uint32_t count = is_fixed ? type->count : pva_place_size(place);
    const struct number number = number_of(type->code & ~PVA_TYPE_ARRAYS);
    if (count == UINT32_MAX || place->over)
        return;
    proto_tree *outer = open_tree(place, name, type, wmem_strdup_printf(place->pinfo->pool, ", %u values", count));
    if (number.hf) {
        show_numbers(place, &number, count);
    } else {
        proto_tree *tree = place->tree;
        for (uint32_t i = 0; i < count && may_go_on(place); i++) {
            place->tree = i < place->values_most ? tree : NULL;
            show_element(place, type, level);
        }
        place->tree = tree;
        show_left_out(place, count > place->values_most ? count - place->values_most : 0);
    }
    place->tree = outer;
}

static void
show_structure(struct pva_place *place, const char *name, const struct pva_type *type, unsigned level)
{
    proto_tree *outer = open_tree(place, name, type, "");
    for (uint32_t i = 0; i < type->count && !place->over; i++)
        show_named(place, type->names[i], type->members[i], level + 1);
    place->tree = outer;
}

static void
show_union(struct pva_place *place, const char *name, const struct pva_type *type, unsigned level)
{
    int start = place->offset;
    uint32_t selected = pva_place_size(place);
    proto_tree *outer = open_tree(place, name, type, "");
    bool is_there = selected < type->count && !place->over;
    if (place->tree)
        proto_tree_add_string(place->tree, hf_selected, place->tvb, start, place->offset - start,
                              is_there ? type->names[selected] : "none");
    if (is_there)
        show_named(place, type->names[selected], type->members[selected], level + 1);
    place->tree = outer;
}

static void
show_any(struct pva_place *place, const char *name, const struct pva_type *type, unsigned level)
{
    proto_tree *outer = open_tree(place, name, type, "");
    const struct pva_type *brought = pva_description_show(place);
    if (brought)
        show_named(place, name, brought, level + 1);
    place->tree = outer;
}

static void
show_named(struct pva_place *place, const char *name, const struct pva_type *type, unsigned level)
{
    const struct number number = number_of(type->code);
    if (level == LEVELS_SHOWN || !may_go_on(place)) {
        place->over = true;
        return;
    }
    if (pva_type_is_array(type))
        show_array(place, name, type, level);
    else if (type->code == PVA_TYPE_STRUCTURE)
        show_structure(place, name, type, level);
    else if (type->code == PVA_TYPE_UNION)
        show_union(place, name, type, level);
    else if (type->code == PVA_TYPE_ANY)
        show_any(place, name, type, level);
    else if (type->code == PVA_TYPE_STRING || type->code == PVA_TYPE_BOUNDED_STRING)
        show_text(place, name);
    else if (number.hf)
        show_number(place, name, &number);
    else
        place->over = true;
}

void
pva_value_show(struct pva_place *place, const struct pva_type *type)
{
    if (type)
        show_named(place, "", type, 0);
}

void
pva_value_show_typed(struct pva_place *place)
{
    const struct pva_type *type = pva_description_show(place);
    if (!place->over)
        pva_value_show(place, type);
}

/* A set of fields. */
struct set {
    const uint8_t *bytes;
    uint32_t count;
    bool big_endian;
};

/* Eight bytes are one number each, in the message's byte order; those behind them stand as they are. */
static bool
has_bit(const struct set *set, uint32_t bit)
{
    uint32_t at = bit / 8, word = at / 8 * 8;
    if (at >= set->count)
        return false;
    if (set->big_endian && word + 8 <= set->count)
        at = word + 7 - at % 8;
    return set->bytes[at] >> bit % 8 & 1;
}

static struct set
read_set(struct pva_place *place, int hf)
{
    int start = place->offset;
    uint32_t count = pva_place_size(place);
    if (count == UINT32_MAX || !pva_place_has(place, count)) {
        place->over = true;
        return (struct set){ NULL, 0, false };
    }
    const struct set set = { count ? tvb_get_ptr(place->tvb, place->offset, (int)count) : NULL, count,
                             place->encoding == ENC_BIG_ENDIAN };
    place->offset += (int)count;
    if (place->tree)
        proto_tree_add_item(place->tree, hf, place->tvb, start, place->offset - start, ENC_NA);
    return set;
}

void
pva_value_show_overrun(struct pva_place *place)
{
    read_set(place, hf_overrun);
}

/* `bit`: of the structure; left behind those of its fields. */
static void
show_part(struct pva_place *place, const char *name, const struct pva_type *type, const struct set *set, uint32_t bit,
          unsigned level)
{
    if (has_bit(set, bit)) {
        show_named(place, name, type, level);
        return;
    }
    if (type->code != PVA_TYPE_STRUCTURE || level == LEVELS_SHOWN)
        return;
    uint32_t below = bit + 1;
    for (uint32_t i = 0; i < type->count && may_go_on(place); i++) {
        const char *path =
            level == 0 ? type->names[i] : wmem_strdup_printf(place->pinfo->pool, "%s.%s", name, type->names[i]);
        show_part(place, path, type->members[i], set, below, level + 1);
        below += type->members[i]->nodes;
    }
}

void
pva_value_show_partial(struct pva_place *place, const struct pva_type *type)
{
    const struct set set = read_set(place, hf_set);
    if (place->over)
        return;
    if (type) {
        show_part(place, "", type, &set, 0, 0);
        return;
    }
    if (place->tree && set.count > 0)
        pva_description_say_unknown(place, proto_tree_get_parent(place->tree));
    place->over = place->is_unknown = true;
}

void
pva_value_register(int proto)
{
    static hf_register_info hf[] = {
        PVA_FIELD(hf_set, "Fields", "fields", FT_BYTES, BASE_NONE, NULL, 0,
                  "Which fields the message has: one bit for each"),
        PVA_FIELD(hf_overrun, "Overrun", "overrun", FT_BYTES, BASE_NONE, NULL, 0,
                  "Fields that changed more than once since the previous update, so that values were not sent"),
        PVA_FIELD(hf_selected, "Selected", "selected", FT_STRING, BASE_NONE, NULL, 0, "Which field a union has"),
        PVA_FIELD(hf_left_out, "Values left out", "value.left_out", FT_UINT32, BASE_DEC, NULL, 0,
                  "How many values of the array are not shown"),
        PVA_FIELD(hf_string, "Value", "value.string", FT_STRING, BASE_NONE, NULL, 0, NULL),
        PVA_FIELD(hf_boolean, "Value", "value.boolean", FT_BOOLEAN, BASE_NONE, NULL, 0, NULL),
        PVA_FIELD(hf_int, "Value", "value.int", FT_INT32, BASE_DEC, NULL, 0, "Value of a byte, short or int"),
        PVA_FIELD(hf_long, "Value", "value.long", FT_INT64, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(hf_uint, "Value", "value.uint", FT_UINT32, BASE_DEC, NULL, 0,
                  "Value of an unsigned byte, short or int"),
        PVA_FIELD(hf_ulong, "Value", "value.ulong", FT_UINT64, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(hf_float, "Value", "value.float", FT_FLOAT, BASE_NONE, NULL, 0, NULL),
        PVA_FIELD(hf_double, "Value", "value.double", FT_DOUBLE, BASE_NONE, NULL, 0, NULL),
    };
    static int *ett[] = { &ett_value };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    pva_types_register(proto);
}
