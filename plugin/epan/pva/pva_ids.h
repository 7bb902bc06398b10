/* pva_ids.h
 * Ids and statuses, which most messages of pvAccess have.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_IDS_H
#define LATENCY_PVA_IDS_H

#include "pva_place.h"

void pva_ids_register(int proto);

/* Each shows one, and returns it; 0 if it is not there. */
uint32_t pva_show_cid(struct pva_place *place);
uint32_t pva_show_sid(struct pva_place *place);
uint32_t pva_show_ioid(struct pva_place *place);

/* False if it failed, or is not there. */
bool pva_show_status(struct pva_place *place);

#endif
