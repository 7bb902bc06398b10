/* call_source.h
 * Which request of the capture caused which (core/calls), once for all who want to know.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALL_SOURCE_H
#define LATENCY_CALL_SOURCE_H

#include "../core/calls/calls.h"
#include "table_source.h"

/* Says that somebody wants to know: from now on, also in the captures to come, requests that are forgotten are handed
 * over before. To be called before the capture is read; later is as good where frames are kept, or nothing has been
 * forgotten. */
void call_source_want(struct table_source *source);

/* Returns what is known of causes by the frames that have been read; NULL if nobody has wanted it, or between captures.
 * Costs as much as there are requests if a frame has been read since it was called last: not to be called for each. */
const struct calls *call_source_told(struct table_source *source);

/* For whoever reads the capture: it begins, and its records are about to vanish. */
void call_source_begin(struct table_source *source);
void call_source_end(struct table_source *source);

#endif
