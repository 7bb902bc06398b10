/* pva_body.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_body.h"

#include <epan/expert.h>

#include "../../core/pva/pva_cursor.h"
#include "../../core/pva/pva_names.h"

static int hf_guid = -1;
static int hf_cid = -1;
static int hf_sid = -1;
static int hf_ioid = -1;
static int hf_subcommand = -1;
static int hf_process = -1;
static int hf_init = -1;
static int hf_destroy = -1;
static int hf_get = -1;
static int hf_pipeline = -1;
static int hf_queue_free = -1;
static int hf_status = -1;
static int hf_status_message = -1;
static int hf_call_tree = -1;
static int hf_beacon = -1;
static int hf_change = -1;
static int hf_buffer = -1;
static int hf_registry = -1;
static int hf_qos = -1;
static int hf_authz = -1;
static int hf_sequence = -1;
static int hf_address = -1;
static int hf_port = -1;
static int hf_mask = -1;
static int hf_reply = -1;
static int hf_unicast = -1;
static int hf_transport = -1;
static int hf_count = -1;
static int hf_name = -1;
static int hf_found = -1;
static int hf_field = -1;
static int hf_message_type = -1;
static int hf_message = -1;
static int hf_array_offset = -1;
static int hf_array_count = -1;
static int hf_body = -1;

static int ett_subcommand = -1;
static int ett_mask = -1;

static expert_field ei_status;
static expert_field ei_no_body;

static const value_string status_names[] = {
    { PVA_OK, "OK" }, { PVA_WARNING, "WARNING" }, { PVA_ERROR, "ERROR" }, { PVA_FATAL, "FATAL" }, { PVA_OK_ALONE, "OK" },
    { 0, NULL },
};
static const value_string message_types[] = {
    { 0, "info" }, { 1, "warning" }, { 2, "error" }, { 3, "fatal" }, { 0, NULL },
};
static const value_string replies[] = { { 0, "only if found" }, { 1, "in any case" }, { 0, NULL } };

/* A client that searches for many names, or a server that has them, sends no more at once. */
enum { NAMES_MOST = 65535 };

static void
show_subcommand(struct pva_place *place, uint8_t *subcommand)
{
    static int *const bits[] = { &hf_process, &hf_init, &hf_destroy, &hf_get, &hf_pipeline, NULL };
    int at = place->offset;
    *subcommand = (uint8_t)pva_place_number(place, -1, 1);
    if (place->tree && !place->over)
        proto_tree_add_bitmask(place->tree, place->tvb, at, hf_subcommand, ett_subcommand, bits, ENC_NA);
}

/* False if it failed, or is not there. */
static bool
show_status(struct pva_place *place)
{
    int at = place->offset;
    uint8_t type = (uint8_t)pva_place_number(place, hf_status, 1);
    if (place->over || type == PVA_OK_ALONE)
        return !place->over;
    const char *message = pva_place_text(place, hf_status_message);
    pva_place_text(place, hf_call_tree);
    if (place->tree && (type == PVA_ERROR || type == PVA_FATAL))
        expert_add_info_format(place->pinfo,
                               proto_tree_add_expert(place->tree, place->pinfo, &ei_status, place->tvb, at, 1),
                               &ei_status, "%s: %s", pva_status_name(type), message);
    return type == PVA_OK || type == PVA_WARNING;
}

static void
show_typed_value(struct pva_body *body, struct pva_place *place)
{
    const struct pva_type *type = pva_value_show_type(&body->values, place);
    if (!place->over)
        pva_value_show(&body->values, place, type);
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
    pva_types_keep(body->values.types, ioid, 0, pva_value_show_type(&body->values, place));
    if (body->command == PVA_PUT_GET && !place->over)
        pva_types_keep(body->values.types, ioid, 1, pva_value_show_type(&body->values, place));
}

static void
show_array_request(struct pva_body *body, struct pva_place *place, uint8_t subcommand, uint32_t ioid)
{
    int at = place->offset;
    uint32_t first = pva_place_size(place);
    if (place->tree && !place->over)
        proto_tree_add_uint(place->tree, subcommand & PVA_SUB_PIPELINE ? hf_array_count : hf_array_offset, place->tvb, at,
                            place->offset - at, first);
    if (subcommand & PVA_SUB_PIPELINE)
        return;
    at = place->offset;
    if (subcommand & PVA_SUB_GET) {
        uint32_t count = pva_place_size(place);
        if (place->tree && !place->over)
            proto_tree_add_uint(place->tree, hf_array_count, place->tvb, at, place->offset - at, count);
        return;
    }
    const struct pva_type *type = pva_types_of_operation(body->values.types, ioid, 0);
    if (!place->over)
        pva_value_show(&body->values, place, type);
}

static void
show_request(struct pva_body *body, struct pva_place *place)
{
    uint8_t subcommand = 0;
    pva_place_show(place, hf_sid, 4);
    uint32_t ioid = pva_place_number(place, hf_ioid, 4);
    show_subcommand(place, &subcommand);
    bool init = subcommand & PVA_SUB_INIT;
    if (body->is_cut || place->over)
        return;
    if (init || body->command == PVA_RPC)
        show_typed_value(body, place);
    if (body->command == PVA_MONITOR && subcommand & PVA_SUB_PIPELINE)
        pva_place_show(place, hf_queue_free, 4);
    if (init)
        return;
    if (body->command == PVA_ARRAY)
        show_array_request(body, place, subcommand, ioid);
    else if ((body->command == PVA_PUT || body->command == PVA_PUT_GET) && !(subcommand & PVA_SUB_GET))
        show_partial(body, place, ioid, 0);
}

static void
show_values_of_answer(struct pva_body *body, struct pva_place *place, uint8_t subcommand, uint32_t ioid)
{
    const struct pva_type *type;
    switch (body->command) {
    case PVA_GET:
        show_partial(body, place, ioid, 0);
        break;
    case PVA_PUT:
        if (subcommand & PVA_SUB_GET)
            show_partial(body, place, ioid, 0);
        break;
    case PVA_PUT_GET:
        show_partial(body, place, ioid, 1);
        break;
    case PVA_MONITOR:
        show_partial(body, place, ioid, 0);
        if (place->tree && !place->over)
            pva_value_show_set(place);
        break;
    case PVA_ARRAY:
        type = subcommand & PVA_SUB_GET ? pva_types_of_operation(body->values.types, ioid, 0) : NULL;
        pva_value_show(&body->values, place, type);
        break;
    case PVA_RPC:
        show_typed_value(body, place);
        break;
    default:
        break;
    }
}

static void
show_answer(struct pva_body *body, struct pva_place *place)
{
    uint8_t subcommand = 0;
    uint32_t ioid = pva_place_number(place, hf_ioid, 4);
    show_subcommand(place, &subcommand);
    bool is_update = body->command == PVA_MONITOR && !(subcommand & (PVA_SUB_INIT | PVA_SUB_DESTROY));
    if (!is_update && !show_status(place))
        return;
    if (body->is_cut || place->over)
        return;
    if (subcommand & PVA_SUB_INIT)
        show_init_answer(body, place, ioid);
    else if (body->command != PVA_MONITOR || is_update || tvb_reported_length_remaining(place->tvb, place->offset) > 0)
        show_values_of_answer(body, place, subcommand, ioid);
}

static void
show_get_field(struct pva_body *body, struct pva_place *place)
{
    if (body->from_client) {
        pva_place_show(place, hf_sid, 4);
        pva_place_show(place, hf_ioid, 4);
        pva_place_text(place, hf_field);
        return;
    }
    pva_place_show(place, hf_ioid, 4);
    if (show_status(place) && !body->is_cut)
        pva_value_show_type(&body->values, place);
}

static void
show_search(struct pva_place *place)
{
    static int *const bits[] = { &hf_reply, &hf_unicast, NULL };
    pva_place_show(place, hf_sequence, 4);
    if (place->tree && pva_place_has(place, 4))
        proto_tree_add_bitmask(place->tree, place->tvb, place->offset, hf_mask, ett_mask, bits, ENC_NA);
    pva_place_number(place, -1, 4);
    unsigned encoding = place->encoding;
    place->encoding = ENC_NA;
    pva_place_show(place, hf_address, PVA_ADDRESS_BYTES);
    place->encoding = encoding;
    pva_place_show(place, hf_port, 2);
    uint32_t transports = pva_place_size(place);
    for (uint32_t i = 0; i < transports && transports != UINT32_MAX && !place->over; i++)
        pva_place_text(place, hf_transport);
    uint32_t count = pva_place_number(place, hf_count, 2);
    for (uint32_t i = 0; i < MIN(count, NAMES_MOST) && !place->over; i++) {
        pva_place_show(place, hf_cid, 4);
        pva_place_text(place, hf_name);
    }
}

static void
show_server(struct pva_place *place)
{
    unsigned encoding = place->encoding;
    place->encoding = ENC_NA;
    pva_place_show(place, hf_address, PVA_ADDRESS_BYTES);
    place->encoding = encoding;
    pva_place_show(place, hf_port, 2);
    pva_place_text(place, hf_transport);
}

static void
show_search_response(struct pva_place *place)
{
    pva_place_show(place, hf_guid, PVA_GUID_BYTES);
    pva_place_show(place, hf_sequence, 4);
    show_server(place);
    pva_place_show(place, hf_found, 1);
    uint32_t count = pva_place_number(place, hf_count, 2);
    for (uint32_t i = 0; i < count && !place->over; i++)
        pva_place_show(place, hf_cid, 4);
}

static void
show_beacon(struct pva_body *body, struct pva_place *place)
{
    pva_place_show(place, hf_guid, PVA_GUID_BYTES);
    pva_place_number(place, -1, 1);
    pva_place_show(place, hf_beacon, 1);
    pva_place_show(place, hf_change, 2);
    show_server(place);
    show_typed_value(body, place);
}

static void
show_validation(struct pva_body *body, struct pva_place *place)
{
    pva_place_show(place, hf_buffer, 4);
    pva_place_show(place, hf_registry, 2);
    if (body->from_client) {
        pva_place_show(place, hf_qos, 2);
        pva_place_text(place, hf_authz);
        if (!place->over && tvb_reported_length_remaining(place->tvb, place->offset) > 0)
            show_typed_value(body, place);
        return;
    }
    uint32_t count = pva_place_size(place);
    for (uint32_t i = 0; i < count && count != UINT32_MAX && !place->over; i++)
        pva_place_text(place, hf_authz);
}

static void
show_create(const struct pva_body *body, struct pva_place *place)
{
    if (!body->from_client) {
        pva_place_show(place, hf_cid, 4);
        pva_place_show(place, hf_sid, 4);
        show_status(place);
        return;
    }
    uint32_t count = pva_place_number(place, hf_count, 2);
    for (uint32_t i = 0; i < count && !place->over; i++) {
        pva_place_show(place, hf_cid, 4);
        pva_place_text(place, hf_name);
    }
}

static void
show_other(struct pva_body *body, struct pva_place *place)
{
    switch (body->command) {
    case PVA_DESTROY_CHANNEL:
        pva_place_show(place, hf_sid, 4);
        pva_place_show(place, hf_cid, 4);
        break;
    case PVA_DESTROY_REQUEST:
    case PVA_CANCEL_REQUEST:
        pva_place_show(place, hf_sid, 4);
        pva_place_show(place, hf_ioid, 4);
        break;
    case PVA_CONNECTION_VALIDATED:
        show_status(place);
        break;
    case PVA_MESSAGE:
        pva_place_show(place, hf_ioid, 4);
        pva_place_show(place, hf_message_type, 1);
        pva_place_text(place, hf_message);
        break;
    case PVA_ORIGIN_TAG:
        place->encoding = ENC_NA;
        pva_place_show(place, hf_address, PVA_ADDRESS_BYTES);
        break;
    case PVA_ACL_CHANGE:
        pva_place_show(place, hf_cid, 4);
        break;
    default:
        if (place->tree && tvb_captured_length_remaining(place->tvb, place->offset) > 0)
            proto_tree_add_item(place->tree, hf_body, place->tvb, place->offset, -1, ENC_NA);
        break;
    }
}

static void
show(struct pva_body *body, struct pva_place *place)
{
    switch (body->command) {
    case PVA_BEACON:
        show_beacon(body, place);
        break;
    case PVA_CONNECTION_VALIDATION:
        show_validation(body, place);
        break;
    case PVA_SEARCH:
        show_search(place);
        break;
    case PVA_SEARCH_RESPONSE:
        show_search_response(place);
        break;
    case PVA_CREATE_CHANNEL:
        show_create(body, place);
        break;
    case PVA_AUTHNZ:
        show_typed_value(body, place);
        break;
    case PVA_GET_FIELD:
        show_get_field(body, place);
        break;
    default:
        if (!pva_has_subcommand(body->command))
            show_other(body, place);
        else if (body->from_client)
            show_request(body, place);
        else
            show_answer(body, place);
        break;
    }
}

void
pva_body_show(struct pva_body *body, struct pva_place *place)
{
    show(body, place);
    if (place->over && !place->is_unknown && place->tree && !body->is_cut)
        expert_add_info(place->pinfo, proto_tree_get_parent(place->tree), &ei_no_body);
}

#define FIELD(id, name, abbreviation, type, base, strings, blurb)                                                      \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "pva." abbreviation, type, base, strings, 0, blurb, HFILL                                            \
        }                                                                                                              \
    }
#define BIT(id, name, abbreviation, mask, blurb)                                                                       \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "pva." abbreviation, FT_BOOLEAN, 8, NULL, mask, blurb, HFILL                                         \
        }                                                                                                              \
    }

void
pva_body_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_guid, "GUID", "guid", FT_BYTES, BASE_NONE, NULL, "Of the server, since it was started"),
        FIELD(hf_cid, "Client channel ID", "cid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_sid, "Server channel ID", "sid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_ioid, "Operation ID", "ioid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_subcommand, "Subcommand", "subcmd", FT_UINT8, BASE_HEX, NULL, NULL),
        BIT(hf_process, "Process, or start and stop", "process", PVA_SUB_CONTROL, NULL),
        BIT(hf_init, "Init", "init", PVA_SUB_INIT, "The operation begins"),
        BIT(hf_destroy, "Destroy", "destroy", PVA_SUB_DESTROY, "The operation ends with this"),
        BIT(hf_get, "Get, or start", "get", PVA_SUB_GET, NULL),
        BIT(hf_pipeline, "GetPut, or pipeline", "getput", PVA_SUB_PIPELINE, NULL),
        FIELD(hf_queue_free, "Updates welcome", "queue_free", FT_UINT32, BASE_DEC, NULL,
              "How many more the client takes, of a MONITOR with pipeline"),
        FIELD(hf_status, "Status", "status", FT_UINT8, BASE_HEX, VALS(status_names), NULL),
        FIELD(hf_status_message, "Message", "status.message", FT_STRING, BASE_NONE, NULL, "Of the status"),
        FIELD(hf_call_tree, "Call tree", "status.call_tree", FT_STRING, BASE_NONE, NULL, "Of the status"),
        FIELD(hf_beacon, "Beacon number", "bseq", FT_UINT8, BASE_DEC, NULL, NULL),
        FIELD(hf_change, "Changes", "change", FT_UINT16, BASE_DEC, NULL, "Of the server's list of channels"),
        FIELD(hf_buffer, "Buffer size", "qsize", FT_UINT32, BASE_DEC, NULL, "Of the sender, for what it receives"),
        FIELD(hf_registry, "Registry size", "isize", FT_UINT16, BASE_DEC, NULL, "Types that the sender remembers"),
        FIELD(hf_qos, "Quality of service", "qos", FT_UINT16, BASE_HEX, NULL, NULL),
        FIELD(hf_authz, "Authentication", "authz", FT_STRING, BASE_NONE, NULL, "Offered by the server, chosen by the client"),
        FIELD(hf_sequence, "Sequence", "seq", FT_UINT32, BASE_DEC, NULL, "Of the client's searches"),
        FIELD(hf_address, "Address", "addr", FT_IPv6, BASE_NONE, NULL, "IPv4 in IPv6; all zero: the sender's"),
        FIELD(hf_port, "Port", "port", FT_UINT16, BASE_DEC, NULL, NULL),
        FIELD(hf_mask, "Search flags", "mask", FT_UINT8, BASE_HEX, NULL, NULL),
        { &hf_reply, { "Reply", "pva.reply", FT_UINT8, BASE_DEC, VALS(replies), 0x01, NULL, HFILL } },
        BIT(hf_unicast, "Unicast", "ucast", 0x80, NULL),
        FIELD(hf_transport, "Transport", "proto", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(hf_count, "Channels", "count", FT_UINT16, BASE_DEC, NULL, "How many the message is about"),
        FIELD(hf_name, "Name", "name", FT_STRING, BASE_NONE, NULL, "Of a channel, as the message has it"),
        FIELD(hf_found, "Found", "found", FT_BOOLEAN, BASE_NONE, NULL, NULL),
        FIELD(hf_field, "Field", "field", FT_STRING, BASE_NONE, NULL, "Whose type is asked for; empty for all"),
        FIELD(hf_message_type, "Message type", "message.type", FT_UINT8, BASE_DEC, VALS(message_types), NULL),
        FIELD(hf_message, "Message", "message", FT_STRING, BASE_NONE, NULL, "Of the server, about an operation"),
        FIELD(hf_array_offset, "Offset", "array.offset", FT_UINT32, BASE_DEC, NULL, "In the array, in values"),
        FIELD(hf_array_count, "Count", "array.count", FT_UINT32, BASE_DEC, NULL, "Of values in the array"),
        FIELD(hf_body, "Body", "body", FT_BYTES, BASE_NONE, NULL, NULL),
    };
    static int *ett[] = { &ett_subcommand, &ett_mask };
    static ei_register_info ei[] = {
        { &ei_status, { "pva.status.failed", PI_RESPONSE_CODE, PI_WARN, "The status is an error", EXPFILL } },
        { &ei_no_body,
          { "pva.cut", PI_UNDECODED, PI_NOTE, "The rest of the message is not there, or is not what it should be",
            EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
