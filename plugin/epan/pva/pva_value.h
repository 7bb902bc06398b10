/* pva_value.h
 * Values of pvAccess.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_VALUE_H
#define LATENCY_PVA_VALUE_H

#include "pva_type.h"

void pva_value_register(int proto);

/* A value of the type, all of it. */
void pva_value_show(struct pva_place *place, const struct pva_type *type);

/* A description, and a value of that type. */
void pva_value_show_typed(struct pva_place *place);

/* A set of fields, and the value's fields that are in it. `type`: NULL if the capture does not have it. */
void pva_value_show_partial(struct pva_place *place, const struct pva_type *type);

/* The set of those fields whose values an update has lost. */
void pva_value_show_overrun(struct pva_place *place);

#endif
