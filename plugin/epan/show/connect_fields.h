/* connect_fields.h
 * The fields of an attempt to connect: latency.connect.* and latency.network.*
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CONNECT_FIELDS_H
#define LATENCY_CONNECT_FIELDS_H

#include "../../core/tcp/connection.h"
#include "../view.h"

/* Returns the result of an attempt that failed, on the frame of its answer or, if nothing answered, of its first SYN;
 * NULL on others, and where the answer may still come. */
const char *connect_fields_failure(const struct view *view, const struct item *item);

void connect_fields_register(int proto);

/* Of an item of kind ITEM_SYN, ITEM_ANSWER or ITEM_ACK. */
void connect_fields_show(struct view *view, const struct item *item);

#endif
