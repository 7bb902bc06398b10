/* spans.h
 * What a file of JSON lines has that took time: requests, and the attempts to connect and TLS handshakes before them;
 * which caused which, and which overlap. What other tools' formats need of all lines before the first can be written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef EXPORT_SPANS_H
#define EXPORT_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "json/line_kinds.h"

enum { NO_SPAN = -1 };

enum { TRACE_ID_ROOM = 33, PARENT_ID_ROOM = 17 };

/* In what trace a request stands, by its own header, in hexadecimal digits; and which span has sent it. */
struct span_trace {
    char trace[TRACE_ID_ROOM], parent[PARENT_ID_ROOM];
};

/* A request, in the order of its lines; 56 bytes each. Times since 1970, in nanoseconds. */
struct span {
    int64_t begin_ns, end_ns; /* the last byte of the response; without one, of the request */
    uint32_t connection, number;
    int32_t cause;       /* the place of the one that caused it; NO_SPAN: none is known */
    int32_t root;        /* the place of the nearest, from itself to what caused it and what caused that, which names
                          * its trace, or is caused by nothing: all with the same are of one trace */
    int32_t trace;       /* which one it names; NO_SPAN: none. Of a root, also that of which its calls are */
    bool has_header;     /* it names that itself */
    uint32_t lane;       /* from 0; two requests of a connection that overlap have not the same */
    uint32_t server;     /* a number for its address and port, from 1 */
    uint8_t rule;        /* enum call_rule */
    uint8_t probability; /* in percent */
};

/* What came before the first request of a connection. */
struct link_before {
    int32_t first;              /* the place of its first request; NO_SPAN: it has none */
    int64_t first_ns;           /* when that begins */
    int64_t connect_begin_ns;   /* NO_TIME: no attempt is known; as the next */
    int64_t tls_begin_ns;       /* of a handshake that was completed */
    int64_t connect_ns, tls_ns; /* how long they took; -1: not known */
    bool is_quic;               /* the connection begins with the handshake */
    bool has_tls;               /* there was a handshake, completed or not */
};

struct spans {
    GArray *all;               /* of struct span */
    GArray *traces;            /* of struct span_trace */
    GHashTable *connections;   /* of struct link_before, by the connection's number */
    int64_t first_ns, last_ns; /* of the capture; both 0 if it has no frame with a time */
    char *salt;                /* a text that only this capture has, of which ids are made */
};

/* Reads the file. NULL, and a sentence in `error`, if it cannot be, or if it has no requests in it (latency.json:
 * summary). spans_free() frees it. */
struct spans *spans_read(const char *path, GError **error);
void spans_free(struct spans *spans);

/* The request of this place; NULL behind the last. */
const struct span *spans_at(const struct spans *spans, int32_t place);

/* Returns in what trace the request stands, by its own header or, for `trace` alone, by its calls'; NULL if that is not
 * known. */
const struct span_trace *spans_trace(const struct spans *spans, const struct span *span);

/* The connection's; NULL if it has neither requests nor attempts. */
const struct link_before *spans_before(const struct spans *spans, uint32_t connection);

/* When a request ends, as its line says: with its response, or without one with its own last byte. */
int64_t request_line_end_ns(const struct request_line *line);

#endif
