/* call_links.h
 * Which request of a capture caused which, as the lines "call" say: they stand behind those of all its requests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALL_LINKS_H
#define LATENCY_CALL_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "../core/stats/tally.h"
#include "../core/util/vocabulary.h"
#include "record.h"

struct request_line;

/* A request of the file. Rows are those of whoever takes it. */
struct asked {
    int64_t begin_ns, until_ns; /* how long its client waited for it */
    uint32_t number, frame;
    uint32_t server, operation, client; /* rows */
    uint32_t cause;                     /* the place of the one that caused it, plus 1; 0: none that is in the file */
    uint32_t calls_at, calls;           /* its calls' places are there in struct call_links: how many */
    uint8_t outcome;                    /* enum outcome */
    uint8_t rule;                       /* enum call_rule */
    uint8_t probability;                /* in percent */
    bool has_response : 1, has_duration : 1; /* of a stream, and of what awaits an event, no duration is known */
    bool failed : 1, is_pushed : 1;
    bool has_cause : 1; /* told, though perhaps of a request that is not in the file */
    bool is_retry : 1;
    bool is_uncaused : 1; /* a call without cause, as its line says */
};

struct call_links {
    GArray *asked;  /* of struct asked */
    GArray *causes; /* what the lines "call" say */
    GArray *calls;  /* of uint32_t: places, by the place of the cause, and in the order in which they began */
};

void call_links_init(struct call_links *links);
void call_links_clear(struct call_links *links);

/* Forgets the requests of the capture before. */
void call_links_begin(struct call_links *links);

/* Returns what a line says of its request: all but the rows, and what other lines say of it. */
struct asked asked_of_line(const struct request_line *line, const struct measured *measured);

/* Takes a request. If two have one number, lines "call" name the latter. */
void call_links_take_request(struct call_links *links, const struct asked *asked);

/* Takes a line "call". */
void call_links_take(struct call_links *links, struct record *record);

/* Whether lines "call" have been taken: a request that comes now is of a further capture in the file, which has numbers
 * of its own (tshark -M). */
bool call_links_are_told(const struct call_links *links);

/* Finds each request's calls, when all lines of the capture have been taken; false if none is told. Places are those of
 * the requests in the order of their numbers. */
bool call_links_join(struct call_links *links);

const struct asked *call_links_at(const struct call_links *links, uint32_t place);

/* The place of a request's call, from 0. */
uint32_t call_links_call(const struct call_links *links, const struct asked *cause, uint32_t i);

/* How long the client waited for the request while none of its calls was under way; -1 if it is not known. */
int64_t call_links_own_ns(const struct call_links *links, const struct asked *asked);

#endif
