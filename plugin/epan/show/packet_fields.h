/* packet_fields.h
 * The fields of a payload frame next to the one before it in its request or response: latency.spacing, latency.flags
 * and those beside them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PACKET_FIELDS_H
#define LATENCY_PACKET_FIELDS_H

#include "../../core/tcp/item.h"
#include "../view.h"

void packet_fields_register(int proto);

/* Of an item of kind ITEM_REQUEST or ITEM_RESPONSE, or ITEM_HELD, which has no place in a request yet. */
void packet_fields_show(struct view *view, const struct item *item);

#endif
