/* pva_body.h
 * What a message of pvAccess says behind its header.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_BODY_H
#define LATENCY_PVA_BODY_H

#include "pva_place.h"

void pva_body_register(int proto);

/* Reads it, from the place on, and shows it if the place has a tree. */
void pva_body_show(struct pva_place *place);

#endif
