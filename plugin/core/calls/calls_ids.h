/* calls_ids.h
 * Which requests have an id in common: of a trace, or of a request.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALLS_IDS_H
#define LATENCY_CALLS_IDS_H

#include <stdint.h>

#include <glib.h>

#include "../request/id_texts.h"

/* An id tells who caused a call only if at most CALL_ID_REQUESTS requests have it. Of a request CALL_IDS ids count. */
enum { CALL_ID_REQUESTS = 64, CALL_IDS = IDS_OF_REQUEST };

struct calls_ids {
    GArray *all;       /* of struct call_id; after calls_ids_settle() sorted by hash, then number */
    GArray *by_number; /* places in `all`, sorted by number */
};

void calls_ids_init(struct calls_ids *ids);
void calls_ids_clear(struct calls_ids *ids);

/* The request has this id. */
void calls_ids_add(struct calls_ids *ids, uint32_t number, enum id_kind kind, uint64_t hash);

/* To be called before others are asked for. */
void calls_ids_settle(struct calls_ids *ids);

/* Hands over each request that has an id in common with this one, once for each id. */
void calls_ids_each(const struct calls_ids *ids, uint32_t number, void (*take)(void *data, uint32_t other), void *data);

#endif
