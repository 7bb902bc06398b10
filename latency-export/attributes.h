/* attributes.h
 * What a request's line says, in the names of OpenTelemetry's semantic conventions 1.27
 * (https://opentelemetry.io/docs/specs/semconv/), and, for what these have no name, in names that begin with
 * "latency.".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef EXPORT_ATTRIBUTES_H
#define EXPORT_ATTRIBUTES_H

#include "json/line_kinds.h"
#include "spans.h"

/* Who writes attributes: in OTLP an array of keys and values, in Chrome's traces members of an object. */
struct attribute_sink {
    void *data;
    void (*text)(void *data, const char *name, const char *text);
    void (*number)(void *data, const char *name, int64_t number);
};

/* Hands over a request's attributes. `span` is what else is known of it. */
void attributes_of_request(const struct request_line *line, const struct span *span, const struct attribute_sink *sink);

/* Hands over server.address, server.port and network.transport. `host`: the server's name, or "". */
void attributes_of_server(const struct member_endpoint *server, const char *host, bool is_udp,
                          const struct attribute_sink *sink);

/* Returns what the request is called: its kind, or if that is not known its protocol. Borrowed from the line. */
const char *request_line_name(const struct request_line *line);

/* Returns what HTTP calls it: "" if the request is none of HTTP, or if its operation is not known. `rest` is then what
 * stands behind the method, NULL for none. To be freed with g_free(). */
char *request_line_method(const struct request_line *line, const char **rest);

/* Returns whether it is one of HTTP, of whatever version, and whether it is a call of gRPC. */
bool request_line_is_http(const struct request_line *line);
bool request_line_is_grpc(const struct request_line *line);

/* Returns the HTTP status; 0 if the line has none. */
unsigned request_line_http_status(const struct request_line *line);

/* Returns whether whoever serves it has failed: an error that is not the client's own (an HTTP status from 400 to 499),
 * or no answer. */
bool request_line_has_failed(const struct request_line *line);

#endif
