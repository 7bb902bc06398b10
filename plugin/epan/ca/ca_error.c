/* ca_error.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_error.h"

#include <epan/expert.h>

#include "../../core/ca/ca_message.h"
#include "../../core/ca/ca_names.h"
#include "ca_strings.h"

static int hf_status = -1;
static int hf_error = -1;
static int hf_command = -1;
static int hf_size = -1;
static int hf_type = -1;
static int hf_count = -1;
static int hf_p1 = -1;
static int hf_p2 = -1;
static int ett_failed = -1;
static expert_field ei_status;

void
ca_error_show_status(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, int offset, uint32_t status)
{
    enum { ECA_NORMAL = 1 };
    const char *name = ca_status_name(status);
    proto_item *item = proto_tree_add_uint_format_value(tree, hf_status, tvb, offset, 4, status, "%s (0x%x)",
                                                        name ? name : "unknown", status);
    if (status != ECA_NORMAL)
        expert_add_info_format(pinfo, item, &ei_status, "Status %s", name ? name : "unknown");
}

static void
show_failed(proto_tree *tree, tvbuff_t *payload, const struct ca_message *failed)
{
    bool extended = failed->header_bytes == CA_EXTENDED_HEADER_BYTES;
    proto_tree_add_item(tree, hf_command, payload, 0, 2, ENC_BIG_ENDIAN);
    proto_tree_add_uint(tree, hf_size, payload, extended ? 16 : 2, extended ? 4 : 2, failed->size);
    proto_tree_add_item(tree, hf_type, payload, 4, 2, ENC_BIG_ENDIAN);
    proto_tree_add_uint(tree, hf_count, payload, extended ? 20 : 6, extended ? 4 : 2, failed->count);
    proto_tree_add_item(tree, hf_p1, payload, 8, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, hf_p2, payload, 12, 4, ENC_BIG_ENDIAN);
}

/* The failed request's header, in either form, and a text. */
void
ca_error_show(proto_tree *tree, tvbuff_t *payload)
{
    struct ca_message failed;
    int captured = (int)tvb_captured_length(payload);
    const uint8_t *bytes = captured > 0 ? tvb_get_ptr(payload, 0, captured) : NULL;
    if (ca_message_read(bytes, (size_t)captured, &failed) == CA_CUT)
        return;
    int text = failed.header_bytes;
    show_failed(proto_tree_add_subtree(tree, payload, 0, text, ett_failed, NULL, "Failed request"), payload, &failed);
    if (captured > text)
        proto_tree_add_item(tree, hf_error, payload, text, (int)ca_text_length(bytes + text, (size_t)(captured - text)),
                            ENC_ASCII);
}

#define FIELD(id, name, abbreviation, type, base, strings, blurb)                                                      \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "ca." abbreviation, type, base, strings, 0, blurb, HFILL                                             \
        }                                                                                                              \
    }

void
ca_error_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_status, "Status", "eca", FT_UINT32, BASE_HEX, NULL, NULL),
        FIELD(hf_error, "Error", "error", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(hf_command, "Command", "failed.command", FT_UINT16, BASE_DEC, VALS(ca_command_strings),
              "Of the failed request"),
        FIELD(hf_size, "Payload size", "failed.size", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_type, "Data type", "failed.type", FT_UINT16, BASE_DEC, NULL, NULL),
        FIELD(hf_count, "Data count", "failed.count", FT_UINT32, BASE_DEC, NULL, NULL),
        FIELD(hf_p1, "Parameter 1", "failed.p1", FT_UINT32, BASE_HEX, NULL, NULL),
        FIELD(hf_p2, "Parameter 2", "failed.p2", FT_UINT32, BASE_HEX, NULL, NULL),
    };
    static int *ett[] = { &ett_failed };
    static ei_register_info ei[] = {
        { &ei_status, { "ca.eca.not_normal", PI_RESPONSE_CODE, PI_WARN, "Status other than ECA_NORMAL", EXPFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
