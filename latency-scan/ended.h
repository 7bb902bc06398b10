/* ended.h
 * Requests that have ended, each once, while a capture passes: as soon as they have all of their response, or when
 * nothing more can come of them. Turns of TLS, and requests that await no answer, are none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_ENDED_H
#define SCAN_ENDED_H

#include "core/stats/tally.h"
#include "scan.h"

/* Says after how many seconds without a byte a response by turns counts as over, for whoever wants to know early; it
 * does so, too, when its client goes on. */
enum { ENDED_SILENCE_S = 2 };

struct ended {
    const struct request *request;
    const char *operation;
    struct measured measured;
    int64_t told_ns; /* it went on behind an early end: its wait, as it has been told before; else -1 */
    void *begun;     /* what the listener returned; NULL if it is told again */
};

/* Who is told. */
struct ended_listener {
    void *data;
    /* A request has begun; what this returns is handed to `over`, once, when it has ended in whatever way, and been
     * told, or the capture has ended while it waits. NULL: nobody wants to know, as in the next. */
    void *(*begun)(void *data, const struct request *request);
    void (*over)(void *data, void *begun, bool still_waits);
    void (*ended)(void *data, const struct ended *ended);
    void (*item)(void *data, const struct item *item, uint32_t frame); /* any; NULL: nobody wants to know */
    bool early;
};

struct ended_requests;

/* From now on the listener, which is copied, is told of what the scan reads. */
struct ended_requests *ended_requests_new(struct scan *scan, const struct ended_listener *listener);

/* To be called before the scan is freed; `requests` may be NULL. */
void ended_requests_free(struct ended_requests *requests);

/* The capture has been read: nothing more will come of any. */
void ended_requests_finish(struct ended_requests *requests);

#endif
