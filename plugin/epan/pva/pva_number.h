/* pva_number.h
 * Numbers of pvAccess: values of a fixed size.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_NUMBER_H
#define LATENCY_PVA_NUMBER_H

#include "pva_place.h"

struct pva_number {
    const int *hf; /* NULL: the type is none of a number */
    uint32_t bytes;
};

void pva_number_register(int proto);

/* Of a type's code, without the bits of arrays. */
struct pva_number pva_number_of(uint8_t code);

/* Shows one under its name; "" for none. */
void pva_number_show(struct pva_place *place, const char *name, const struct pva_number *number);

#endif
