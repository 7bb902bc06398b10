/* pva_body.h
 * What a message of pvAccess says behind its header.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_BODY_H
#define LATENCY_PVA_BODY_H

#include "../../core/pva/pva_message.h"
#include "pva_value.h"

struct pva_body {
    unsigned command;
    bool from_client;
    bool is_cut; /* it goes on in another part: only its beginning is read */
    struct pva_values values;
};

void pva_body_register(int proto);

/* Reads it, from the place on, and shows it if the place has a tree. */
void pva_body_show(struct pva_body *body, struct pva_place *place);

#endif
