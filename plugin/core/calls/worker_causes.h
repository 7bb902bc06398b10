/* worker_causes.h
 * Who caused a call, by the links that lead to it, and those that lead from it.
 *
 * Forward: from the arrival of a request to the calls that follow from it, and to those that follow from these.
 * Backward: from the response of a request to the calls that it follows from. A cause is right as far as both agree.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WORKER_CAUSES_H
#define LATENCY_WORKER_CAUSES_H

#include "worker_span.h"

/* Fills in `forward` and `backward` of the span's candidates by the links' `p`. */
void worker_causes_find(const struct worker_span *span);

/* After that: makes links less likely that lead from a cause to calls, or to a response, of another. */
void worker_causes_agree(const struct worker_span *span);

/* After the first: returns the place of the request that most likely caused the call, and how likely that is; NO_PLACE
 * if nobody can. */
uint32_t worker_causes_best(const struct worker_span *span, const struct span_call *made, float *p);

#endif
