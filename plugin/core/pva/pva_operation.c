/* pva_operation.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva_operation.h"

static void
read_request(unsigned command, struct pva_cursor *cursor, struct pva_operation *operation)
{
    operation->sid = pva_read_u32(cursor);
    operation->ioid = pva_read_u32(cursor);
    operation->asks = true;
    if (!pva_has_subcommand(command))
        return;
    operation->subcommand = pva_read_u8(cursor);
    bool starts = (operation->subcommand & (PVA_SUB_CONTROL | PVA_SUB_GET)) == (PVA_SUB_CONTROL | PVA_SUB_GET);
    if (command == PVA_MONITOR)
        operation->asks = starts || operation->subcommand & PVA_SUB_INIT;
}

/* An update has a status only where it is the last. */
static void
read_answer(unsigned command, struct pva_cursor *cursor, struct pva_operation *operation)
{
    operation->ioid = pva_read_u32(cursor);
    if (pva_has_subcommand(command))
        operation->subcommand = pva_read_u8(cursor);
    operation->has_status = command != PVA_MONITOR || (operation->subcommand & (PVA_SUB_INIT | PVA_SUB_DESTROY)) != 0;
    if (operation->has_status)
        operation->status = pva_read_status(cursor);
}

bool
pva_operation_read(unsigned command, struct pva_cursor *cursor, bool from_client, struct pva_operation *operation)
{
    *operation = (struct pva_operation){ .request = command };
    if (!pva_has_subcommand(command) && command != PVA_GET_FIELD)
        return false;
    if (from_client)
        read_request(command, cursor, operation);
    else
        read_answer(command, cursor, operation);
    if (operation->subcommand & PVA_SUB_INIT)
        operation->request |= PVA_INIT;
    /* A long message of a status may be cut: its type is there. */
    return !cursor->failed || (operation->has_status && cursor->available > 5);
}
