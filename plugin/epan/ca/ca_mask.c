/* ca_mask.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_mask.h"

#include "../../core/ca/ca_message.h"

static int hf_rights = -1;
static int hf_rights_read = -1;
static int hf_rights_write = -1;
static int hf_low = -1;
static int hf_high = -1;
static int hf_to = -1;
static int hf_mask = -1;
static int hf_mask_value = -1;
static int hf_mask_log = -1;
static int hf_mask_alarm = -1;
static int hf_mask_property = -1;

static int ett_rights = -1;
static int ett_mask = -1;

static const value_string rights_names[] = {
    { 0, "none" }, { 1, "read" }, { 2, "write" }, { 3, "read and write" }, { 0, NULL }
};

void
ca_mask_show(proto_tree *tree, tvbuff_t *payload)
{
    static int *const bits[] = { &hf_mask_value, &hf_mask_log, &hf_mask_alarm, &hf_mask_property, NULL };
    enum { MONITOR_BYTES = 16, AT_MASK = 12 };
    if (tvb_captured_length(payload) < MONITOR_BYTES)
        return;
    proto_tree_add_item(tree, hf_low, payload, 0, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, hf_high, payload, 4, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, hf_to, payload, 8, 4, ENC_BIG_ENDIAN);
    proto_tree_add_bitmask(tree, payload, AT_MASK, hf_mask, ett_mask, bits, ENC_BIG_ENDIAN);
}

void
ca_mask_show_rights(proto_tree *tree, tvbuff_t *tvb, int offset)
{
    static int *const bits[] = { &hf_rights_read, &hf_rights_write, NULL };
    proto_tree_add_bitmask(tree, tvb, offset, hf_rights, ett_rights, bits, ENC_BIG_ENDIAN);
}

#define FIELD(id, name, abbreviation, type, base, strings, blurb)                                                      \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "ca." abbreviation, type, base, strings, 0, blurb, HFILL                                             \
        }                                                                                                              \
    }
#define BIT(id, name, abbreviation, bits, mask, blurb)                                                                 \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "ca." abbreviation, FT_BOOLEAN, bits, NULL, mask, blurb, HFILL                                       \
        }                                                                                                              \
    }

void
ca_mask_register(int proto)
{
    static hf_register_info hf[] = {
        FIELD(hf_rights, "Access rights", "rights", FT_UINT32, BASE_HEX, VALS(rights_names), NULL),
        BIT(hf_rights_read, "Read", "rights.read", 32, CA_RIGHT_READ, NULL),
        BIT(hf_rights_write, "Write", "rights.write", 32, CA_RIGHT_WRITE, NULL),
        FIELD(hf_low, "Low", "mask.low", FT_FLOAT, BASE_NONE, NULL, "Not used by EPICS"),
        FIELD(hf_high, "High", "mask.high", FT_FLOAT, BASE_NONE, NULL, "Not used by EPICS"),
        FIELD(hf_to, "To", "mask.to", FT_FLOAT, BASE_NONE, NULL, "Not used by EPICS"),
        FIELD(hf_mask, "Event mask", "mask", FT_UINT16, BASE_HEX, NULL, NULL),
        BIT(hf_mask_value, "Value", "mask.val", 16, 0x1, "DBE_VALUE"),
        BIT(hf_mask_log, "Log", "mask.log", 16, 0x2, "DBE_LOG"),
        BIT(hf_mask_alarm, "Alarm", "mask.alarm", 16, 0x4, "DBE_ALARM"),
        BIT(hf_mask_property, "Property", "mask.prop", 16, 0x8, "DBE_PROPERTY"),
    };
    static int *ett[] = { &ett_rights, &ett_mask };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
}
