/* datagram_fields.h
 * Fields of a request that is a datagram of UDP: latency.attempts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DATAGRAM_FIELDS_H
#define LATENCY_DATAGRAM_FIELDS_H

#include "../../core/request/request.h"
#include "view.h"

/* To be called once, when Wireshark registers protocols. */
void datagram_fields_register(int proto);

/* In a frame of the request or of its response. */
void datagram_fields_show(struct view *view, const struct request *request);

#endif
