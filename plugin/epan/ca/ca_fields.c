/* ca_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_fields.h"

#include <epan/expert.h>

#include "ca_error.h"
#include "ca_mask.h"
#include "ca_strings.h"
#include "ca_value.h"

/* Where a header has what. */
enum {
    AT_COMMAND = 0,
    AT_SIZE = 2,
    AT_TYPE = 4,
    AT_COUNT = 6,
    AT_P1 = 8,
    AT_P2 = 12,
    AT_LONG_SIZE = 16,
    AT_LONG_COUNT = 20
};

static int hf_command = -1;
static int hf_sender = -1;
static int hf_size = -1;
static int hf_type = -1;
static int hf_count = -1;
static int hf_p1 = -1;
static int hf_p2 = -1;
static int hf_extended = -1;
static int hf_version = -1;
static int hf_priority = -1;
static int hf_sequence = -1;
static int hf_cid = -1;
static int hf_sid = -1;
static int hf_ioid = -1;
static int hf_subscription = -1;
static int hf_dbr_type = -1;
static int hf_reply = -1;
static int hf_server_address = -1;
static int hf_server_port = -1;
static int hf_client_address = -1;
static int hf_beacon = -1;
static int hf_text = -1;
static int hf_data = -1;

static expert_field ei_disconnected;
static expert_field ei_cut;
static expert_field ei_obsolete;
static expert_field ei_cid_mismatch;

static const value_string sender_names[] = {
    { CA_UNKNOWN_SENDER, "unknown" }, { CA_CLIENT, "client" }, { CA_SERVER, "server" }, { 0, NULL }
};
static const value_string reply_names[] = { { CA_DONT_REPLY, "only if found" },
                                            { CA_DO_REPLY, "in any case" },
                                            { 0, NULL } };
struct view {
    proto_tree *tree;
    tvbuff_t *tvb;
    packet_info *pinfo;
    const struct ca_message *message;
    unsigned values_most;
};

static proto_item *
show(const struct view *view, int hf, int offset, int bytes)
{
    return proto_tree_add_item(view->tree, hf, view->tvb, offset, bytes, ENC_BIG_ENDIAN);
}

static tvbuff_t *
payload_of(const struct view *view)
{
    return tvb_new_subset_remaining(view->tvb, view->message->header_bytes);
}

/* A text ends at its first NUL. */
static void
show_text(const struct view *view, int hf, tvbuff_t *tvb)
{
    int captured = (int)tvb_captured_length(tvb);
    if (captured > 0)
        proto_tree_add_item(view->tree, hf, tvb, 0,
                            (int)ca_text_length(tvb_get_ptr(tvb, 0, captured), (size_t)captured), ENC_ASCII);
}

static void
show_values(const struct view *view)
{
    show(view, hf_dbr_type, AT_TYPE, 2);
    if (view->message->size > 0)
        ca_value_show(view->tree, payload_of(view), view->pinfo, view->message->type, view->message->count,
                      view->values_most);
}

static void
show_version(const struct view *view, bool from_client, bool datagram)
{
    show(view, hf_version, AT_COUNT, 2);
    if (datagram || view->message->p1 != 0) {
        if (view->message->type & CA_SEQUENCE_VALID)
            show(view, hf_sequence, AT_P1, 4);
    } else if (from_client) {
        show(view, hf_priority, AT_TYPE, 2);
    }
}

static void
show_event(const struct view *view, bool from_client)
{
    show(view, hf_subscription, AT_P2, 4);
    if (from_client) {
        show(view, hf_sid, AT_P1, 4);
        show(view, hf_dbr_type, AT_TYPE, 2);
        ca_mask_show(view->tree, payload_of(view));
    } else if (view->message->size == 0) { /* it confirms EVENT_CANCEL */
        show(view, hf_sid, AT_P1, 4);
        show(view, hf_dbr_type, AT_TYPE, 2);
    } else {
        ca_error_show_status(view->tree, view->tvb, view->pinfo, AT_P1, view->message->p1);
        show_values(view);
    }
}

static void
show_operation(const struct view *view, bool from_client)
{
    show(view, hf_ioid, AT_P2, 4);
    if (from_client)
        show(view, hf_sid, AT_P1, 4);
    else if (view->message->command == CA_READ)
        show(view, hf_cid, AT_P1, 4);
    else
        ca_error_show_status(view->tree, view->tvb, view->pinfo, AT_P1, view->message->p1);
    show_values(view);
}

static void
show_search(const struct view *view)
{
    if (view->message->count != 0 || view->message->command == CA_NOT_FOUND) {
        proto_item *item = show(view, hf_cid, AT_P1, 4);
        show(view, hf_reply, AT_TYPE, 2);
        show(view, hf_version, AT_COUNT, 2);
        if (view->message->p1 != view->message->p2)
            expert_add_info(view->pinfo, item, &ei_cid_mismatch);
        return;
    }
    show(view, hf_cid, AT_P2, 4);
    show(view, hf_server_port, AT_TYPE, 2);
    if (view->message->p1 == CA_SENDER_ADDRESS && view->pinfo->src.type == AT_IPv4) {
        uint32_t address;
        memcpy(&address, view->pinfo->src.data, sizeof address);
        proto_item_set_generated(proto_tree_add_ipv4(view->tree, hf_server_address, view->tvb, AT_P1, 4, address));
    } else {
        show(view, hf_server_address, AT_P1, 4);
    }
    if (view->message->size > 0 && tvb_captured_length(payload_of(view)) >= 2)
        proto_tree_add_item(view->tree, hf_version, payload_of(view), 0, 2, ENC_BIG_ENDIAN);
}

static void
show_create(const struct view *view, bool from_client)
{
    show(view, hf_cid, AT_P1, 4);
    if (from_client) {
        show(view, hf_version, AT_P2, 4);
        return;
    }
    show(view, hf_sid, AT_P2, 4);
    show(view, hf_dbr_type, AT_TYPE, 2);
}

static void
show_beacon(const struct view *view)
{
    show(view, hf_version, AT_TYPE, 2);
    show(view, hf_server_port, AT_COUNT, 2);
    show(view, hf_beacon, AT_P1, 4);
    show(view, hf_server_address, AT_P2, 4);
}

static void
show_cancel(const struct view *view)
{
    show(view, hf_sid, AT_P1, 4);
    show(view, hf_subscription, AT_P2, 4);
    show(view, hf_dbr_type, AT_TYPE, 2);
}

static void
show_error(const struct view *view)
{
    show(view, hf_cid, AT_P1, 4);
    ca_error_show_status(view->tree, view->tvb, view->pinfo, AT_P2, view->message->p2);
    ca_error_show(view->tree, payload_of(view));
}

static void
show_meaning(const struct view *view, bool from_client, bool datagram)
{
    switch (view->message->command) {
    case CA_VERSION:
        show_version(view, from_client, datagram);
        break;
    case CA_EVENT_ADD:
        show_event(view, from_client);
        break;
    case CA_EVENT_CANCEL:
        show_cancel(view);
        break;
    case CA_READ:
    case CA_READ_NOTIFY:
    case CA_WRITE_NOTIFY:
        show_operation(view, from_client);
        break;
    case CA_SEARCH:
    case CA_NOT_FOUND:
        show_search(view);
        break;
    case CA_ERROR:
        show_error(view);
        break;
    case CA_CLEAR_CHANNEL:
    case CA_WRITE:
        show(view, hf_sid, AT_P1, 4);
        show(view, hf_cid, AT_P2, 4);
        if (view->message->command == CA_WRITE)
            show_values(view);
        break;
    case CA_RSRV_IS_UP:
        show_beacon(view);
        break;
    case CA_REPEATER_CONFIRM:
    case CA_REPEATER_REGISTER:
        show(view, hf_client_address, AT_P2, 4);
        break;
    case CA_CREATE_CHAN:
        show_create(view, from_client);
        break;
    case CA_CLIENT_NAME:
    case CA_HOST_NAME:
        show_text(view, hf_text, payload_of(view));
        break;
    case CA_ACCESS_RIGHTS:
    case CA_CREATE_CH_FAIL:
        show(view, hf_cid, AT_P1, 4);
        if (view->message->command == CA_ACCESS_RIGHTS)
            ca_mask_show_rights(view->tree, view->tvb, AT_P2);
        break;
    case CA_SERVER_DISCONN:
        expert_add_info(view->pinfo, show(view, hf_cid, AT_P1, 4), &ei_disconnected);
        break;
    case CA_EVENTS_OFF:
    case CA_EVENTS_ON:
    case CA_READ_SYNC:
    case CA_ECHO:
        break;
    default:
        expert_add_info(view->pinfo, NULL, &ei_obsolete);
    }
}

void
ca_fields_show(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct ca_message *message, bool from_client,
               bool datagram, unsigned values_most)
{
    const struct view view = { tree, tvb, pinfo, message, values_most };
    bool extended = message->header_bytes == CA_EXTENDED_HEADER_BYTES;
    show(&view, hf_command, AT_COMMAND, 2);
    proto_item_set_generated(proto_tree_add_uint(tree, hf_sender, tvb, 0, 0, from_client ? CA_CLIENT : CA_SERVER));
    proto_tree_add_uint(tree, hf_size, tvb, extended ? AT_LONG_SIZE : AT_SIZE, extended ? 4 : 2, message->size);
    show(&view, hf_type, AT_TYPE, 2);
    proto_tree_add_uint(tree, hf_count, tvb, extended ? AT_LONG_COUNT : AT_COUNT, extended ? 4 : 2, message->count);
    show(&view, hf_p1, AT_P1, 4);
    show(&view, hf_p2, AT_P2, 4);
    if (extended)
        proto_tree_add_boolean(tree, hf_extended, tvb, 0, CA_EXTENDED_HEADER_BYTES, true);
    show_meaning(&view, from_client, datagram);
    if (tvb_captured_length(tvb) < tvb_reported_length(tvb))
        expert_add_info(pinfo, proto_tree_get_parent(tree), &ei_cut);
}

void
ca_fields_show_skipped(proto_tree *tree, tvbuff_t *tvb)
{
    proto_tree_add_item(tree, hf_data, tvb, 0, tvb_captured_length(tvb), ENC_NA);
}

#define FIELD(id, name, abbreviation, type, base, strings, blurb)                                                      \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "ca." abbreviation, type, base, strings, 0, blurb, HFILL                                             \
        }                                                                                                              \
    }

void
ca_fields_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_command, "Command", "command", FT_UINT16, BASE_DEC, VALS(ca_command_strings), NULL),
        FIELD(hf_sender, "Sender", "sender", FT_UINT8, BASE_DEC, VALS(sender_names), "Client or server"),
        FIELD(hf_size, "Payload size", "size", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_type, "Data type", "type", FT_UINT16, BASE_DEC, NULL, "As in the header, whatever it means"),
        FIELD(hf_count, "Data count", "count", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_p1, "Parameter 1", "p1", FT_UINT32, BASE_HEX, NULL, NULL),
        FIELD(hf_p2, "Parameter 2", "p2", FT_UINT32, BASE_HEX, NULL, NULL),
        FIELD(hf_extended, "Extended header", "extended", FT_BOOLEAN, BASE_NONE, NULL, "Of 24 bytes"),
        FIELD(hf_version, "Minor version", "version", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_priority, "Priority", "priority", FT_UINT16, BASE_DEC, NULL, "Of the circuit, 0 to 99"),
        FIELD(hf_sequence, "Sequence", "sequence", FT_UINT32, BASE_DEC, NULL, "Of the client's searches"),
        FIELD(hf_cid, "Client channel ID", "cid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_sid, "Server channel ID", "sid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_ioid, "Operation ID", "ioid", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_subscription, "Subscription ID", "sub", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_dbr_type, "DBR type", "dtype", FT_UINT16, BASE_DEC, VALS(ca_dbr_strings), NULL),
        FIELD(hf_reply, "Reply", "doreply", FT_UINT16, BASE_DEC, VALS(reply_names), NULL),
        FIELD(hf_server_address, "Server address", "serv.ip", FT_IPv4, BASE_NONE, NULL, NULL),
        FIELD(hf_server_port, "Server port", "serv.port", FT_UINT16, BASE_DEC, NULL, NULL),
        FIELD(hf_client_address, "Client address", "client.ip", FT_IPv4, BASE_NONE, NULL, NULL),
        FIELD(hf_beacon, "Beacon number", "beacon", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_text, "Name", "str", FT_STRING, BASE_NONE, NULL, "Of the user or the host"),
        FIELD(hf_data, "Skipped", "skipped", FT_BYTES, BASE_NONE, NULL, "Bytes that are no message"),
    };
    static ei_register_info ei[] = {
        { &ei_disconnected,
          { "ca.disconnected", PI_SEQUENCE, PI_WARN, "The server has given up the channel", EXPFILL } },
        { &ei_cut, { "ca.cut", PI_UNDECODED, PI_NOTE, "The capture does not have the whole message", EXPFILL } },
        { &ei_obsolete, { "ca.obsolete", PI_PROTOCOL, PI_NOTE, "Obsolete command", EXPFILL } },
        { &ei_cid_mismatch, { "ca.cid.mismatch", PI_PROTOCOL, PI_WARN, "The two cids differ", EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
