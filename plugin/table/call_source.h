/* call_source.h
 * Which request of the capture caused which (core/calls), once for all who want to know.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALL_SOURCE_H
#define LATENCY_CALL_SOURCE_H

#include "../core/calls/calls.h"
#include "table_source.h"

/* Says that one more wants to know: from now on, also in the captures to come, requests that are forgotten are handed
 * over before. To be called before the capture is read; later is as good where frames are kept, or nothing has been
 * forgotten. */
void call_source_want(struct table_source *source);

/* Says that one of these does not want to know any more. When nobody does, what is known stays until the capture's end,
 * for whoever asks for it again, and those to come are read without. */
void call_source_leave(struct table_source *source);

/* Says that one more, or one less, wants to know of causes, and in what traces requests stand (request_ids.h). */
void call_source_want_traces(struct table_source *source);
void call_source_leave_traces(struct table_source *source);

/* Returns what is known of causes by the frames that have been read; NULL if nobody has wanted it, or between captures.
 * Costs as much as there are requests if a frame has been read since it was called last: not to be called for each. */
const struct calls *call_source_told(struct table_source *source);

/* Returns that, or what was known a short time ago: while frames come, causes are told anew in a fifth of the time at
 * most. For what is shown again and again. */
const struct calls *call_source_told_lately(struct table_source *source);

/* For whoever reads the capture: it begins, and its records are about to vanish. */
void call_source_begin(struct table_source *source);
void call_source_end(struct table_source *source);

#endif
