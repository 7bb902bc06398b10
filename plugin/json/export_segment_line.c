/* export_segment_line.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_segment_line.h"

#include <string.h>

#include "../core/request/operation.h"

enum { SEGMENTS_A_LINE = 1000 };

static void
begin_line(const struct segment_writing *writing)
{
    struct line *line = writing->line;
    line_begin(line, "segments");
    if (writing->number)
        line_uint(line, "connection", writing->number);
    line_array(line, "address");
    for (unsigned i = 0; i < 2; i++)
        line_address(line, &writing->endpoint[i], writing->ipv6);
    line_end_array(line);
    line_array(line, "port");
    for (unsigned i = 0; i < 2; i++)
        line_uint(line, NULL, writing->endpoint[i].port);
    line_end_array(line);
    line_array(line, "server_likelihood");
    for (unsigned i = 0; i < 2; i++)
        line_int(line, NULL, (int)writing->settings->port_kind(writing->endpoint[i].port));
    line_end_array(line);
    line_array(line, "segments");
}

static void
finish_segment(struct segment_writing *writing)
{
    struct line *line = writing->line;
    if (writing->in_messages)
        line_end_array(line);
    if (writing->in_segment)
        line_end_array(line);
    writing->in_messages = writing->in_segment = false;
}

static void
finish_line(struct segment_writing *writing)
{
    finish_segment(writing);
    line_end_array(writing->line);
    line_end(writing->line);
    writing->segments = 0;
}

static void
write_numbers(struct line *line, const int64_t *numbers, unsigned count)
{
    line_array(line, NULL);
    for (unsigned i = 0; i < count; i++)
        line_int(line, NULL, numbers[i]);
}

static void
begin_segment(struct segment_writing *writing, const struct packed *packed, const char *operation)
{
    struct line *line = writing->line;
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
    write_numbers(line, columns, G_N_ELEMENTS(columns));
    if (*operation)
        line_text(line, NULL, operation);
    writing->has_operation = *operation;
    writing->in_segment = true;
}

static void
write_message(struct segment_writing *writing, const struct packed *packed, const char *operation)
{
    struct line *line = writing->line;
    const int64_t columns[] = { packed->kind,           packed->flags,         (int64_t)packed->key,
                                (int64_t)packed->bytes, packed->payload_bytes, packed->ack };
    if (!writing->in_messages) {
        if (!writing->has_operation)
            line_text(line, NULL, "");
        line_array(line, NULL);
        writing->in_messages = true;
    }
    write_numbers(line, columns, G_N_ELEMENTS(columns));
    if (*operation)
        line_text(line, NULL, operation);
    line_end_array(line);
}

static void
write_entry(struct segment_writing *writing, const struct packed *packed, const char *operation)
{
    if (packed->side == PACKED_MESSAGE) {
        write_message(writing, packed, operation);
        return;
    }
    finish_segment(writing);
    if (writing->segments == SEGMENTS_A_LINE)
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
