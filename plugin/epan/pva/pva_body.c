/* pva_body.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_body.h"

#include <epan/expert.h>

#include "pva_ids.h"
#include "pva_operation_fields.h"
#include "pva_register.h"

static int hf_guid = -1;
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
static int hf_message_type = -1;
static int hf_message = -1;
static int hf_rights = -1;
static int hf_body = -1;

static int ett_mask = -1;

static expert_field ei_no_body;

static const value_string message_types[] = {
    { 0, "info" }, { 1, "warning" }, { 2, "error" }, { 3, "fatal" }, { 0, NULL },
};
static const value_string replies[] = { { 0, "only if found" }, { 1, "in any case" }, { 0, NULL } };

/* A client that searches for many names, or a server that has them, sends no more at once. */
enum { NAMES_MOST = 65535 };

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
        pva_show_cid(place);
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
        pva_show_cid(place);
}

static void
show_beacon(struct pva_body *body, struct pva_place *place)
{
    pva_place_show(place, hf_guid, PVA_GUID_BYTES);
    pva_place_number(place, -1, 1);
    pva_place_show(place, hf_beacon, 1);
    pva_place_show(place, hf_change, 2);
    show_server(place);
    pva_value_show_typed(&body->values, place);
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
            pva_value_show_typed(&body->values, place);
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
        pva_show_cid(place);
        pva_show_sid(place);
        pva_show_status(place);
        return;
    }
    uint32_t count = pva_place_number(place, hf_count, 2);
    for (uint32_t i = 0; i < count && !place->over; i++) {
        pva_show_cid(place);
        pva_place_text(place, hf_name);
    }
}

/* As the specification has it; no known peer sends it. For each operation, or id 0 for the channel, sets of rights. */
static void
show_acl_change(struct pva_place *place)
{
    unsigned left = NAMES_MOST;
    pva_show_cid(place);
    uint32_t changes = pva_place_size(place);
    for (uint32_t i = 0; i < MIN(changes, NAMES_MOST) && changes != UINT32_MAX && !place->over; i++) {
        pva_show_ioid(place);
        uint32_t sets = pva_place_size(place);
        for (uint32_t j = 0; j < sets && sets != UINT32_MAX && !place->over && left-- > 0; j++) {
            int at = place->offset;
            uint32_t bytes = pva_place_size(place);
            if (bytes == UINT32_MAX || !pva_place_has(place, bytes))
                return;
            place->offset += (int)bytes;
            if (place->tree)
                proto_tree_add_item(place->tree, hf_rights, place->tvb, at, place->offset - at, ENC_NA);
        }
    }
}

static void
show_other(struct pva_body *body, struct pva_place *place)
{
    switch (body->command) {
    case PVA_DESTROY_CHANNEL:
        pva_show_sid(place);
        pva_show_cid(place);
        break;
    case PVA_DESTROY_REQUEST:
    case PVA_CANCEL_REQUEST:
        pva_show_sid(place);
        pva_show_ioid(place);
        break;
    case PVA_CONNECTION_VALIDATED:
        pva_show_status(place);
        break;
    case PVA_MESSAGE:
        pva_show_ioid(place);
        pva_place_show(place, hf_message_type, 1);
        pva_place_text(place, hf_message);
        break;
    case PVA_ORIGIN_TAG:
        place->encoding = ENC_NA;
        pva_place_show(place, hf_address, PVA_ADDRESS_BYTES);
        break;
    case PVA_ACL_CHANGE:
        show_acl_change(place);
        break;
    default:
        if (place->tree && tvb_captured_length_remaining(place->tvb, place->offset) > 0)
            proto_tree_add_item(place->tree, hf_body, place->tvb, place->offset,
                                tvb_captured_length_remaining(place->tvb, place->offset), ENC_NA);
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
        pva_value_show_typed(&body->values, place);
        break;
    case PVA_GET_FIELD:
        pva_operation_show_get_field(body, place);
        break;
    default:
        if (pva_has_subcommand(body->command))
            pva_operation_show(body, place);
        else
            show_other(body, place);
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
    PVA_FIELD(id, name, abbreviation, type, base, strings, 0, blurb)
#define BIT(id, name, abbreviation, mask, blurb) PVA_FIELD(id, name, abbreviation, FT_BOOLEAN, 8, NULL, mask, blurb)

void
pva_body_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_guid, "GUID", "guid", FT_BYTES, BASE_NONE, NULL, "Of the server, since it was started"),
        FIELD(hf_beacon, "Beacon number", "bseq", FT_UINT8, BASE_DEC, NULL, NULL),
        FIELD(hf_change, "Changes", "change", FT_UINT16, BASE_DEC, NULL, "Of the server's list of channels"),
        FIELD(hf_buffer, "Buffer size", "qsize", FT_UINT32, BASE_DEC, NULL, "Of the sender, for what it receives"),
        FIELD(hf_registry, "Registry size", "isize", FT_UINT16, BASE_DEC, NULL, "Types that the sender remembers"),
        FIELD(hf_qos, "Quality of service", "qos", FT_UINT16, BASE_HEX, NULL, NULL),
        FIELD(hf_authz, "Authentication", "authz", FT_STRING, BASE_NONE, NULL,
              "Offered by the server, chosen by the client"),
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
        FIELD(hf_message_type, "Message type", "message.type", FT_UINT8, BASE_DEC, VALS(message_types), NULL),
        FIELD(hf_message, "Message", "message", FT_STRING, BASE_NONE, NULL, "Of the server, about an operation"),
        FIELD(hf_rights, "Rights", "rights", FT_BYTES, BASE_NONE, NULL,
              "A set of bits, its size before it, that ACL_CHANGE tells of an operation or a channel"),
        FIELD(hf_body, "Body", "body", FT_BYTES, BASE_NONE, NULL, NULL),
    };
    static int *ett[] = { &ett_mask };
    static ei_register_info ei[] = {
        { &ei_no_body,
          { "pva.cut", PI_UNDECODED, PI_NOTE, "The rest of the message is not there, or is not what it should be",
            EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
    pva_ids_register(proto);
    pva_operation_register(proto);
}
