/* left-out.h
 * What a table of requests does not count, and says so.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LEFT_OUT_H
#define LATENCY_LEFT_OUT_H

#include <glib.h>

#include "../core/request.h"

struct left_out {
    uint64_t unsolicited; /* frames */
    uint64_t duplicates;
    uint64_t unread;
    uint64_t begun_before; /* connections whose SYN was not captured; the table's own to count */
};

void left_out_take(struct left_out *left_out, const struct item *item);

/* To be asked for an item of a request that has not been counted: whether it counts from now on. It does not if the
 * frame is another request's. In one pass, what overtook a request has been taken for unsolicited: corrects that. */
bool left_out_begins(struct left_out *left_out, const struct item *item);

/* A line, if there is something to say. */
void left_out_write(const struct left_out *left_out, GString *text);

#endif
