/* pva_operation_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_operation_fields.h"

#include "pva_ids.h"
#include "pva_register.h"

static int hf_subcommand = -1;
static int hf_process = -1;
static int hf_init = -1;
static int hf_destroy = -1;
static int hf_get = -1;
static int hf_pipeline = -1;
static int hf_queue_free = -1;
static int hf_field = -1;
static int hf_array_offset = -1;
static int hf_array_count = -1;
static int hf_array_stride = -1;
static int hf_array_length = -1;

static int ett_subcommand = -1;

static void
show_subcommand(struct pva_place *place, uint8_t *subcommand)
{
    static int *const bits[] = { &hf_process, &hf_init, &hf_destroy, &hf_get, &hf_pipeline, NULL };
    int at = place->offset;
    *subcommand = (uint8_t)pva_place_number(place, -1, 1);
    if (place->tree && !place->over)
        proto_tree_add_bitmask(place->tree, place->tvb, at, hf_subcommand, ett_subcommand, bits, ENC_NA);
}

/* Values of a known type tell nothing to whoever only looks for types. */
static void
show_partial(struct pva_body *body, struct pva_place *place, uint32_t ioid, unsigned which)
{
    const struct pva_type *type = pva_types_of_operation(body->values.types, ioid, which);
    if (place->tree || (type && type->has_any))
        pva_value_show_partial(&body->values, place, type);
}

static void
show_init_answer(struct pva_body *body, struct pva_place *place, uint32_t ioid)
{
    if (body->command == PVA_RPC || body->command == PVA_PROCESS)
        return;
    pva_types_keep(body->values.types, ioid, 0, pva_description_show(body->values.types, &body->values.left, place));
    if (body->command == PVA_PUT_GET && !place->over)
        pva_types_keep(body->values.types, ioid, 1,
                       pva_description_show(body->values.types, &body->values.left, place));
}

static void
show_size(struct pva_place *place, int hf)
{
    int at = place->offset;
    uint32_t size = pva_place_size(place);
    if (place->tree && !place->over)
        proto_tree_add_uint(place->tree, hf, place->tvb, at, place->offset - at, size);
}

static void
show_array_values(struct pva_body *body, struct pva_place *place, uint32_t ioid)
{
    const struct pva_type *type = pva_types_of_operation(body->values.types, ioid, 0);
    if (place->over)
        return;
    if (!type && place->tree)
        pva_description_say_unknown(place, proto_tree_get_parent(place->tree));
    place->over = place->is_unknown = !type;
    pva_value_show(&body->values, place, type);
}

/* As pvAccessCPP has it, the only peer that is known to: with a stride, which the specification lacks, and a request
 * for the length. */
static void
show_array_request(struct pva_body *body, struct pva_place *place, uint8_t subcommand, uint32_t ioid)
{
    if (subcommand & PVA_SUB_GET) {
        show_size(place, hf_array_offset);
        show_size(place, hf_array_count);
        show_size(place, hf_array_stride);
    } else if (subcommand & PVA_SUB_PIPELINE) {
        show_size(place, hf_array_length);
    } else if (!(subcommand & PVA_SUB_CONTROL)) {
        show_size(place, hf_array_offset);
        show_size(place, hf_array_stride);
        show_array_values(body, place, ioid);
    }
}

static void
show_array_answer(struct pva_body *body, struct pva_place *place, uint8_t subcommand, uint32_t ioid)
{
    if (subcommand & PVA_SUB_GET)
        show_array_values(body, place, ioid);
    else if (subcommand & PVA_SUB_CONTROL)
        show_size(place, hf_array_length);
}

/* What was put last, or got last, may be asked for instead. */
static bool
is_put(unsigned command, uint8_t subcommand)
{
    return (command == PVA_PUT && !(subcommand & PVA_SUB_GET)) ||
           (command == PVA_PUT_GET && !(subcommand & (PVA_SUB_GET | PVA_SUB_PIPELINE)));
}

static void
show_request(struct pva_body *body, struct pva_place *place)
{
    uint8_t subcommand = 0;
    pva_show_sid(place);
    uint32_t ioid = pva_show_ioid(place);
    show_subcommand(place, &subcommand);
    bool init = subcommand & PVA_SUB_INIT;
    if (body->is_cut || place->over)
        return;
    if (init || body->command == PVA_RPC)
        pva_value_show_typed(&body->values, place);
    if (body->command == PVA_MONITOR && subcommand & PVA_SUB_PIPELINE)
        pva_place_show(place, hf_queue_free, 4);
    if (init)
        return;
    if (body->command == PVA_ARRAY)
        show_array_request(body, place, subcommand, ioid);
    else if (is_put(body->command, subcommand))
        show_partial(body, place, ioid, 0);
}

static void
show_values_of_answer(struct pva_body *body, struct pva_place *place, uint8_t subcommand, uint32_t ioid)
{
    const bool is_of_put = (subcommand & (PVA_SUB_GET | PVA_SUB_PIPELINE)) == PVA_SUB_PIPELINE;
    switch (body->command) {
    case PVA_GET:
        show_partial(body, place, ioid, 0);
        break;
    case PVA_PUT:
        if (subcommand & PVA_SUB_GET)
            show_partial(body, place, ioid, 0);
        break;
    case PVA_PUT_GET:
        show_partial(body, place, ioid, is_of_put ? 0 : 1);
        break;
    case PVA_MONITOR:
        show_partial(body, place, ioid, 0);
        if (place->tree && !place->over)
            pva_value_show_overrun(place);
        break;
    case PVA_ARRAY:
        show_array_answer(body, place, subcommand, ioid);
        break;
    case PVA_RPC:
        pva_value_show_typed(&body->values, place);
        break;
    default:
        break;
    }
}

static void
show_answer(struct pva_body *body, struct pva_place *place)
{
    uint8_t subcommand = 0;
    uint32_t ioid = pva_show_ioid(place);
    show_subcommand(place, &subcommand);
    bool is_update = body->command == PVA_MONITOR && !(subcommand & (PVA_SUB_INIT | PVA_SUB_DESTROY));
    if (!is_update && !pva_show_status(place))
        return;
    if (body->is_cut || place->over)
        return;
    if (subcommand & PVA_SUB_INIT)
        show_init_answer(body, place, ioid);
    else if (body->command != PVA_MONITOR || is_update || tvb_reported_length_remaining(place->tvb, place->offset) > 0)
        show_values_of_answer(body, place, subcommand, ioid);
}

void
pva_operation_show(struct pva_body *body, struct pva_place *place)
{
    if (body->from_client)
        show_request(body, place);
    else
        show_answer(body, place);
}

void
pva_operation_show_get_field(struct pva_body *body, struct pva_place *place)
{
    if (body->from_client) {
        pva_show_sid(place);
        pva_show_ioid(place);
        pva_place_text(place, hf_field);
        return;
    }
    pva_show_ioid(place);
    if (pva_show_status(place) && !body->is_cut)
        pva_description_show(body->values.types, &body->values.left, place);
}

#define FIELD(id, name, abbreviation, type, base, strings, blurb)                                                      \
    PVA_FIELD(id, name, abbreviation, type, base, strings, 0, blurb)
#define BIT(id, name, abbreviation, mask, blurb) PVA_FIELD(id, name, abbreviation, FT_BOOLEAN, 8, NULL, mask, blurb)

void
pva_operation_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_subcommand, "Subcommand", "subcmd", FT_UINT8, BASE_HEX, NULL, NULL),
        BIT(hf_process, "Process, or start and stop", "process", PVA_SUB_CONTROL, NULL),
        BIT(hf_init, "Init", "init", PVA_SUB_INIT, "The operation begins"),
        BIT(hf_destroy, "Destroy", "destroy", PVA_SUB_DESTROY, "The operation ends with this"),
        BIT(hf_get, "Get, or start", "get", PVA_SUB_GET, NULL),
        BIT(hf_pipeline, "GetPut, or pipeline", "getput", PVA_SUB_PIPELINE, NULL),
        FIELD(hf_queue_free, "Updates welcome", "queue_free", FT_UINT32, BASE_DEC, NULL,
              "How many more the client takes, of a MONITOR with pipeline"),
        FIELD(hf_field, "Field", "field", FT_STRING, BASE_NONE, NULL, "Whose type is asked for; empty for all"),
        FIELD(hf_array_offset, "Offset", "array.offset", FT_UINT32, BASE_DEC, NULL, "In the array, in values"),
        FIELD(hf_array_count, "Count", "array.count", FT_UINT32, BASE_DEC, NULL,
              "Of values that are asked for; 0: up to the array's end"),
        FIELD(hf_array_stride, "Stride", "array.stride", FT_UINT32, BASE_DEC, NULL, "From one value to the next"),
        FIELD(hf_array_length, "Length", "array.length", FT_UINT32, BASE_DEC, NULL, "Of the array, in values"),
    };
    static int *ett[] = { &ett_subcommand };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
}
