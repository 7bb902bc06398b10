/* matching.h
 * Requests on their way to an answer, by their keys (framing.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MATCHING_H
#define LATENCY_MATCHING_H

#include "request.h"

/* What has waited longest with that key; NULL for nothing. */
struct request *matching_first(const struct requests *requests, const struct connection *connection, uint64_t key);

void matching_add(struct requests *requests, struct request *request);

/* The same as matching_first(); the next one with the key moves up. */
struct request *matching_take(struct requests *requests, const struct connection *connection, uint64_t key);

#endif
