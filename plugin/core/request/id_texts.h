/* id_texts.h
 * Ids as texts: of a trace, or of a request. Whoever looks for causes needs no more of them than whether two are the
 * same; only the ids by which a tracer goes on with a trace are kept as they are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ID_TEXTS_H
#define LATENCY_ID_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A shorter text is too common to tell requests apart, and a longer one is no id. */
enum { ID_LEAST = 6, ID_MOST = 128 };

/* What an id is of. Any two with the same text may be the same id, whatever their kinds. */
enum id_kind {
    ID_TRACE,   /* all that was done because of one request from outside */
    ID_SPAN,    /* the step of a trace that the request is, or that has sent it */
    ID_PARENT,  /* the step that caused that one */
    ID_REQUEST, /* the request, as its client, or a proxy, has named it */
    ID_TEXT,    /* a word of a comment that looks like an id */
    ID_CLIENT   /* no id: the address of the client for which a proxy asks, as a hash of address_hash() */
};

/* Bounds how many ids of a request are kept. */
enum { IDS_OF_REQUEST = 4 };

struct found_id {
    uint64_t hash; /* of its text, without regard to case */
    enum id_kind kind;
};

/* Which field says in what trace a request stands: a later one of these rather than an earlier one. */
enum trace_field { TRACE_UNNAMED, TRACE_X_B3, TRACE_B3, TRACE_TRACEPARENT };

enum { TRACE_ID_BYTES = 16, PARENT_ID_BYTES = 8 };

/* The ids of a request's trace and of the span that has sent it. All 0: not known; zero at first. */
struct trace_context {
    uint8_t trace[TRACE_ID_BYTES], parent[PARENT_ID_BYTES];
    uint8_t field;        /* enum trace_field */
    bool is_contradicted; /* the field is there twice, with different ids: neither is believed */
};

/* Which field names the client for which a proxy asks: a later one of these rather than an earlier one. */
enum client_field { CLIENT_UNNAMED, CLIENT_X_REAL_IP, CLIENT_FORWARDED, CLIENT_X_FORWARDED_FOR };

/* The ids that a message carries, and the client that it names; zero at first. */
struct found_ids {
    unsigned count;
    struct found_id all[IDS_OF_REQUEST];
    enum client_field client_field;
    uint64_t client; /* a hash of its address; 0: it is no address */
    struct trace_context context;
};

/* Adds the id with this text, if it is long enough and short enough, of visible characters, new, and if there is room.
 */
void id_found(struct found_ids *found, enum id_kind kind, const uint8_t *text, size_t length);

/* Notes which client a field names, unless a better one has named it. */
void id_found_client(struct found_ids *found, enum client_field field, uint64_t client);

/* Notes in what trace a field says that the request stands, unless a better one has said it. Hexadecimal digits, at
 * most as many as there is room for; zeros are put before fewer. `trace` or `parent` is NULL where another field has
 * it. */
void id_found_context(struct found_ids *found, enum trace_field field, const uint8_t *trace, size_t trace_length,
                      const uint8_t *parent, size_t parent_length);

/* Adds what `more` says to what is known. */
void trace_context_take(struct trace_context *known, const struct trace_context *more);

/* Returns whether both ids are known, without contradiction. */
bool trace_context_is_whole(const struct trace_context *context);

/* Returns a hash of an address, never 0; one of IPv4 fills the first four bytes, or is mapped into IPv6. */
uint64_t address_hash(const uint8_t *address, bool ipv6);

/* Makes room for those of another message. */
static inline void
ids_begin(struct found_ids *found)
{
    found->count = 0;
    found->client_field = CLIENT_UNNAMED;
    found->client = 0;
    found->context = (struct trace_context){ .field = TRACE_UNNAMED };
}

/* Returns whether nothing is there. */
static inline bool
ids_are_none(const struct found_ids *found)
{
    return found->count == 0 && found->client_field == CLIENT_UNNAMED;
}

/* Adds each of `more` that is new, as long as there is room, and the client that is named there. */
void ids_found(struct found_ids *found, const struct found_ids *more);

/* Adds the ids of a traceparent (W3C Trace Context §3.2): those of its trace and of what has sent it. Returns whether
 * it is one. */
bool id_found_traceparent(struct found_ids *found, const uint8_t *text, size_t length);

/* Returns whether these are at least `least` and at most `most` hexadecimal digits, and not all of them 0. */
bool id_is_hex(const uint8_t *text, size_t length, size_t least, size_t most);

#endif
