/* stream_fields.h
 * Fields of a request that is a stream of HTTP/2: latency.stream, latency.first_data, latency.pushed, latency.grpc.*
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STREAM_FIELDS_H
#define LATENCY_STREAM_FIELDS_H

#include "../../core/request/request.h"
#include "view.h"

/* To be called once, when Wireshark registers protocols. */
void stream_fields_register(int proto);

/* In a frame of the request or of its response. */
void stream_fields_show(struct view *view, const struct request *request);

#endif
