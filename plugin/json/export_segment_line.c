/* export_segment_line.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_segment_line.h"

#include <inttypes.h>
#include <string.h>

#include "../core/request/operation.h"

/* A line ends behind so many segments, with one that has messages: what was kept until then is in the same line as what
 * it is (opening.h). Without messages it ends later. */
enum { SEGMENTS_A_LINE = 1000, SEGMENTS_MOST = 2000 };

static void
begin_line(const struct segment_writing *writing)
{
    struct line *line = writing->line;
    line_begin(line, "segments");
    if (writing->number)
        line_uint(line, "connection", writing->number);
    json_dumper_set_member_name(&line->dumper, "address");
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < 2; i++)
        line_address(line, &writing->endpoint[i], writing->ipv6);
    json_dumper_end_array(&line->dumper);
    json_dumper_set_member_name(&line->dumper, "port");
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < 2; i++)
        json_dumper_value_anyf(&line->dumper, "%u", writing->endpoint[i].port);
    json_dumper_end_array(&line->dumper);
    json_dumper_set_member_name(&line->dumper, "server_likelihood");
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < 2; i++)
        json_dumper_value_anyf(&line->dumper, "%d", writing->settings->port_kind(writing->endpoint[i].port));
    json_dumper_end_array(&line->dumper);
    json_dumper_set_member_name(&line->dumper, "segments");
    json_dumper_begin_array(&line->dumper);
}

static void
finish_segment(struct segment_writing *writing)
{
    json_dumper *dumper = &writing->line->dumper;
    if (writing->in_messages)
        json_dumper_end_array(dumper);
    if (writing->in_segment)
        json_dumper_end_array(dumper);
    writing->in_messages = writing->in_segment = false;
}

static void
finish_line(struct segment_writing *writing)
{
    finish_segment(writing);
    json_dumper_end_array(&writing->line->dumper);
    line_end(writing->line);
    writing->segments = 0;
}

static void
write_numbers(json_dumper *dumper, const int64_t *numbers, unsigned count)
{
    json_dumper_begin_array(dumper);
    for (unsigned i = 0; i < count; i++)
        json_dumper_value_anyf(dumper, "%" PRId64, numbers[i]);
}

static void
begin_segment(struct segment_writing *writing, const struct packed *packed, const char *operation)
{
    json_dumper *dumper = &writing->line->dumper;
    const int64_t columns[] = { (int64_t)(writing->frames_before + packed->frame),
                                packed->time_ns,
                                packed->side,
                                packed->seq,
                                packed->ack,
                                packed->flags,
                                packed->payload_bytes,
                                packed->window,
                                packed->checksum,
                                packed->ip_id };
    write_numbers(dumper, columns, G_N_ELEMENTS(columns));
    if (*operation)
        json_dumper_value_string(dumper, operation);
    writing->has_operation = *operation;
    writing->in_segment = true;
}

static void
write_message(struct segment_writing *writing, const struct packed *packed, const char *operation)
{
    json_dumper *dumper = &writing->line->dumper;
    const int64_t columns[] = { packed->kind,           packed->flags,         (int64_t)packed->key,
                                (int64_t)packed->bytes, packed->payload_bytes, packed->ack };
    if (!writing->in_messages) {
        if (!writing->has_operation)
            json_dumper_value_string(dumper, "");
        json_dumper_begin_array(dumper);
        writing->in_messages = true;
    }
    write_numbers(dumper, columns, G_N_ELEMENTS(columns));
    if (*operation)
        json_dumper_value_string(dumper, operation);
    json_dumper_end_array(dumper);
}

static void
write_entry(struct segment_writing *writing, const struct packed *packed, const char *operation)
{
    if (packed->side == PACKED_MESSAGE) {
        write_message(writing, packed, operation);
        return;
    }
    const bool had_messages = writing->in_messages;
    finish_segment(writing);
    if ((writing->segments >= SEGMENTS_A_LINE && had_messages) || writing->segments == SEGMENTS_MOST)
        finish_line(writing);
    if (writing->segments++ == 0)
        begin_line(writing);
    begin_segment(writing, packed, operation);
}

void
segment_writing_take(void *data, const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        struct packed packed;
        char operation[OPERATION_ROOM] = "";
        memcpy(&packed, bytes + at, sizeof packed);
        memcpy(operation, bytes + at + sizeof packed, packed.operation_bytes);
        at += sizeof packed + packed.operation_bytes;
        write_entry(data, &packed, operation);
    }
}

void
segment_writing_end(struct segment_writing *writing)
{
    if (writing->segments > 0)
        finish_line(writing);
}
