/* mysql_answer.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mysql.h"

#include <stdio.h>
#include <string.h>

#include <wsutil/pint.h>

#include "../../../compat.h"

enum { OK = 0x00, LOADS_FILE = 0xfb, ENDS_ROWS = 0xfe, ERROR = 0xff };
enum { STATUS_MORE_RESULTS = 0x08, STATUS_CURSOR = 0x40 };

/* What there is of a packet. */
struct mysql_packet {
    const uint8_t *body, *end;
    uint32_t size;
    uint8_t first;
};

/* Of what is read, or could be, the end shows by what follows. */
static void
end_if_other(struct flow *flow)
{
    flow->may_end = true;
}

/* A result is complete; the next one follows, or none. */
static void
end_result(struct flow *flow, struct mysql *own, int32_t status)
{
    own->phase = PHASE_FIRST;
    if (status < 0)
        end_if_other(flow);
    else
        flow->ends = !(status & STATUS_MORE_RESULTS);
}

/* MariaDB reports progress in errors that are none. */
static void
take_error(struct reading *reading, struct flow *flow, const struct mysql_packet *packet)
{
    enum { CODE_END = 3, PROGRESS = 0xffff };
    char status[STATUS_ROOM] = "ERR";
    if (packet->end - packet->body >= CODE_END) {
        const unsigned code = packet->body[1] | (unsigned)packet->body[2] << 8;
        if (code == PROGRESS)
            return;
        snprintf(status, sizeof status, "%u", code);
    }
    reading_says(reading, status, true);
    flow->ends = true;
}

/* Number of the statement, columns, parameters. */
static void
take_prepared(struct reading *reading, struct flow *flow, struct mysql *own, const struct mysql_packet *packet)
{
    enum { NUMBER_AT = 1, NUMBER_BYTES = 4, COLUMNS_AT = 5, PARAMETERS_AT = 7, LEAST = 9, PLAIN = 12 };
    if (packet->end - packet->body < LEAST) {
        end_if_other(flow);
        return;
    }
    const uint8_t *body = packet->body;
    const unsigned columns = body[COLUMNS_AT] | (unsigned)body[COLUMNS_AT + 1] << 8;
    if (own->preparing[0])
        sql_names_put(reading_scope(reading), &own->statements, body + NUMBER_AT, NUMBER_BYTES, own->preparing);
    own->parameters = body[PARAMETERS_AT] | (unsigned)body[PARAMETERS_AT + 1] << 8;
    own->left = own->parameters + columns;
    own->groups = (uint8_t)((own->parameters > 0) + (columns > 0));
    own->phase = PHASE_PREPARED;
    if (packet->size > PLAIN && packet->end - body > PLAIN && body[PLAIN] == 0)
        own->left = own->groups = 0;
    flow->ends = own->left == 0 && (own->answered & ANSWERS) == ANSWER_PREPARED;
    if (!flow->ends && (own->answered & ANSWERS) != ANSWER_PREPARED)
        end_if_other(flow); /* it may be an OK of that size */
}

/* With no EOF between parameters and columns there is none at the end. */
static bool
take_definition(struct flow *flow, struct mysql *own, const struct mysql_packet *packet)
{
    const bool is_eof = mysql_is_eof(packet->body, packet->end, packet->size);
    if (is_eof ? own->groups == 0 : own->left == 0 || !mysql_is_definition(packet->body, packet->end))
        return false;
    if (is_eof) {
        own->eofs = EOFS_SENT;
        own->groups--;
    } else {
        own->left--;
        if (own->parameters == 0 && own->groups == 2)
            own->eofs = EOFS_LEFT_OUT;
        own->parameters -= own->parameters > 0;
    }
    if (own->left > 0)
        return true;
    flow->ends = own->groups == 0 || own->eofs == EOFS_LEFT_OUT;
    if (!flow->ends && own->eofs == EOFS_UNKNOWN)
        end_if_other(flow);
    return true;
}

/* False if it makes no sense. */
static bool
take_count(struct flow *flow, struct mysql *own, const struct mysql_packet *packet)
{
    const uint8_t *at = packet->body;
    uint64_t count;
    const bool is_number = mysql_number(&at, packet->end, &count) && count > 0 && count <= UINT16_MAX;
    const size_t bytes = (size_t)(at - packet->body);
    if (!is_number || (packet->size != bytes && packet->size != bytes + 1)) {
        flow->ends = (own->answered & ANSWERS) == ANSWER_UNKNOWN; /* a text */
        return flow->ends;
    }
    const bool is_described = packet->size == bytes || at >= packet->end || *at != 0;
    own->left = is_described ? (uint32_t)count : 0;
    own->phase = PHASE_COLUMNS;
    return true;
}

static bool
take_first(struct reading *reading, struct flow *flow, struct mysql *own, const struct mysql_packet *packet)
{
    enum { PREPARED_LEAST = 12 };
    const enum answer answer = own->answered & ANSWERS;
    const bool may_prepare = answer == ANSWER_UNKNOWN && packet->size - PREPARED_LEAST <= 1;
    if (answer == ANSWER_PREPARED || (packet->first == OK && may_prepare))
        take_prepared(reading, flow, own, packet);
    else if (packet->first == OK || packet->first == ENDS_ROWS)
        end_result(flow, own, mysql_status(packet->body, packet->end, packet->size));
    else if (packet->first == LOADS_FILE)
        own->expects_later = true;
    else
        return take_count(flow, own, packet);
    return true;
}

static void
take_row(struct flow *flow, struct mysql *own, const struct mysql_packet *packet)
{
    if (packet->first == ENDS_ROWS && packet->size < FULL)
        end_result(flow, own, mysql_status(packet->body, packet->end, packet->size));
}

/* Of a result: what describes a column; the EOF behind that, with which a result ends that a cursor has; or the first
 * row. */
static bool
take_column(struct flow *flow, struct mysql *own, const struct mysql_packet *packet)
{
    if (own->left > 0) {
        own->left--;
        return mysql_is_definition(packet->body, packet->end);
    }
    own->phase = PHASE_ROWS;
    if (!mysql_is_eof(packet->body, packet->end, packet->size) || own->eofs == EOFS_LEFT_OUT) {
        own->eofs = EOFS_LEFT_OUT;
        take_row(flow, own, packet);
        return true;
    }
    own->eofs = EOFS_SENT;
    const int32_t status = mysql_status(packet->body, packet->end, packet->size);
    if (status >= 0 && status & STATUS_CURSOR)
        end_result(flow, own, status);
    return true;
}

static bool
take_packet(struct reading *reading, struct flow *flow, struct mysql *own, const struct mysql_packet *packet)
{
    const bool goes_on = own->is_full[false];
    own->is_full[false] = packet->size == FULL;
    if (goes_on)
        return true;
    if (packet->body == packet->end) { /* cut */
        own->left -= own->left > 0;
        end_if_other(flow);
        return true;
    }
    if (packet->first == ERROR) {
        take_error(reading, flow, packet);
        return true;
    }
    switch (own->phase) {
    case PHASE_FIRST:
        return take_first(reading, flow, own, packet);
    case PHASE_LOGIN:
        flow->ends = packet->first == OK;
        return true;
    case PHASE_ONE:
        flow->ends = true;
        return true;
    case PHASE_COLUMNS:
        return take_column(flow, own, packet);
    case PHASE_PREPARED:
        return take_definition(flow, own, packet);
    case PHASE_ROWS:
        take_row(flow, own, packet);
        return true;
    }
    return false;
}

static enum phase
phase_of(enum answer answer)
{
    switch (answer) {
    case ANSWER_LOGIN:
        return PHASE_LOGIN;
    case ANSWER_ONE:
    case ANSWER_STREAM:
        return PHASE_ONE;
    case ANSWER_ROWS:
        return PHASE_ROWS;
    default:
        return PHASE_FIRST;
    }
}

/* An answer begins. False if its number is another than the request's answer has. */
static bool
begin(struct reading *reading, struct mysql *own, const uint8_t *unit, size_t length)
{
    static const char prepare[] = "Prepare ";
    const unsigned kinds = length > HEADER ? mysql_kinds(unit, length) : 0;
    if (kinds)
        reading_sees(reading, parser_looks((uint16_t)kinds, NULL, 0));
    const struct request *first = reading_to_answer(reading);
    const bool is_known = reading_knows_next(reading);
    own->answered = first ? (uint16_t)first->note : ANSWER_UNKNOWN;
    own->phase = phase_of(own->answered & ANSWERS);
    own->is_full[false] = false;
    own->preparing[0] = '\0';
    if (first && (own->answered & ANSWERS) == ANSWER_PREPARED && g_str_has_prefix(first->operation, prepare))
        g_strlcpy(own->preparing, first->operation + strlen(prepare), sizeof own->preparing);
    if (!first)
        return is_known || (kinds > 0 && unit[3] == 1);
    return !own->answered || unit[3] == (uint8_t)(own->answered / NOTE_NUMBER);
}

static enum verdict
take_message(struct reading *reading, struct flow *flow, struct mysql *own, const uint8_t *unit, size_t length)
{
    const struct mysql_packet packet = { .body = unit + HEADER,
                                         .end = unit + length,
                                         .size = mysql_size(unit),
                                         .first = length > HEADER ? unit[HEADER] : 0 };
    const bool is_login = own->phase == PHASE_LOGIN;
    own->expects = (uint8_t)(unit[3] + 1);
    own->expects_later = is_login;
    if (!take_packet(reading, flow, own, &packet))
        return PARSER_IS_LOST;
    /* what follows has another frame */
    return is_login && flow->ends && packet.first == OK && own->is_compressed ? PARSER_IS_OVER : PARSER_GOES_ON;
}

enum verdict
mysql_take_answer(struct reading *reading, struct flow *flow, const uint8_t *unit, size_t length)
{
    enum { LOOKED_AT = 28 };
    struct mysql *own = mysql_own(reading);
    if (length < HEADER)
        return PARSER_IS_LOST;
    const uint32_t size = mysql_size(unit);
    const uint32_t wanted = HEADER + MIN(size, own->is_compressed ? UNIT_BYTES - HEADER : LOOKED_AT);
    if (length < wanted && !flow->is_cut) {
        flow->block = wanted;
        return PARSER_WANTS_MORE;
    }
    if (flow->state == START ? !begin(reading, own, unit, length) : unit[3] != own->expects && !own->expects_later)
        return PARSER_IS_LOST;
    flow->skip = HEADER + (uint64_t)size - length;
    flow->block = HEADER;
    if (flow->state == START)
        reading_answers(reading, "", false);
    /* nobody has asked */
    flow->ends = !flow->has_message;
    if (flow->ends)
        return PARSER_GOES_ON;
    flow->state = WITHIN;
    return take_message(reading, flow, own, unit, length);
}
