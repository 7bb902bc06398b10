/* transport_fields.h
 * Fields of a request that is a stream of HTTP/2 (latency.stream, latency.first_data, latency.pushed, latency.grpc.*)
 * or for a WebSocket (latency.websocket.*), or a datagram of UDP (latency.attempts), or whose duration is no waiting
 * (latency.streaming, latency.long_poll), or that a proxy has sent for somebody (latency.proxy.*).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TRANSPORT_FIELDS_H
#define LATENCY_TRANSPORT_FIELDS_H

#include "../../core/request/request.h"
#include "../view.h"

/* To be called once, when Wireshark registers protocols. */
void transport_fields_register(int proto);

/* In a frame of the request or of its response. */
void transport_fields_show(struct view *view, const struct request *request);

/* In a frame with nothing but what a proxy says before its client. */
void transport_fields_show_prelude(struct view *view, const struct connection *connection);

#endif
