/* pva_operation_fields.h
 * Shows the messages about operations: GET, PUT, MONITOR, RPC and the others.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_OPERATION_FIELDS_H
#define LATENCY_PVA_OPERATION_FIELDS_H

#include "pva_body.h"

void pva_operation_register(int proto);

/* One with a subcommand. */
void pva_operation_show(struct pva_body *body, struct pva_place *place);

#endif
