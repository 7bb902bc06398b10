/* resync.h
 * Which request the next answer belongs to, where answers come in order, and also where bytes are missing in the
 * capture. Facts go in, an interval comes out.
 *
 * Requests are answered in the order in which they are asked. While nothing is missing, the next answer belongs to the
 * first one that waits. A gap leaves several that it can belong to; each fact rules out some of them, and each answer
 * that passes moves all of them on by one. When one is left, it is known again.
 *
 * Requests are numbered from 0 as they are asked. A gap in the client's bytes has a number, too: it stands for requests
 * that the capture does not have. Of more than RESYNC_WINDOW numbers that are possible the lowest are given up, and no
 * more are searched for what identifies one, or are a habit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_RESYNC_H
#define LATENCY_RESYNC_H

#include <stdbool.h>
#include <stdint.h>

#include <wsutil/wmem/wmem.h>

enum { RESYNC_WINDOW = 256 };

/* Of a gap in which there can be any number of requests. */
#define RESYNC_MANY UINT32_MAX

struct resync;

/* The next answer belongs to one of these. */
struct interval {
    uint64_t low, high;
    bool known; /* they are one, and no gap */
    bool idle;  /* nothing waits; the number is the next request's */
};

struct resync *resync_new(wmem_allocator_t *scope);
void resync_free(struct resync *resync);

/* A request is asked, whose answer looks like this (looks.h). No server answers it before it has the client's bytes up
 * to `offset`. Returns its number. */
uint64_t resync_ask(struct resync *resync, int64_t offset, uint64_t looks);

/* So does the answer to the request asked last look. */
void resync_describe(struct resync *resync, uint64_t looks);

/* The client's bytes from `offset` on are missing: there may be requests in them. It is known later how many at most.
 */
void resync_open_gap(struct resync *resync, int64_t offset);
void resync_close_gap(struct resync *resync, uint64_t most);

/* Before the first request, in the gap of none that was opened and closed there, others were asked that wait still.
 * Returns false, and does nothing, once one has been answered, or more than one number is possible. */
bool resync_precede(struct resync *resync);

/* What was asked last may be many requests, or none. */
void resync_blur(struct resync *resync);

/* The next answer begins in a segment with which the server acknowledges the client's bytes up to `offset`. */
void resync_acknowledge(struct resync *resync, int64_t offset);

/* The next answer, or the one that passed last, looks like this. */
void resync_see(struct resync *resync, uint64_t looks, bool passed);

/* Likewise; and its number tells requests apart, if no two in a row had the same: of all that wait one alone may have
 * it. False if that contradicts what was known before. */
bool resync_identify(struct resync *resync, uint64_t looks);

/* An answer passes. */
void resync_answer(struct resync *resync);

/* Whether a request that is known, of an answer that looks like this, may still wait for it. */
bool resync_awaits(const struct resync *resync, uint64_t looks);

/* Answers may be missing before the next one. */
void resync_miss(struct resync *resync);

/* The next answer may still belong to the request that was answered last. */
void resync_repeat(struct resync *resync);

/* Everything that was asked has been answered. False if that contradicts what was known before. */
bool resync_finish(struct resync *resync);

/* The client has had all answers that passed, and has asked. How many requests it has in flight then at most is a habit
 * that counts when the same number has been reached often. */
void resync_note_flight(struct resync *resync);

struct interval resync_next(const struct resync *resync);

/* How many requests, up to `most`, were asked in a row right before this one. */
uint64_t resync_row(const struct resync *resync, uint64_t number, uint64_t most);

#endif
