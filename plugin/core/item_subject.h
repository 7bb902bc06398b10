/* item_subject.h
 * Which connection an item is of.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ITEM_SUBJECT_H
#define LATENCY_ITEM_SUBJECT_H

#include "tcp/item.h"

/* The connection whose attempt to connect an item begins or goes on with; NULL for other items. */
const struct connection *item_attempt(const struct item *item);

/* The connection whose payload an item is; NULL for other items. */
const struct connection *item_payload(const struct item *item);

/* The connection that a segment of the item's frame is of; NULL if the item does not tell. */
struct connection *item_connection(const struct item *item);

#endif
