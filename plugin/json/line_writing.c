/* line_writing.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "../core/ca/ca_phases.h"
#include "../core/request/tls_turn.h"
#include "../table/names.h"
#include "line_kinds.h"

static const char *
tls_turn_name(unsigned turn)
{
    return turn == TLS_ALERT ? "alert" : turn == TLS_HANDSHAKE ? "handshake" : "";
}

static const char *
channel_result_name(unsigned result)
{
    return result <= CA_RESULT_WAITING ? ca_result_name((enum ca_result)result) : "";
}

member_word *
member_words(enum member_type type)
{
    static member_word *const words[] = {
        [MEMBER_OUTCOME] = outcome_name,
        [MEMBER_FRAMING] = protocol_name,
        [MEMBER_CONNECT_RESULT] = connect_result_name,
        [MEMBER_TLS_RESULT] = tls_result_name,
        [MEMBER_TLS_TURN] = tls_turn_name,
        [MEMBER_CHANNEL_RESULT] = channel_result_name,
        [MEMBER_CONTENT] = json_content_name,
        [MEMBER_IPID_BEHAVIOUR] = ipid_name,
    };
    return type < G_N_ELEMENTS(words) ? words[type] : NULL;
}

const struct members *
member_members(enum member_type type)
{
    static const struct members *const members[] = {
        [MEMBER_SETTINGS] = &settings_members,
        [MEMBER_IPID_STEPS] = &ipid_steps_members,
        [MEMBER_HISTOGRAM] = &histogram_members,
    };
    return type < G_N_ELEMENTS(members) ? members[type] : NULL;
}

/* Of what is not none where all its bytes are 0. */
static void
set_none(const struct member *member, void *value)
{
    switch (member->type) {
    case MEMBER_AMOUNT:
        *(int64_t *)value = -1;
        break;
    case MEMBER_TIME:
    case MEMBER_DIFFERENCE:
        *(int64_t *)value = NO_TIME;
        break;
    case MEMBER_TEXT:
    case MEMBER_PRINTED:
        *(const char **)value = "";
        break;
    case MEMBER_ENDPOINT:
    case MEMBER_ADDRESS:
        ((struct member_endpoint *)value)->is_none = true;
        break;
    case MEMBER_STAGES:
        ((struct member_stages *)value)->parts_ns[0] = -1;
        break;
    default:
        break;
    }
}

void
members_clear(const struct members *members, void *values)
{
    memset(values, 0, members->bytes);
    for (unsigned i = 0; i < members->count; i++)
        set_none(&members->all[i], (char *)values + members->all[i].offset);
}

static void
write_stages(struct line *line, const struct member *member, const struct member_stages *stages)
{
    if (stages->parts_ns[0] < 0)
        return;
    line_object(line, member->name);
    for (unsigned part = 0; part < PARTS; part++)
        line_int(line, part_name(part), stages->parts_ns[part]);
    line_end_object(line);
}

static void
write_elements(struct line *line, const struct member *member, const struct member_elements *elements)
{
    if (!elements->write && member->wanted == MEMBER_KNOWN)
        return;
    line_array(line, member->name);
    if (elements->write)
        elements->write(line, elements->data);
    line_end_array(line);
}

static void
write_endpoint(struct line *line, const struct member *member, const struct member_endpoint *value)
{
    line_endpoint(line, member->name, member->port_name, &value->endpoint, value->ipv6);
}

static void
write_address(struct line *line, const struct member *member, const struct member_endpoint *value)
{
    if (!value->is_none)
        line_endpoint(line, member->name, NULL, &value->endpoint, value->ipv6);
}

static void
write_statistic(struct line *line, const struct member *member, const struct statistic *statistic)
{
    if (statistic->moments.count > 0 || member->wanted == MEMBER_ALWAYS)
        line_statistic(line, member->name, statistic);
}

static void
write_mean(struct line *line, const struct member *member, const struct member_mean *mean)
{
    if (mean->count == 0 && member->wanted == MEMBER_KNOWN)
        return;
    line_object(line, member->name);
    line_uint(line, "count", mean->count);
    line_sum(line, "sum", mean->sum);
    line_end_object(line);
}

static void
write_uint(struct line *line, const struct member *member, uint64_t number)
{
    if (number > 0 || member->wanted == MEMBER_ALWAYS)
        line_uint(line, member->name, number);
}

static void
write_int(struct line *line, const struct member *member, int64_t number, int64_t least)
{
    if (number >= least || member->wanted == MEMBER_ALWAYS)
        line_int(line, member->name, number);
}

static void
write_text(struct line *line, const struct member *member, const char *text)
{
    if (*text || member->wanted == MEMBER_ALWAYS)
        line_text(line, member->name, text);
}

static void write_members(struct line *line, const struct members *members, const void *values);

static void
write_member(struct line *line, const struct member *member, const void *value)
{
    switch (member->type) {
    case MEMBER_UINT16:
        line_uint(line, member->name, *(const uint16_t *)value);
        break;
    case MEMBER_UINT32:
        write_uint(line, member, *(const uint32_t *)value);
        break;
    case MEMBER_UINT64:
        write_uint(line, member, *(const uint64_t *)value);
        break;
    case MEMBER_AMOUNT:
        write_int(line, member, *(const int64_t *)value, 0);
        break;
    case MEMBER_TIME:
    case MEMBER_DIFFERENCE:
        write_int(line, member, *(const int64_t *)value, NO_TIME + 1);
        break;
    case MEMBER_TRUE:
        if (*(const bool *)value)
            line_true(line, member->name);
        break;
    case MEMBER_TEXT:
    case MEMBER_PRINTED:
        write_text(line, member, *(const char *const *)value);
        break;
    case MEMBER_ENDPOINT:
        write_endpoint(line, member, value);
        break;
    case MEMBER_SETTINGS:
    case MEMBER_IPID_STEPS:
    case MEMBER_HISTOGRAM:
        line_object(line, member->name);
        write_members(line, member_members(member->type), value);
        line_end_object(line);
        break;
    case MEMBER_ADDRESS:
        write_address(line, member, value);
        break;
    case MEMBER_STATISTIC:
        write_statistic(line, member, value);
        break;
    case MEMBER_MEAN:
        write_mean(line, member, value);
        break;
    case MEMBER_STAGES:
        write_stages(line, member, value);
        break;
    case MEMBER_ELEMENTS:
        write_elements(line, member, value);
        break;
    default:
        line_text(line, member->name, member_words(member->type)(*(const unsigned *)value));
    }
}

static void
write_members(struct line *line, const struct members *members, const void *values)
{
    for (unsigned i = 0; i < members->count; i++)
        write_member(line, &members->all[i], (const char *)values + members->all[i].offset);
}

void
line_write(struct line *line, const char *type, const struct members *members, const void *values)
{
    line_begin(line, type);
    write_members(line, members, values);
    line_end(line);
}
