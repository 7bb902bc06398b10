/* pva_description.h
 * Shows how messages of pvAccess describe the types of values.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_DESCRIPTION_H
#define LATENCY_PVA_DESCRIPTION_H

#include "pva_type.h"

void pva_description_register(int proto);

/* The description at the place, and what it is: at most `left` fields of it, which become fewer. NULL if there is none,
 * or it cannot be known. */
const struct pva_type *pva_description_show(struct pva_types *types, uint32_t *left, struct pva_place *place);

/* What the item stands for cannot be shown: the capture does not have the description of its type. */
void pva_description_say_unknown(const struct pva_place *place, proto_item *item);

#endif
