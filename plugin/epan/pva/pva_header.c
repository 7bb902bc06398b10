/* pva_header.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_header.h"

#include <epan/expert.h>
#include <epan/tfs.h>

#include "../../core/pva/pva_names.h"
#include "../../core/pva/pva_operation.h"
#include "../../core/pva/pva_search.h"
#include "../intake/intake.h"
#include "pva_body.h"
#include "pva_parts.h"
#include "pva_type.h"

/* Where a header has what. */
enum { AT_MAGIC, AT_VERSION, AT_FLAGS, AT_COMMAND, AT_SIZE };

/* Fields of one message, in descriptions and in values: more are not shown. */
enum { FIELDS_MOST = 20000 };

static int hf_magic, hf_version, hf_flags, hf_direction, hf_endian, hf_control, hf_segmented, hf_command, hf_size;
static int hf_control_command, hf_control_data, hf_data, hf_skipped;

static int ett_flags = -1;

static expert_field ei_cut, ei_parts, ei_restarted;

static value_string commands[PVA_COMMANDS + 1];
static value_string control_commands[PVA_CONTROL_END - PVA_CONTROL + 1];

static const value_string parts[] = {
    { CA_WHOLE, "whole" },
    { CA_FIRST_PART, "first part" },
    { CA_LAST_PART, "last part" },
    { CA_MIDDLE_PART, "a part in the middle" },
    { 0, NULL },
};
static const true_false_string directions = { "server", "client" };
static const true_false_string orders = { "big endian", "little endian" };
static const true_false_string kinds = { "control", "application" };

const char *
pva_header_label(const struct ca_reader *reader, const struct ca_message *message, const uint8_t *bytes,
                 size_t available)
{
    struct pva_operation operation;
    size_t there = available > PVA_HEADER_BYTES ? available - PVA_HEADER_BYTES : 0;
    struct pva_cursor cursor =
        pva_cursor_of(there ? bytes + PVA_HEADER_BYTES : NULL, there, pva_is_big_endian(message));
    bool is_operation = (message->part == CA_WHOLE || message->part == CA_FIRST_PART) &&
                        pva_operation_read(message->command, &cursor, reader->from_client, &operation);
    const char *name = is_operation ? pva_request_name(operation.request) : NULL;
    return name ? name : pva_command_name(message->command);
}

/* Reads what the message says behind its header, and shows it if there is a tree. */
static void
read_body(const struct ca_reader *reader, proto_tree *tree, tvbuff_t *tvb, const struct ca_message *message,
          struct pva_types *types)
{
    struct pva_place place = {
        .tree = tree,
        .tvb = tvb,
        .pinfo = reader->pinfo,
        .offset = PVA_HEADER_BYTES,
        .encoding = pva_is_big_endian(message) ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN,
        .command = message->command,
        .from_client = reader->from_client,
        .is_cut = message->part == CA_FIRST_PART,
        .types = types,
        .values_most = ca_dissector_values(reader->dissector),
        .fields_left = FIELDS_MOST,
    };
    pva_body_show(&place);
}

/* Whether it is all there: as it is, or with the parts before it. */
static tvbuff_t *
whole_of(const struct ca_reader *reader, tvbuff_t *tvb, const struct ca_message *message)
{
    if (message->part == CA_WHOLE)
        return tvb;
    if (message->part != CA_LAST_PART || !reader->circuit)
        return NULL;
    return pva_parts_whole(reader->circuit, reader->from_client, reader->start, tvb);
}

/* Types that it describes are taken on its first visit, whether it is shown or not. */
void
pva_header_look(struct ca_reader *reader, tvbuff_t *tvb, const struct ca_message *message)
{
    bool kept = items_are_kept(intake_analysis()->items), first = intake_is_first_visit(reader->pinfo);
    struct pva_types *types = wmem_new(reader->pinfo->pool, struct pva_types);
    if (message->part != CA_WHOLE && first)
        pva_parts_add(reader->circuit, reader->from_client, reader->start, message->part, tvb, kept);
    tvbuff_t *whole = message->command < PVA_COMMANDS ? whole_of(reader, tvb, message) : NULL;
    reader->looked = NULL;
    if (!whole)
        return;
    *types =
        pva_types_of(reader->circuit->number, reader->from_client, (uint64_t)reader->start, first, kept, reader->pinfo);
    if (first) {
        read_body(reader, NULL, whole, message, types);
        types->first = false;
    }
    reader->looked = types;
}

static void
show_header(proto_tree *tree, tvbuff_t *tvb, const struct ca_message *message)
{
    static int *const bits[] = { &hf_control, &hf_segmented, &hf_direction, &hf_endian, NULL };
    unsigned encoding = pva_is_big_endian(message) ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN;
    bool control = message->command >= PVA_CONTROL;
    proto_tree_add_item(tree, hf_magic, tvb, AT_MAGIC, 1, ENC_NA);
    proto_tree_add_item(tree, hf_version, tvb, AT_VERSION, 1, ENC_NA);
    proto_tree_add_bitmask_with_flags(tree, tvb, AT_FLAGS, hf_flags, ett_flags, bits, ENC_NA, BMT_NO_APPEND);
    proto_tree_add_item(tree, control ? hf_control_command : hf_command, tvb, AT_COMMAND, 1, ENC_NA);
    proto_tree_add_item(tree, control ? hf_control_data : hf_size, tvb, AT_SIZE, 4, encoding);
}

/* A datagram's types are its own. */
static struct pva_types *
types_of_datagram(const struct ca_reader *reader)
{
    struct pva_types *types = wmem_new(reader->pinfo->pool, struct pva_types);
    *types = pva_types_of(0, reader->from_client, 0, true, false, reader->pinfo);
    return types;
}

void
pva_header_show(struct ca_reader *reader, proto_tree *tree, tvbuff_t *tvb, const struct ca_message *message)
{
    struct pva_types *types = reader->circuit ? reader->looked : types_of_datagram(reader);
    tvbuff_t *whole = whole_of(reader, tvb, message);
    show_header(tree, tvb, message);
    if (message->command >= PVA_CONTROL)
        return;
    if (message->part == CA_LAST_PART && whole)
        add_new_data_source(reader->pinfo, whole, "Message of pvAccess in several parts");
    if (message->part != CA_WHOLE && message->size > 0)
        proto_tree_add_item(tree, hf_data, tvb, PVA_HEADER_BYTES, tvb_captured_length_remaining(tvb, PVA_HEADER_BYTES),
                            ENC_NA);
    if (message->part == CA_FIRST_PART) {
        types = types_of_datagram(reader);
        whole = tvb;
    }
    if (whole && types) {
        read_body(reader, tree, whole, message, types);
    } else if (message->part == CA_LAST_PART) {
        expert_add_info(reader->pinfo, proto_tree_get_parent(tree), &ei_parts);
    }
    bool has_guid = message->command == PVA_BEACON || message->command == PVA_SEARCH_RESPONSE;
    if (has_guid && reader->is_datagram && pva_datagram_shows_restart(intake_analysis()->channels, reader->pinfo->num))
        expert_add_info(reader->pinfo, proto_tree_get_parent(tree), &ei_restarted);
    if (tvb_captured_length(tvb) < tvb_reported_length(tvb))
        expert_add_info(reader->pinfo, proto_tree_get_parent(tree), &ei_cut);
}

void
pva_header_show_skipped(proto_tree *tree, tvbuff_t *tvb)
{
    proto_tree_add_item(tree, hf_skipped, tvb, 0, (int)tvb_captured_length(tvb), ENC_NA);
}

static void
fill_names(void)
{
    for (unsigned i = 0; i < PVA_COMMANDS; i++)
        commands[i] = (value_string){ i, pva_command_name(i) };
    for (unsigned i = 0; i < PVA_CONTROL_END - PVA_CONTROL; i++)
        control_commands[i] = (value_string){ i, pva_command_name(PVA_CONTROL + i) };
}

void
pva_header_register(int proto)
{
    static hf_register_info hf[] = {
        PVA_FIELD(hf_magic, "Magic", "magic", FT_UINT8, BASE_HEX, NULL, 0, NULL),
        PVA_FIELD(hf_version, "Version", "version", FT_UINT8, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(hf_flags, "Flags", "flags", FT_UINT8, BASE_HEX, NULL, 0, NULL),
        PVA_FIELD(hf_direction, "Sender", "direction", FT_BOOLEAN, 8, TFS(&directions), PVA_FLAG_SERVER, NULL),
        PVA_FIELD(hf_endian, "Byte order", "endian", FT_BOOLEAN, 8, TFS(&orders), PVA_FLAG_BIG_ENDIAN, NULL),
        PVA_FIELD(hf_control, "Kind", "msg_type", FT_BOOLEAN, 8, TFS(&kinds), PVA_FLAG_CONTROL, NULL),
        PVA_FIELD(hf_segmented, "Part", "segmented", FT_UINT8, BASE_DEC, VALS(parts), 0x30, NULL),
        PVA_FIELD(hf_command, "Command", "command", FT_UINT8, BASE_DEC, VALS(commands), 0, NULL),
        PVA_FIELD(hf_control_command, "Control command", "ctrlcommand", FT_UINT8, BASE_DEC, VALS(control_commands), 0,
                  NULL),
        PVA_FIELD(hf_control_data, "Control data", "ctrldata", FT_UINT32, BASE_HEX, NULL, 0, NULL),
        PVA_FIELD(hf_size, "Payload size", "size", FT_UINT32, BASE_DEC, NULL, 0, NULL),
        PVA_FIELD(hf_data, "Data", "pvd", FT_BYTES, BASE_NONE, NULL, 0, "A part of a message that was sent in several"),
        PVA_FIELD(hf_skipped, "Skipped", "skipped", FT_BYTES, BASE_NONE, NULL, 0, "Bytes that belong to no message"),
    };
    static int *ett[] = { &ett_flags };
    static ei_register_info ei[] = {
        { &ei_cut, { "pva.truncated", PI_UNDECODED, PI_NOTE, "The message is not complete in the capture", EXPFILL } },
        { &ei_restarted,
          { "pva.restarted", PI_SEQUENCE, PI_NOTE, "This server was restarted: its GUID has changed", EXPFILL } },
        { &ei_parts,
          { "pva.parts", PI_UNDECODED, PI_NOTE,
            "Parts of this message are missing in the capture, or they are more "
            "than are kept",
            EXPFILL } },
    };
    fill_names();
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
    pva_body_register(proto);
}
