/* conventions.h
 * What OpenTelemetry's semantic conventions call the protocols (https://opentelemetry.io/docs/specs/semconv/, 1.27).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CONVENTIONS_H
#define LATENCY_CONVENTIONS_H

#include <stdbool.h>

/* Which of the conventions a protocol is of; of none: CONVENTION_NONE. */
enum convention_family {
    CONVENTION_NONE,
    CONVENTION_HTTP,
    CONVENTION_SQL, /* databases: whose operations are statements, and the others */
    CONVENTION_DATABASE,
    CONVENTION_MESSAGING,
    CONVENTION_DNS
};

struct convention {
    enum convention_family family;
    /* db.system.name or messaging.system; of HTTP network.protocol.version, "" if it is not known which */
    const char *system;
};

/* Returns that of an enum protocol; of a number that is none, one of no family. */
const struct convention *convention_of(unsigned protocol);

/* Returns whether an operation of HTTP/2 or HTTP/3 is a call of gRPC: it has no method, but begins with the path. */
bool convention_is_grpc(unsigned protocol, const char *operation);

/* Returns the status of HTTP that an answer's status or error says; 0 if it is none. */
unsigned convention_http_status(unsigned protocol, const char *operation, const char *status);

#endif
