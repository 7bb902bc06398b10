/* waiting.h
 * Requests on their way to an answer, by their keys (framing.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WAITING_H
#define LATENCY_WAITING_H

#include "request.h"

/* What has waited longest with that key; NULL for nothing. */
struct request *waiting_first(const struct requests *requests, struct connection *connection, uint64_t key);

void waiting_add(struct requests *requests, struct request *request);

/* False if it does not wait. */
bool waiting_remove(struct requests *requests, struct request *request);

/* The same as waiting_first(); the next one with the key moves up. */
struct request *waiting_take(struct requests *requests, struct connection *connection, uint64_t key);

#endif
