/* pva_operation.h
 * What a message about an operation (GET, PUT, MONITOR, RPC ...) says first: whose it is, and whether it asks or
 * answers.
 *
 * An operation begins with a request that has PVA_INIT, and then is carried out by others, as often as the client
 * likes. Of a MONITOR the start asks, and its first update answers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_OPERATION_H
#define LATENCY_PVA_OPERATION_H

#include "pva_cursor.h"
#include "pva_message.h"

struct pva_operation {
    uint32_t sid; /* of a client's message */
    uint32_t ioid;
    uint8_t subcommand;
    unsigned request; /* the command, with PVA_INIT where the operation begins */
    bool asks;        /* for an answer */
    bool has_status;
    struct pva_status status;
};

/* Whether the command is of an operation, and all that is needed is there. `cursor`, at the payload's beginning, is
 * left behind what was read. */
bool pva_operation_read(unsigned command, struct pva_cursor *cursor, bool from_client, struct pva_operation *operation);

#endif
