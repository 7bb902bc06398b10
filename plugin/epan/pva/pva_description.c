/* pva_description.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_description.h"

#include <epan/expert.h>

#include "pva_register.h"

static int hf_type = -1;
static int hf_member = -1;

static int ett_type = -1;

static expert_field ei_unknown_type;

enum { LEVELS_SHOWN = 16 };

static void
show_members(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct pva_type *type, unsigned level,
             uint32_t *left)
{
    bool is_array = pva_type_is_array(type);
    const struct pva_type *element = is_array && type->members ? type->members[0] : type;
    for (uint32_t i = 0; element->names && i<element->count && * left> 0; i++) {
        const struct pva_type *member = element->members[i];
        proto_item *item = proto_tree_add_string_format(tree, hf_member, tvb, 0, 0, element->names[i], "%s %s",
                                                        pva_type_name(pinfo->pool, member), element->names[i]);
        proto_item_set_generated(item);
        --*left;
        if (member->members && level < LEVELS_SHOWN)
            show_members(proto_item_add_subtree(item, ett_type), tvb, pinfo, member, level + 1, left);
    }
}

void
pva_description_say_unknown(const struct pva_place *place, proto_item *item)
{
    expert_add_info(place->pinfo, item, &ei_unknown_type);
}

const struct pva_type *
pva_description_show(struct pva_types *types, uint32_t *left, struct pva_place *place)
{
    int start = place->offset;
    bool is_unknown;
    const struct pva_type *type = pva_types_read(types, place, &is_unknown);
    if (!place->tree)
        return type;
    const char *name = type ? pva_type_name(place->pinfo->pool, type) : is_unknown ? "unknown" : "none";
    proto_item *item =
        proto_tree_add_string(place->tree, hf_type, place->tvb, start, MAX(place->offset - start, 0), name);
    if (is_unknown)
        pva_description_say_unknown(place, item);
    if (type && type->members)
        show_members(proto_item_add_subtree(item, ett_type), place->tvb, place->pinfo, type, 0, left);
    return type;
}

#define FIELD(id, name, abbreviation, type, base, blurb) PVA_FIELD(id, name, abbreviation, type, base, NULL, 0, blurb)

void
pva_description_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_type, "Type", "type", FT_STRING, BASE_NONE, "Of a value, as the message describes it"),
        FIELD(hf_member, "Field", "type.field", FT_STRING, BASE_NONE, "Name of a field of a structure or union"),
    };
    static int *ett[] = { &ett_type };
    static ei_register_info ei[] = {
        { &ei_unknown_type,
          { "pva.type.unknown", PI_UNDECODED, PI_NOTE,
            "No message before describes this value's type: the capture lacks it, or Wireshark's TCP did not show it",
            EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
