/* ca_value.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_value.h"

#include "../../core/ca/ca_dbr.h"

static int hf_status, hf_severity, hf_timestamp, hf_precision, hf_units, hf_states, hf_state;
static int hf_ack_transient, hf_ack_severity, hf_limits[8], hf_values[CA_DOUBLE + 1], hf_left_out;

/* alarm.h of EPICS base */
static const value_string status_names[] = {
    { 0, "NO_ALARM" },     { 1, "READ" },          { 2, "WRITE" }, { 3, "HIHI" },     { 4, "HIGH" },
    { 5, "LOLO" },         { 6, "LOW" },           { 7, "STATE" }, { 8, "COS" },      { 9, "COMM" },
    { 10, "TIMEOUT" },     { 11, "HW_LIMIT" },     { 12, "CALC" }, { 13, "SCAN" },    { 14, "LINK" },
    { 15, "SOFT" },        { 16, "BAD_SUB" },      { 17, "UDF" },  { 18, "DISABLE" }, { 19, "SIMM" },
    { 20, "READ_ACCESS" }, { 21, "WRITE_ACCESS" }, { 0, NULL },
};

static const value_string severity_names[] = {
    { 0, "NO_ALARM" }, { 1, "MINOR" }, { 2, "MAJOR" }, { 3, "INVALID" }, { 0, NULL },
};

/* Where the next field of the payload begins. */
struct packet {
    proto_tree *tree;
    tvbuff_t *payload;
    int offset;
};

static bool
is_captured(const struct packet *place, int bytes)
{
    return tvb_bytes_exist(place->payload, place->offset, bytes);
}

static void
show(struct packet *place, int hf, int bytes, unsigned encoding)
{
    if (is_captured(place, bytes))
        proto_tree_add_item(place->tree, hf, place->payload, place->offset, bytes, encoding);
    place->offset += bytes;
}

static void
show_timestamp(struct packet *place)
{
    enum { BYTES = 8, NS_MOST = 999999999 };
    if (is_captured(place, BYTES)) {
        nstime_t time = { .secs = (time_t)(CA_EPOCH_S + tvb_get_ntohl(place->payload, place->offset)),
                          .nsecs = (int)MIN(tvb_get_ntohl(place->payload, place->offset + 4), NS_MOST) };
        proto_tree_add_time(place->tree, hf_timestamp, place->payload, place->offset, BYTES, &time);
    }
    place->offset += BYTES;
}

/* Fields have one type each, whatever the value's: limits are shown as doubles, which hold them all. */
static double
number_at(tvbuff_t *payload, int offset, enum ca_value value)
{
    switch (value) {
    case CA_SHORT:
        return (int16_t)tvb_get_ntohs(payload, offset);
    case CA_FLOAT:
        return (double)tvb_get_ntohieee_float(payload, offset);
    case CA_CHAR:
        return (double)tvb_get_bits8(payload, (unsigned)offset * 8, 8);
    case CA_LONG:
        return (int32_t)tvb_get_ntohl(payload, offset);
    default:
        return tvb_get_ntohieee_double(payload, offset);
    }
}

static void
show_limits(struct packet *place, const struct ca_dbr_shape *shape)
{
    enum { GR_LIMITS = 6, CTRL_LIMITS = 8 };
    unsigned limits = shape->head == CA_CTRL ? CTRL_LIMITS : GR_LIMITS;
    for (unsigned i = 0; i < limits; i++) {
        if (is_captured(place, shape->value_bytes))
            proto_tree_add_double(place->tree, hf_limits[i], place->payload, place->offset, shape->value_bytes,
                                  number_at(place->payload, place->offset, (enum ca_value)shape->value));
        place->offset += shape->value_bytes;
    }
}

static void
show_states(struct packet *place)
{
    uint32_t states = is_captured(place, 2) ? tvb_get_ntohs(place->payload, place->offset) : 0;
    show(place, hf_states, 2, ENC_BIG_ENDIAN);
    for (uint32_t i = 0; i < MIN(states, CA_STATES); i++)
        show(place, hf_state, CA_STATE_BYTES, ENC_ASCII);
}

/* db_access.h: what a numeric GR or CTRL type has between the alarm and the value. */
static void
show_display(struct packet *place, const struct ca_dbr_shape *shape)
{
    if (shape->value == CA_STRING)
        return;
    if (shape->value == CA_ENUM) {
        show_states(place);
        return;
    }
    if (shape->value == CA_FLOAT || shape->value == CA_DOUBLE) {
        show(place, hf_precision, 2, ENC_BIG_ENDIAN);
        place->offset += 2;
    }
    show(place, hf_units, CA_UNITS_BYTES, ENC_ASCII);
    show_limits(place, shape);
}

static void
show_head(struct packet *place, const struct ca_dbr_shape *shape)
{
    if (shape->head == CA_PLAIN)
        return;
    show(place, hf_status, 2, ENC_BIG_ENDIAN);
    show(place, hf_severity, 2, ENC_BIG_ENDIAN);
    if (shape->head == CA_TIME) {
        show_timestamp(place);
    } else if (shape->head == CA_STSACK) {
        show(place, hf_ack_transient, 2, ENC_BIG_ENDIAN);
        show(place, hf_ack_severity, 2, ENC_BIG_ENDIAN);
    } else if (shape->head == CA_GR || shape->head == CA_CTRL) {
        show_display(place, shape);
    }
}

/* Long strings travel as arrays of characters. True if this one holds one, up to its first NUL or its end. */
static bool
show_text(const struct packet *place, packet_info *pinfo, uint32_t count)
{
    enum { TEXT_MOST = 4096 };
    int length =
        (int)MIN(MIN(count, TEXT_MOST), (uint32_t)tvb_captured_length_remaining(place->payload, place->offset));
    const uint8_t *bytes = length > 1 ? tvb_get_ptr(place->payload, place->offset, length) : NULL;
    int n = 0;
    while (n < length && bytes && (g_ascii_isprint(bytes[n]) || g_ascii_isspace(bytes[n])))
        n++;
    if (n < 2 || (n < length && bytes[n] != '\0'))
        return false;
    proto_tree_add_string(place->tree, hf_values[CA_STRING], place->payload, place->offset, n,
                          wmem_strndup(pinfo->pool, (const char *)bytes, (size_t)n));
    return true;
}

static void
show_values(struct packet *place, const struct ca_dbr_shape *shape, uint32_t count, unsigned most)
{
    unsigned encoding = shape->value == CA_STRING ? ENC_ASCII : ENC_BIG_ENDIAN;
    uint32_t shown = 0;
    for (; shown < count && shown < most; shown++) {
        int left = tvb_captured_length_remaining(place->payload, place->offset);
        int bytes = shape->value_bytes;
        if (shape->value == CA_STRING && left < bytes) /* the last string may end early */
            bytes = left;
        if (bytes == 0 || bytes > left)
            break;
        show(place, hf_values[shape->value], bytes, encoding);
    }
    if (shown < count)
        proto_item_set_generated(proto_tree_add_uint(place->tree, hf_left_out, place->payload, 0, 0, count - shown));
}

void
ca_value_show(proto_tree *tree, tvbuff_t *payload, packet_info *pinfo, unsigned type, uint32_t count, unsigned most)
{
    const struct ca_dbr_shape *shape = ca_dbr_shape(type);
    struct packet place = { tree, payload, 0 };
    if (!shape || tvb_captured_length(payload) == 0)
        return;
    show_head(&place, shape);
    place.offset = shape->value_offset;
    if (shape->value == CA_CHAR && show_text(&place, pinfo, count))
        return;
    show_values(&place, shape, count, most);
}

#define LIMIT(index, name, abbreviation, blurb)                                                                        \
    CA_FIELD(hf_limits[index], name, "data." abbreviation, FT_DOUBLE, BASE_NONE, NULL, 0, blurb)
#define VALUE(value, abbreviation, type, base)                                                                         \
    CA_FIELD(hf_values[value], "Value", "value." abbreviation, type, base, NULL, 0, NULL)

void
ca_value_register(int proto)
{
    static hf_register_info hf[] = {
        CA_FIELD(hf_status, "Alarm status", "data.status", FT_INT16, BASE_DEC, VALS(status_names), 0, NULL),
        CA_FIELD(hf_severity, "Alarm severity", "data.severity", FT_INT16, BASE_DEC, VALS(severity_names), 0, NULL),
        CA_FIELD(hf_timestamp, "Time stamp", "data.timestamp", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_LOCAL, NULL, 0,
                 "When the value was taken, by the server's clock"),
        CA_FIELD(hf_precision, "Precision", "data.precision", FT_INT16, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_units, "Units", "data.units", FT_STRINGZ, BASE_NONE, NULL, 0, NULL),
        CA_FIELD(hf_states, "States", "data.no_str", FT_INT16, BASE_DEC, NULL, 0, "How many states there are"),
        CA_FIELD(hf_state, "State", "data.state", FT_STRINGZ, BASE_NONE, NULL, 0, "Name of a state"),
        CA_FIELD(hf_ack_transient, "Acknowledge transient alarms", "data.ackt", FT_UINT16, BASE_DEC, NULL, 0, NULL),
        CA_FIELD(hf_ack_severity, "Severity to acknowledge", "data.acks", FT_UINT16, BASE_DEC, VALS(severity_names), 0,
                 NULL),
        LIMIT(0, "Upper display limit", "upper_disp_limit", NULL),
        LIMIT(1, "Lower display limit", "lower_disp_limit", NULL),
        LIMIT(2, "Upper alarm limit", "upper_alarm_limit", "Above it: HIHI"),
        LIMIT(3, "Upper warning limit", "upper_warning_limit", "Above it: HIGH"),
        LIMIT(4, "Lower warning limit", "lower_warning_limit", "Below it: LOW"),
        LIMIT(5, "Lower alarm limit", "lower_alarm_limit", "Below it: LOLO"),
        LIMIT(6, "Upper control limit", "upper_ctr_limit", NULL),
        LIMIT(7, "Lower control limit", "lower_ctrl_limit", NULL),
        VALUE(CA_STRING, "string", FT_STRINGZ, BASE_NONE),
        VALUE(CA_SHORT, "short", FT_INT16, BASE_DEC),
        VALUE(CA_FLOAT, "float", FT_FLOAT, BASE_NONE),
        VALUE(CA_ENUM, "enum", FT_UINT16, BASE_DEC),
        VALUE(CA_CHAR, "char", FT_UINT8, BASE_DEC),
        VALUE(CA_LONG, "long", FT_INT32, BASE_DEC),
        VALUE(CA_DOUBLE, "double", FT_DOUBLE, BASE_NONE),
        CA_FIELD(hf_left_out, "Values left out", "value.left_out", FT_UINT32, BASE_DEC, NULL, 0,
                 "How many values of the array are not shown"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
