/* merged_calls.h
 * Which requests called which, of all captures whose lines say so.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_MERGED_CALLS_H
#define LATENCY_MERGE_MERGED_CALLS_H

#include "json/line_kinds.h"
#include "table/call_pairs.h"

struct merged_calls;

/* `pairs`, to which captures are added, is borrowed until merged_calls_free(). */
struct merged_calls *merged_calls_new(struct call_pairs *pairs);
void merged_calls_free(struct merged_calls *merged);

/* Takes a request of a capture that has lines "call", and such a line. Memory: 64 bytes a request of the capture. */
void merged_calls_take_request(struct merged_calls *merged, const struct request_line *line,
                               const struct measured *measured);
void merged_calls_take(struct merged_calls *merged, struct record *record);

/* Adds what has been taken of the capture. */
void merged_calls_end_capture(struct merged_calls *merged);

#endif
