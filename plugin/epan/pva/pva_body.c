/* pva_body.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_body.h"

#include <epan/expert.h>

#include "../../core/pva/pva_message.h"
#include "pva_value.h"

static int hf_guid, hf_beacon, hf_change, hf_sequence, hf_mask, hf_reply, hf_unicast, hf_found;
static int hf_address, hf_port, hf_transport, hf_count, hf_name;
static int hf_buffer, hf_registry, hf_qos, hf_authz;
static int hf_subcommand, hf_process, hf_init, hf_destroy, hf_get, hf_pipeline, hf_queue_free;
static int hf_array_offset, hf_array_count, hf_array_stride, hf_array_length;
static int hf_message_type, hf_message, hf_field, hf_rights, hf_body;

static int ett_mask = -1, ett_subcommand = -1;

static expert_field ei_no_body;

static const value_string message_types[] = {
    { 0, "info" }, { 1, "warning" }, { 2, "error" }, { 3, "fatal" }, { 0, NULL },
};
static const value_string replies[] = { { 0, "only if found" }, { 1, "in any case" }, { 0, NULL } };

/* A part of a message: how it is shown, and what it is. Each goes on from where the one before ended. */
struct part {
    void (*show)(struct pva_place *place, const struct part *part);
    const int *hf;
    uint32_t bytes;
};

static void
show_number(struct pva_place *place, const struct part *part)
{
    pva_place_show(place, *part->hf, part->bytes);
}

static void
skip(struct pva_place *place, const struct part *part)
{
    pva_place_number(place, -1, part->bytes);
}

/* An IPv6 address is in the network's byte order, whatever the message's. */
static void
show_address(struct pva_place *place, const struct part *part)
{
    unsigned encoding = place->encoding;
    place->encoding = ENC_NA;
    pva_place_show(place, *part->hf, PVA_ADDRESS_BYTES);
    place->encoding = encoding;
}

static void
show_text(struct pva_place *place, const struct part *part)
{
    pva_place_text(place, *part->hf);
}

static void
show_texts(struct pva_place *place, const struct part *part)
{
    uint32_t count = pva_place_size(place);
    for (uint32_t i = 0; i < count && count != UINT32_MAX && !place->over; i++)
        pva_place_text(place, *part->hf);
}

/* Channels: the client's id of each, and if the part has a field for it, the name. */
static void
show_channels(struct pva_place *place, const struct part *part)
{
    uint32_t count = pva_place_number(place, hf_count, 2);
    for (uint32_t i = 0; i < count && !place->over; i++) {
        pva_place_number(place, pva_hf_cid, 4);
        if (part->hf)
            pva_place_text(place, *part->hf);
    }
}

static void
show_mask(struct pva_place *place, const struct part *part)
{
    static int *const bits[] = { &hf_reply, &hf_unicast, NULL };
    if (place->tree && pva_place_has(place, part->bytes))
        proto_tree_add_bitmask(place->tree, place->tvb, place->offset, *part->hf, ett_mask, bits, ENC_NA);
    pva_place_number(place, -1, part->bytes);
}

static void
show_status(struct pva_place *place, const struct part *part _U_)
{
    pva_place_status(place);
}

static void
show_value(struct pva_place *place, const struct part *part _U_)
{
    pva_value_show_typed(place);
}

/* A value that may be missing. */
static void
show_last_value(struct pva_place *place, const struct part *part _U_)
{
    if (!place->over && tvb_reported_length_remaining(place->tvb, place->offset) > 0)
        pva_value_show_typed(place);
}

static void
show_described(struct pva_place *place, const struct part *part _U_)
{
    if (pva_place_status(place) && !place->is_cut)
        pva_description_show(place);
}

/* As the specification has it; no known peer sends it. For each operation, or id 0 for the channel, sets of rights. */
static void
show_rights(struct pva_place *place, const struct part *part)
{
    enum { RIGHTS_MOST = 65535 }; /* the most rights that one message is shown to change */
    unsigned left = RIGHTS_MOST;
    uint32_t changes = pva_place_size(place);
    for (uint32_t i = 0; i < MIN(changes, RIGHTS_MOST) && changes != UINT32_MAX && !place->over; i++) {
        pva_place_number(place, pva_hf_ioid, 4);
        uint32_t sets = pva_place_size(place);
        for (uint32_t j = 0; j < sets && sets != UINT32_MAX && !place->over && left-- > 0; j++) {
            int at = place->offset;
            uint32_t bytes = pva_place_size(place);
            if (bytes == UINT32_MAX || !pva_place_has(place, bytes))
                return;
            place->offset += (int)bytes;
            if (place->tree)
                proto_tree_add_item(place->tree, *part->hf, place->tvb, at, place->offset - at, ENC_NA);
        }
    }
}

static void
show_rest(struct pva_place *place, const struct part *part)
{
    int left = tvb_captured_length_remaining(place->tvb, place->offset);
    if (place->tree && left > 0)
        proto_tree_add_item(place->tree, *part->hf, place->tvb, place->offset, left, ENC_NA);
}

#define CID                                                                                                            \
    {                                                                                                                  \
        show_number, &pva_hf_cid, 4                                                                                    \
    }
#define SID                                                                                                            \
    {                                                                                                                  \
        show_number, &pva_hf_sid, 4                                                                                    \
    }
#define IOID                                                                                                           \
    {                                                                                                                  \
        show_number, &pva_hf_ioid, 4                                                                                   \
    }
#define GUID                                                                                                           \
    {                                                                                                                  \
        show_number, &hf_guid, PVA_GUID_BYTES                                                                          \
    }
#define SEQUENCE                                                                                                       \
    {                                                                                                                  \
        show_number, &hf_sequence, 4                                                                                   \
    }
#define ADDRESS                                                                                                        \
    {                                                                                                                  \
        show_address, &hf_address, PVA_ADDRESS_BYTES                                                                   \
    }
#define PORT                                                                                                           \
    {                                                                                                                  \
        show_number, &hf_port, 2                                                                                       \
    }

/* What messages say that are not about an operation with a subcommand; without parts: their bytes alone are shown. */
static const struct message {
    struct part parts[9], of_server[4]; /* each up to one without show(); of_server: what servers say instead */
} messages[PVA_COMMANDS] = {
    [PVA_BEACON] = { { GUID,
                       { skip, NULL, 1 },
                       { show_number, &hf_beacon, 1 },
                       { show_number, &hf_change, 2 },
                       ADDRESS,
                       PORT,
                       { show_text, &hf_transport, 0 },
                       { show_value, NULL, 0 } } },
    [PVA_CONNECTION_VALIDATION] = { { { show_number, &hf_buffer, 4 },
                                      { show_number, &hf_registry, 2 },
                                      { show_number, &hf_qos, 2 },
                                      { show_text, &hf_authz, 0 },
                                      { show_last_value, NULL, 0 } },
                                    { { show_number, &hf_buffer, 4 },
                                      { show_number, &hf_registry, 2 },
                                      { show_texts, &hf_authz, 0 } } },
    [PVA_SEARCH] = { { SEQUENCE,
                       { show_mask, &hf_mask, 4 }, /* with three bytes that are reserved */
                       ADDRESS,
                       PORT,
                       { show_texts, &hf_transport, 0 },
                       { show_channels, &hf_name, 0 } } },
    [PVA_SEARCH_RESPONSE] = { { GUID,
                                SEQUENCE,
                                ADDRESS,
                                PORT,
                                { show_text, &hf_transport, 0 },
                                { show_number, &hf_found, 1 },
                                { show_channels, NULL, 0 } } },
    [PVA_AUTHNZ] = { { { show_value, NULL, 0 } } },
    [PVA_ACL_CHANGE] = { { CID, { show_rights, &hf_rights, 0 } } },
    [PVA_CREATE_CHANNEL] = { { { show_channels, &hf_name, 0 } }, { CID, SID, { show_status, NULL, 0 } } },
    [PVA_DESTROY_CHANNEL] = { { SID, CID } },
    [PVA_CONNECTION_VALIDATED] = { { { show_status, NULL, 0 } } },
    [PVA_DESTROY_REQUEST] = { { SID, IOID } },
    [PVA_GET_FIELD] = { { SID, IOID, { show_text, &hf_field, 0 } }, { IOID, { show_described, NULL, 0 } } },
    [PVA_MESSAGE] = { { IOID, { show_number, &hf_message_type, 1 }, { show_text, &hf_message, 0 } } },
    [PVA_CANCEL_REQUEST] = { { SID, IOID } },
    [PVA_ORIGIN_TAG] = { { ADDRESS } },
};

/* Messages about an operation: GET, PUT, MONITOR, RPC and the others, with a subcommand. */

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
show_partial(struct pva_place *place, uint32_t ioid, unsigned which)
{
    const struct pva_type *type = pva_types_of_operation(place->types, ioid, which);
    if (place->tree || (type && type->has_any))
        pva_value_show_partial(place, type);
}

static void
show_init_answer(struct pva_place *place, uint32_t ioid)
{
    if (place->command == PVA_RPC || place->command == PVA_PROCESS)
        return;
    pva_types_keep(place->types, ioid, 0, pva_description_show(place));
    if (place->command == PVA_PUT_GET && !place->over)
        pva_types_keep(place->types, ioid, 1, pva_description_show(place));
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
show_array_values(struct pva_place *place, uint32_t ioid)
{
    const struct pva_type *type = pva_types_of_operation(place->types, ioid, 0);
    if (place->over)
        return;
    if (!type && place->tree)
        pva_description_say_unknown(place, proto_tree_get_parent(place->tree));
    place->over = place->is_unknown = !type;
    pva_value_show(place, type);
}

/* As pvAccessCPP has it, the only peer that is known to: with a stride, which the specification lacks, and a request
 * for the length. */
static void
show_array_request(struct pva_place *place, uint8_t subcommand, uint32_t ioid)
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
        show_array_values(place, ioid);
    }
}

static void
show_array_answer(struct pva_place *place, uint8_t subcommand, uint32_t ioid)
{
    if (subcommand & PVA_SUB_GET)
        show_array_values(place, ioid);
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
show_request(struct pva_place *place)
{
    uint8_t subcommand = 0;
    pva_place_number(place, pva_hf_sid, 4);
    uint32_t ioid = pva_place_number(place, pva_hf_ioid, 4);
    show_subcommand(place, &subcommand);
    bool init = subcommand & PVA_SUB_INIT;
    if (place->is_cut || place->over)
        return;
    if (init || place->command == PVA_RPC)
        pva_value_show_typed(place);
    if (place->command == PVA_MONITOR && subcommand & PVA_SUB_PIPELINE)
        pva_place_show(place, hf_queue_free, 4);
    if (init)
        return;
    if (place->command == PVA_ARRAY)
        show_array_request(place, subcommand, ioid);
    else if (is_put(place->command, subcommand))
        show_partial(place, ioid, 0);
}

static void
show_values_of_answer(struct pva_place *place, uint8_t subcommand, uint32_t ioid)
{
    const bool is_of_put = (subcommand & (PVA_SUB_GET | PVA_SUB_PIPELINE)) == PVA_SUB_PIPELINE;
    switch (place->command) {
    case PVA_GET:
        show_partial(place, ioid, 0);
        break;
    case PVA_PUT:
        if (subcommand & PVA_SUB_GET)
            show_partial(place, ioid, 0);
        break;
    case PVA_PUT_GET:
        show_partial(place, ioid, is_of_put ? 0 : 1);
        break;
    case PVA_MONITOR:
        show_partial(place, ioid, 0);
        if (place->tree && !place->over)
            pva_value_show_overrun(place);
        break;
    case PVA_ARRAY:
        show_array_answer(place, subcommand, ioid);
        break;
    case PVA_RPC:
        pva_value_show_typed(place);
        break;
    default:
        break;
    }
}

static void
show_answer(struct pva_place *place)
{
    uint8_t subcommand = 0;
    uint32_t ioid = pva_place_number(place, pva_hf_ioid, 4);
    show_subcommand(place, &subcommand);
    bool is_update = place->command == PVA_MONITOR && !(subcommand & (PVA_SUB_INIT | PVA_SUB_DESTROY));
    if (!is_update && !pva_place_status(place))
        return;
    if (place->is_cut || place->over)
        return;
    if (subcommand & PVA_SUB_INIT)
        show_init_answer(place, ioid);
    else if (place->command != PVA_MONITOR || is_update || tvb_reported_length_remaining(place->tvb, place->offset) > 0)
        show_values_of_answer(place, subcommand, ioid);
}

static void
show(struct pva_place *place)
{
    static const struct message unknown = { { { show_rest, &hf_body, 0 } }, { { NULL, NULL, 0 } } };
    const struct message *message = place->command < PVA_COMMANDS ? &messages[place->command] : &unknown;
    if (pva_has_subcommand(place->command)) {
        if (place->from_client)
            show_request(place);
        else
            show_answer(place);
        return;
    }
    if (!message->parts[0].show)
        message = &unknown;
    const bool is_servers = !place->from_client && message->of_server[0].show;
    for (const struct part *part = is_servers ? message->of_server : message->parts; part->show; part++)
        part->show(place, part);
}

void
pva_body_show(struct pva_place *place)
{
    show(place);
    if (place->over && !place->is_unknown && place->tree && !place->is_cut)
        expert_add_info(place->pinfo, proto_tree_get_parent(place->tree), &ei_no_body);
}

void
pva_body_register(int proto)
{
    static hf_register_info hf[] = {
        PVA_FIELD(hf_guid, "GUID", "guid", FT_BYTES, BASE_NONE, NULL, 0, "Identifies the server from its start on"),
        PVA_FIELD(hf_beacon, "Beacon number", "bseq", FT_UINT8, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(hf_change, "Changes", "change", FT_UINT16, BASE_DEC, NULL, 0,
                  "Counts the changes of the server's list of channels"),
        PVA_FIELD(hf_buffer, "Buffer size", "qsize", FT_UINT32, BASE_DEC, NULL, 0,
                  "Size of the sender's receive buffer"),
        PVA_FIELD(hf_registry, "Registry size", "isize", FT_UINT16, BASE_DEC, NULL, 0,
                  "How many types the sender remembers"),
        PVA_FIELD(hf_qos, "Quality of service", "qos", FT_UINT16, BASE_HEX, NULL, 0, NULL),
        PVA_FIELD(hf_authz, "Authentication", "authz", FT_STRING, BASE_NONE, NULL, 0,
                  "Methods that the server offers, or the one that the client chose"),
        PVA_FIELD(hf_sequence, "Sequence", "seq", FT_UINT32, BASE_DEC, NULL, 0, "Number of the client's search"),
        PVA_FIELD(hf_address, "Address", "addr", FT_IPv6, BASE_NONE, NULL, 0,
                  "IPv4 in IPv6; all zero: the sender's address"),
        PVA_FIELD(hf_port, "Port", "port", FT_UINT16, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(hf_mask, "Search flags", "mask", FT_UINT8, BASE_HEX, NULL, 0, NULL),
        PVA_FIELD(hf_reply, "Reply", "reply", FT_UINT8, BASE_DEC, VALS(replies), 0x01, NULL),
        PVA_FIELD(hf_unicast, "Unicast", "ucast", FT_BOOLEAN, 8, NULL, 0x80, NULL),
        PVA_FIELD(hf_transport, "Transport", "proto", FT_STRING, BASE_NONE, NULL, 0, NULL),
        PVA_FIELD(hf_count, "Channels", "count", FT_UINT16, BASE_DEC, NULL, 0,
                  "How many channels the message is about"),
        PVA_FIELD(hf_name, "Name", "name", FT_STRING, BASE_NONE, NULL, 0, "Name of a channel, as the message has it"),
        PVA_FIELD(hf_found, "Found", "found", FT_BOOLEAN, BASE_NONE, NULL, 0, NULL),
        PVA_FIELD(hf_message_type, "Message type", "message.type", FT_UINT8, BASE_DEC, VALS(message_types), 0, NULL),
        PVA_FIELD(hf_message, "Message", "message", FT_STRING, BASE_NONE, NULL, 0,
                  "The server's message about an operation"),
        PVA_FIELD(hf_field, "Field", "field", FT_STRING, BASE_NONE, NULL, 0,
                  "The field whose type is asked for; empty for all"),
        PVA_FIELD(hf_rights, "Rights", "rights", FT_BYTES, BASE_NONE, NULL, 0,
                  "What ACL_CHANGE says of an operation or a channel: a set of bits, with its size before it"),
        PVA_FIELD(hf_body, "Body", "body", FT_BYTES, BASE_NONE, NULL, 0, NULL),
        PVA_FIELD(hf_subcommand, "Subcommand", "subcmd", FT_UINT8, BASE_HEX, NULL, 0, NULL),
        PVA_FIELD(hf_process, "Process, or start and stop", "process", FT_BOOLEAN, 8, NULL, PVA_SUB_CONTROL, NULL),
        PVA_FIELD(hf_init, "Init", "init", FT_BOOLEAN, 8, NULL, PVA_SUB_INIT, "The operation begins with this message"),
        PVA_FIELD(hf_destroy, "Destroy", "destroy", FT_BOOLEAN, 8, NULL, PVA_SUB_DESTROY,
                  "The operation ends with this message"),
        PVA_FIELD(hf_get, "Get, or start", "get", FT_BOOLEAN, 8, NULL, PVA_SUB_GET, NULL),
        PVA_FIELD(hf_pipeline, "GetPut, or pipeline", "getput", FT_BOOLEAN, 8, NULL, PVA_SUB_PIPELINE, NULL),
        PVA_FIELD(hf_queue_free, "Updates welcome", "queue_free", FT_UINT32, BASE_DEC, NULL, 0,
                  "How many more updates the client accepts from a MONITOR with pipeline"),
        PVA_FIELD(hf_array_offset, "Offset", "array.offset", FT_UINT32, BASE_DEC, NULL, 0, "Index in the array"),
        PVA_FIELD(hf_array_count, "Count", "array.count", FT_UINT32, BASE_DEC, NULL, 0,
                  "How many values are requested; 0: all up to the array's end"),
        PVA_FIELD(hf_array_stride, "Stride", "array.stride", FT_UINT32, BASE_DEC, NULL, 0,
                  "Distance from one value to the next"),
        PVA_FIELD(hf_array_length, "Length", "array.length", FT_UINT32, BASE_DEC, NULL, 0,
                  "Length of the array, in values"),
    };
    static int *ett[] = { &ett_mask, &ett_subcommand };
    static ei_register_info ei[] = {
        { &ei_no_body,
          { "pva.cut", PI_UNDECODED, PI_NOTE, "The rest of the message is missing or malformed", EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
    pva_place_register(proto);
    pva_value_register(proto);
}
