/* still_awaited.h
 * How long a request can be awaited, while it is not known which request the next answer belongs to. For resync.c.
 *
 * A server that went on answering for eight times the longest latency has answered what was asked before. A pause
 * counts no longer than that latency: in it, nothing was answered. The rule holds from sixteen known responses on, when
 * the client has reached its usual depth. The longest latency is the connection's, but no less than the time that the
 * youngest request which the next answer can belong to has waited.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_STILL_AWAITED_H
#define LATENCY_STILL_AWAITED_H

#include <stdbool.h>
#include <stdint.h>

struct still_awaited {
    int64_t now_ns; /* time in which the server went on answering, of what is not known; it stands still otherwise */
    int64_t answered_ns; /* when it answered last, then; 0: never */
    int64_t longest_ns;  /* latency */
    uint32_t known;      /* responses of which the request was known */
};

/* The request of the next response is known. */
void still_awaited_note_known(struct still_awaited *awaited);

/* The server answers at `time_ns` (since the epoch), and it is not known what. `longest_ns`: the longest latency of the
 * connection so far; `youngest_ns`: now_ns when the youngest request was asked that it can answer. Returns the now_ns
 * before which nothing was asked that is awaited; INT64_MIN if that cannot be said. */
int64_t still_awaited_since(struct still_awaited *awaited, int64_t time_ns, int64_t longest_ns, int64_t youngest_ns);

#endif
