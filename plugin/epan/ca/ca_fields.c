/* ca_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_fields.h"

#include <epan/expert.h>

#include "../../core/ca/ca_dbr.h"
#include "../../core/ca/ca_names.h"
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

/* The fields of a message's header, with the names of the protocol. */
static int hf_command, hf_sender, hf_size, hf_type, hf_count, hf_p1, hf_p2, hf_extended;
/* What commands mean by it. */
static int hf_version, hf_priority, hf_sequence, hf_cid, hf_sid, hf_ioid, hf_subscription, hf_dbr_type, hf_reply;
static int hf_server_address, hf_server_port, hf_client_address, hf_beacon;
static int hf_status, hf_rights, hf_rights_read, hf_rights_write;
/* The fields of a message's payload. */
static int hf_text, hf_data;
static int hf_low, hf_high, hf_to, hf_mask, hf_mask_value, hf_mask_log, hf_mask_alarm, hf_mask_property;
static int hf_error, hf_failed_command, hf_failed_size, hf_failed_type, hf_failed_count, hf_failed_p1, hf_failed_p2;

static int ett_rights = -1, ett_mask = -1, ett_failed = -1;

static expert_field ei_disconnected, ei_cut, ei_obsolete, ei_cid_mismatch, ei_status;

/* The core's, as Wireshark's fields want them. */
static value_string command_names[CA_COMMANDS + 1], dbr_names[CA_DBR_TYPES + 1];

static const value_string sender_names[] = {
    { CA_UNKNOWN_SENDER, "unknown" }, { CA_CLIENT, "client" }, { CA_SERVER, "server" }, { 0, NULL }
};
static const value_string reply_names[] = { { CA_DONT_REPLY, "only if found" },
                                            { CA_DO_REPLY, "in any case" },
                                            { 0, NULL } };
static const value_string rights_names[] = {
    { 0, "none" }, { 1, "read" }, { 2, "write" }, { 3, "read and write" }, { 0, NULL }
};

struct view {
    const struct ca_reader *reader;
    proto_tree *tree;
    tvbuff_t *tvb, *payload;
    const struct ca_message *message;
};

static void
show_status(const struct view *view, int offset)
{
    enum { ECA_NORMAL = 1 };
    const uint32_t status = tvb_get_ntohl(view->tvb, offset);
    const char *name = ca_status_name(status) ? ca_status_name(status) : "unknown";
    proto_item *item = proto_tree_add_uint_format_value(view->tree, hf_status, view->tvb, offset, 4, status,
                                                        "%s (0x%x)", name, status);
    if (status != ECA_NORMAL)
        expert_add_info_format(view->reader->pinfo, item, &ei_status, "Status %s", name);
}

/* Shows what the header has at that place. */
static proto_item *
show(const struct view *view, int hf, int offset)
{
    return proto_tree_add_item(view->tree, hf, view->tvb, offset, offset < AT_P1 ? 2 : 4, ENC_BIG_ENDIAN);
}

/* A text ends at its first NUL. */
static void
show_text_of(const struct view *view, int hf, tvbuff_t *tvb)
{
    int captured = (int)tvb_captured_length(tvb);
    if (captured > 0)
        proto_tree_add_item(view->tree, hf, tvb, 0,
                            (int)ca_text_length(tvb_get_ptr(tvb, 0, captured), (size_t)captured), ENC_ASCII);
}

static void
show_text(const struct view *view)
{
    show_text_of(view, hf_text, view->payload);
}

static void
show_values(const struct view *view)
{
    show(view, hf_dbr_type, AT_TYPE);
    if (view->message->size > 0)
        ca_value_show(view->tree, view->payload, view->reader->pinfo, view->message->type, view->message->count,
                      ca_dissector_values(view->reader->dissector));
}

static void
show_version(const struct view *view)
{
    if (view->reader->is_datagram || view->message->p1 != 0) {
        if (view->message->type & CA_SEQUENCE_VALID)
            show(view, hf_sequence, AT_P1);
    } else if (view->reader->from_client) {
        show(view, hf_priority, AT_TYPE);
    }
}

/* The events that a subscription is for. */
static void
show_mask(const struct view *view)
{
    static int *const bits[] = { &hf_mask_value, &hf_mask_log, &hf_mask_alarm, &hf_mask_property, NULL };
    enum { MONITOR_BYTES = 16, AT_MASK = 12 };
    if (tvb_captured_length(view->payload) < MONITOR_BYTES)
        return;
    proto_tree_add_item(view->tree, hf_low, view->payload, 0, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(view->tree, hf_high, view->payload, 4, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(view->tree, hf_to, view->payload, 8, 4, ENC_BIG_ENDIAN);
    proto_tree_add_bitmask(view->tree, view->payload, AT_MASK, hf_mask, ett_mask, bits, ENC_BIG_ENDIAN);
}

/* A server's without a payload confirms EVENT_CANCEL. */
static void
show_event(const struct view *view)
{
    if (view->reader->from_client || view->message->size == 0) {
        show(view, hf_sid, AT_P1);
        show(view, hf_dbr_type, AT_TYPE);
        show_mask(view);
    } else {
        show_status(view, AT_P1);
        show_values(view);
    }
}

static void
show_search(const struct view *view)
{
    if (view->message->count != 0 || view->message->command == CA_NOT_FOUND) {
        proto_item *item = show(view, hf_cid, AT_P1);
        show(view, hf_reply, AT_TYPE);
        show(view, hf_version, AT_COUNT);
        if (view->message->p1 != view->message->p2)
            expert_add_info(view->reader->pinfo, item, &ei_cid_mismatch);
        return;
    }
    show(view, hf_cid, AT_P2);
    show(view, hf_server_port, AT_TYPE);
    if (view->message->p1 == CA_SENDER_ADDRESS && view->reader->pinfo->src.type == AT_IPv4) {
        uint32_t sender;
        memcpy(&sender, view->reader->pinfo->src.data, sizeof sender);
        proto_item_set_generated(proto_tree_add_ipv4(view->tree, hf_server_address, view->tvb, AT_P1, 4, sender));
    } else {
        show(view, hf_server_address, AT_P1);
    }
    if (view->message->size > 0 && tvb_captured_length(view->payload) >= 2)
        proto_tree_add_item(view->tree, hf_version, view->payload, 0, 2, ENC_BIG_ENDIAN);
}

/* Shows what stands elsewhere in a header of the long form, and the type between them. */
static void
show_size_and_count(proto_tree *tree, int size, int type, int count, tvbuff_t *header, const struct ca_message *message)
{
    const bool is_long = message->header_bytes == CA_EXTENDED_HEADER_BYTES;
    const int bytes = is_long ? 4 : 2;
    proto_tree_add_uint(tree, size, header, is_long ? AT_LONG_SIZE : AT_SIZE, bytes, message->size);
    proto_tree_add_item(tree, type, header, AT_TYPE, 2, ENC_BIG_ENDIAN);
    proto_tree_add_uint(tree, count, header, is_long ? AT_LONG_COUNT : AT_COUNT, bytes, message->count);
}

/* What an ERROR quotes and says: the failed request's header, in either form, and a text. */
static void
show_failed(const struct view *view)
{
    struct ca_message failed;
    tvbuff_t *payload = view->payload;
    int captured = (int)tvb_captured_length(payload);
    const uint8_t *bytes = captured > 0 ? tvb_get_ptr(payload, 0, captured) : NULL;
    if (ca_message_read(bytes, (size_t)captured, &failed) == CA_CUT)
        return;
    proto_tree *tree =
        proto_tree_add_subtree(view->tree, payload, 0, failed.header_bytes, ett_failed, NULL, "Failed request");
    proto_tree_add_item(tree, hf_failed_command, payload, AT_COMMAND, 2, ENC_BIG_ENDIAN);
    show_size_and_count(tree, hf_failed_size, hf_failed_type, hf_failed_count, payload, &failed);
    proto_tree_add_item(tree, hf_failed_p1, payload, AT_P1, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, hf_failed_p2, payload, AT_P2, 4, ENC_BIG_ENDIAN);
    show_text_of(view, hf_error, tvb_new_subset_remaining(payload, failed.header_bytes));
}

static void
show_rights(const struct view *view)
{
    static int *const bits[] = { &hf_rights_read, &hf_rights_write, NULL };
    proto_tree_add_bitmask(view->tree, view->tvb, AT_P2, hf_rights, ett_rights, bits, ENC_BIG_ENDIAN);
}

static void
show_disconnected(const struct view *view)
{
    expert_add_info(view->reader->pinfo, show(view, hf_cid, AT_P1), &ei_disconnected);
}

static void
show_obsolete(const struct view *view)
{
    expert_add_info(view->reader->pinfo, NULL, &ei_obsolete);
}

/* What a command means by a part of the header. */
struct part {
    const int *hf; /* &hf_status: shown as a status */
    int at;
};

/* What each command says, behind the header as it is. */
static const struct meaning {
    struct part parts[5], of_server[4];         /* each up to one without hf; of_server: what servers say instead */
    void (*show_more)(const struct view *view); /* NULL for nothing */
} meanings[CA_COMMANDS] = {
    [CA_VERSION] = { { { &hf_version, AT_COUNT } }, .show_more = show_version },
    [CA_EVENT_ADD] = { { { &hf_subscription, AT_P2 } }, .show_more = show_event },
    [CA_EVENT_CANCEL] = { { { &hf_sid, AT_P1 }, { &hf_subscription, AT_P2 }, { &hf_dbr_type, AT_TYPE } } },
    [CA_READ] = { { { &hf_ioid, AT_P2 }, { &hf_sid, AT_P1 } },
                  { { &hf_ioid, AT_P2 }, { &hf_cid, AT_P1 } },
                  show_values },
    [CA_READ_NOTIFY] = { { { &hf_ioid, AT_P2 }, { &hf_sid, AT_P1 } },
                         { { &hf_ioid, AT_P2 }, { &hf_status, AT_P1 } },
                         show_values },
    [CA_WRITE_NOTIFY] = { { { &hf_ioid, AT_P2 }, { &hf_sid, AT_P1 } },
                          { { &hf_ioid, AT_P2 }, { &hf_status, AT_P1 } },
                          show_values },
    [CA_WRITE] = { { { &hf_sid, AT_P1 }, { &hf_cid, AT_P2 } }, .show_more = show_values },
    [CA_SNAPSHOT] = { .show_more = show_obsolete },
    [CA_SEARCH] = { .show_more = show_search },
    [CA_NOT_FOUND] = { .show_more = show_search },
    [CA_BUILD] = { .show_more = show_obsolete },
    [CA_ERROR] = { { { &hf_cid, AT_P1 }, { &hf_status, AT_P2 } }, .show_more = show_failed },
    [CA_CLEAR_CHANNEL] = { { { &hf_sid, AT_P1 }, { &hf_cid, AT_P2 } } },
    [CA_RSRV_IS_UP] = { { { &hf_version, AT_TYPE },
                          { &hf_server_port, AT_COUNT },
                          { &hf_beacon, AT_P1 },
                          { &hf_server_address, AT_P2 } } },
    [CA_READ_BUILD] = { .show_more = show_obsolete },
    [CA_REPEATER_CONFIRM] = { { { &hf_client_address, AT_P2 } } },
    [CA_REPEATER_REGISTER] = { { { &hf_client_address, AT_P2 } } },
    [CA_CREATE_CHAN] = { { { &hf_cid, AT_P1 }, { &hf_version, AT_P2 } },
                         { { &hf_cid, AT_P1 }, { &hf_sid, AT_P2 }, { &hf_dbr_type, AT_TYPE } } },
    [CA_CLIENT_NAME] = { .show_more = show_text },
    [CA_HOST_NAME] = { .show_more = show_text },
    [CA_ACCESS_RIGHTS] = { { { &hf_cid, AT_P1 } }, .show_more = show_rights },
    [CA_SIGNAL] = { .show_more = show_obsolete },
    [CA_CREATE_CH_FAIL] = { { { &hf_cid, AT_P1 } } },
    [CA_SERVER_DISCONN] = { .show_more = show_disconnected },
};

static void
show_meaning(const struct view *view)
{
    const struct meaning obsolete = { .show_more = show_obsolete };
    const struct meaning *meaning =
        view->message->command < CA_COMMANDS ? &meanings[view->message->command] : &obsolete;
    const bool is_servers = !view->reader->from_client && meaning->of_server[0].hf;
    for (const struct part *part = is_servers ? meaning->of_server : meaning->parts; part->hf; part++) {
        if (part->hf == &hf_status)
            show_status(view, part->at);
        else
            show(view, *part->hf, part->at);
    }
    if (meaning->show_more)
        meaning->show_more(view);
}

void
ca_fields_show(struct ca_reader *reader, proto_tree *tree, tvbuff_t *tvb, const struct ca_message *message)
{
    const struct view view = { reader, tree, tvb, tvb_new_subset_remaining(tvb, message->header_bytes), message };
    show(&view, hf_command, AT_COMMAND);
    proto_item_set_generated(
        proto_tree_add_uint(tree, hf_sender, tvb, 0, 0, reader->from_client ? CA_CLIENT : CA_SERVER));
    show_size_and_count(tree, hf_size, hf_type, hf_count, tvb, message);
    show(&view, hf_p1, AT_P1);
    show(&view, hf_p2, AT_P2);
    if (message->header_bytes == CA_EXTENDED_HEADER_BYTES)
        proto_tree_add_boolean(tree, hf_extended, tvb, 0, CA_EXTENDED_HEADER_BYTES, true);
    show_meaning(&view);
    if (tvb_captured_length(tvb) < tvb_reported_length(tvb))
        expert_add_info(reader->pinfo, proto_tree_get_parent(tree), &ei_cut);
}

void
ca_fields_show_skipped(proto_tree *tree, tvbuff_t *tvb)
{
    proto_tree_add_item(tree, hf_data, tvb, 0, tvb_captured_length(tvb), ENC_NA);
}

static void
fill_names(void)
{
    for (unsigned i = 0; i < CA_COMMANDS; i++)
        command_names[i] = (value_string){ i, ca_command_name(i) };
    for (unsigned i = 0; i < CA_DBR_TYPES; i++)
        dbr_names[i] = (value_string){ i, ca_dbr_name(i) };
}

void
ca_fields_register(int proto)
{
    static hf_register_info hf[] = {
        CA_FIELD(hf_command, "Command", "command", FT_UINT16, BASE_DEC, VALS(command_names), 0, NULL),
        CA_FIELD(hf_sender, "Sender", "sender", FT_UINT8, BASE_DEC, VALS(sender_names), 0, "Client or server"),
        CA_FIELD(hf_size, "Payload size", "size", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_type, "Data type", "type", FT_UINT16, BASE_DEC, NULL, 0, "As the header has it"),
        CA_FIELD(hf_count, "Data count", "count", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_p1, "Parameter 1", "p1", FT_UINT32, BASE_HEX, NULL, 0, NULL),
        CA_FIELD(hf_p2, "Parameter 2", "p2", FT_UINT32, BASE_HEX, NULL, 0, NULL),
        CA_FIELD(hf_extended, "Extended header", "extended", FT_BOOLEAN, BASE_NONE, NULL, 0, "The header has 24 bytes"),
        CA_FIELD(hf_version, "Minor version", "version", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_priority, "Priority", "priority", FT_UINT16, BASE_DEC, NULL, 0, "Of the circuit: 0 to 99"),
        CA_FIELD(hf_sequence, "Sequence", "sequence", FT_UINT32, BASE_DEC, NULL, 0, "Number of the client's search"),
        CA_FIELD(hf_cid, "Client channel ID", "cid", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_sid, "Server channel ID", "sid", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_ioid, "Operation ID", "ioid", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_subscription, "Subscription ID", "sub", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_dbr_type, "DBR type", "dtype", FT_UINT16, BASE_DEC, VALS(dbr_names), 0, NULL),
        CA_FIELD(hf_reply, "Reply", "doreply", FT_UINT16, BASE_DEC, VALS(reply_names), 0, NULL),
        CA_FIELD(hf_server_address, "Server address", "serv.ip", FT_IPv4, BASE_NONE, NULL, 0, NULL),
        CA_FIELD(hf_server_port, "Server port", "serv.port", FT_UINT16, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_client_address, "Client address", "client.ip", FT_IPv4, BASE_NONE, NULL, 0, NULL),
        CA_FIELD(hf_beacon, "Beacon number", "beacon", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_text, "Name", "str", FT_STRING, BASE_NONE, NULL, 0, "Name of the user or of the host"),
        CA_FIELD(hf_data, "Skipped", "skipped", FT_BYTES, BASE_NONE, NULL, 0, "Bytes that belong to no message"),
        CA_FIELD(hf_status, "Status", "eca", FT_UINT32, BASE_HEX, NULL, 0, NULL),
        CA_FIELD(hf_error, "Error", "error", FT_STRING, BASE_NONE, NULL, 0, NULL),
        CA_FIELD(hf_failed_command, "Command", "failed.command", FT_UINT16, BASE_DEC, VALS(command_names), 0,
                 "Of the failed request"),
        CA_FIELD(hf_failed_size, "Payload size", "failed.size", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_failed_type, "Data type", "failed.type", FT_UINT16, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_failed_count, "Data count", "failed.count", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_failed_p1, "Parameter 1", "failed.p1", FT_UINT32, BASE_HEX, NULL, 0, NULL),
        CA_FIELD(hf_failed_p2, "Parameter 2", "failed.p2", FT_UINT32, BASE_HEX, NULL, 0, NULL),
        CA_FIELD(hf_rights, "Access rights", "rights", FT_UINT32, BASE_HEX, VALS(rights_names), 0, NULL),
        CA_FIELD(hf_rights_read, "Read", "rights.read", FT_BOOLEAN, 32, NULL, CA_RIGHT_READ, NULL),
        CA_FIELD(hf_rights_write, "Write", "rights.write", FT_BOOLEAN, 32, NULL, CA_RIGHT_WRITE, NULL),
        CA_FIELD(hf_low, "Low", "mask.low", FT_FLOAT, BASE_NONE, NULL, 0, "Not used by EPICS"),
        CA_FIELD(hf_high, "High", "mask.high", FT_FLOAT, BASE_NONE, NULL, 0, "Not used by EPICS"),
        CA_FIELD(hf_to, "To", "mask.to", FT_FLOAT, BASE_NONE, NULL, 0, "Not used by EPICS"),
        CA_FIELD(hf_mask, "Event mask", "mask", FT_UINT16, BASE_HEX, NULL, 0, NULL),
        CA_FIELD(hf_mask_value, "Value", "mask.val", FT_BOOLEAN, 16, NULL, 0x1, "DBE_VALUE"),
        CA_FIELD(hf_mask_log, "Log", "mask.log", FT_BOOLEAN, 16, NULL, 0x2, "DBE_LOG"),
        CA_FIELD(hf_mask_alarm, "Alarm", "mask.alarm", FT_BOOLEAN, 16, NULL, 0x4, "DBE_ALARM"),
        CA_FIELD(hf_mask_property, "Property", "mask.prop", FT_BOOLEAN, 16, NULL, 0x8, "DBE_PROPERTY"),
    };
    static int *ett[] = { &ett_rights, &ett_mask, &ett_failed };
    static ei_register_info ei[] = {
        { &ei_disconnected,
          { "ca.disconnected", PI_SEQUENCE, PI_WARN, "The server has given up the channel", EXPFILL } },
        { &ei_cut, { "ca.cut", PI_UNDECODED, PI_NOTE, "The message is not complete in the capture", EXPFILL } },
        { &ei_obsolete, { "ca.obsolete", PI_PROTOCOL, PI_NOTE, "Obsolete command", EXPFILL } },
        { &ei_cid_mismatch, { "ca.cid.mismatch", PI_PROTOCOL, PI_WARN, "The two client channel IDs differ", EXPFILL } },
        { &ei_status, { "ca.eca.not_normal", PI_RESPONSE_CODE, PI_WARN, "Status other than ECA_NORMAL", EXPFILL } },
    };
    fill_names();
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
    ca_value_register(proto);
}
