/* calls_fields.h
 * Which request caused a request, and which it caused in turn: fields of its frames.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_FIELDS_H
#define LATENCY_CALLS_FIELDS_H

#include "../../core/calls/calls.h"
#include "../view.h"

/* To be called once, when Wireshark registers protocols. */
void calls_fields_register(int proto);

/* Shows what is known of the request's cause and its calls, if somebody looks: when all frames have been visited once.
 */
void calls_fields_show(struct view *view, const struct request *request);

/* Returns which request caused which in the capture, as far as it has been read; NULL if the user does not want it, or
 * frames are not kept. */
const struct calls *calls_fields_told(void);

#endif
