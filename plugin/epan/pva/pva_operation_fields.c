/* pva_operation_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_operation_fields.h"

static int hf_subcommand, hf_process, hf_init, hf_destroy, hf_get, hf_pipeline, hf_queue_free;
static int hf_array_offset, hf_array_count, hf_array_stride, hf_array_length;

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
    pva_place_number(place, pva_hf_sid, 4);
    uint32_t ioid = pva_place_number(place, pva_hf_ioid, 4);
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
    uint32_t ioid = pva_place_number(place, pva_hf_ioid, 4);
    show_subcommand(place, &subcommand);
    bool is_update = body->command == PVA_MONITOR && !(subcommand & (PVA_SUB_INIT | PVA_SUB_DESTROY));
    if (!is_update && !pva_place_status(place))
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
pva_operation_register(int proto)
{
    static hf_register_info hf[] = {
        PVA_FIELD(hf_subcommand, "Subcommand", "subcmd", FT_UINT8, BASE_HEX, NULL, 0, NULL),
        PVA_FIELD(hf_process, "Process, or start and stop", "process", FT_BOOLEAN, 8, NULL, PVA_SUB_CONTROL, NULL),
        PVA_FIELD(hf_init, "Init", "init", FT_BOOLEAN, 8, NULL, PVA_SUB_INIT, "The operation begins"),
        PVA_FIELD(hf_destroy, "Destroy", "destroy", FT_BOOLEAN, 8, NULL, PVA_SUB_DESTROY,
                  "The operation ends with this"),
        PVA_FIELD(hf_get, "Get, or start", "get", FT_BOOLEAN, 8, NULL, PVA_SUB_GET, NULL),
        PVA_FIELD(hf_pipeline, "GetPut, or pipeline", "getput", FT_BOOLEAN, 8, NULL, PVA_SUB_PIPELINE, NULL),
        PVA_FIELD(hf_queue_free, "Updates welcome", "queue_free", FT_UINT32, BASE_DEC, NULL, 0,
                  "How many more the client takes, of a MONITOR with pipeline"),
        PVA_FIELD(hf_array_offset, "Offset", "array.offset", FT_UINT32, BASE_DEC, NULL, 0, "In the array, in values"),
        PVA_FIELD(hf_array_count, "Count", "array.count", FT_UINT32, BASE_DEC, NULL, 0,
                  "Of values that are asked for; 0: up to the array's end"),
        PVA_FIELD(hf_array_stride, "Stride", "array.stride", FT_UINT32, BASE_DEC, NULL, 0,
                  "From one value to the next"),
        PVA_FIELD(hf_array_length, "Length", "array.length", FT_UINT32, BASE_DEC, NULL, 0, "Of the array, in values"),
    };
    static int *ett[] = { &ett_subcommand };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
}
