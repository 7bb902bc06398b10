/* operation_number.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "operation_number.h"

#include <string.h>

#include <epan/wmem_scopes.h>

#include "../../core/request/operation.h"
#include "../../core/request/request.h"
#include "../../core/util/hashed.h"
#include "../../table/held_frames.h"
#include "../intake/intake.h"

static wmem_map_t *numbers; /* by the operation's kind */
static struct {
    const char *kind;
    void *number;
} latest; /* found: often it is asked for again. Meaningful while there are any */
static uint64_t key;
static struct held_frames ends;
static bool are_wanted;

/* Each request is looked up several times: wmem's own hash of texts took a tenth of what the plugin did. */
static unsigned
hash_of(const void *kind)
{
    return (unsigned)hashed_bytes(key, kind, strlen(kind));
}

static void
take(const struct item *item)
{
    /* some say what they ask for late */
    bool tells = item->kind == ITEM_REQUEST || item->kind == ITEM_UPDATED ||
                 (item->kind == ITEM_RESPONSE && item->flags & ITEM_FIRST);
    if (tells && wmem_map_size(numbers) < OPERATION_NUMBERS && tls_turn_role(item->request) == TLS_NONE)
        operation_number(item->request, NULL);
}

static void
take_last(void *data _U_, const struct item *item, uint32_t frame _U_)
{
    take(item);
}

void
operation_number_register(void)
{
    key = hashed_new_key();
    numbers = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_of, g_str_equal);
    held_frames_open(&ends, intake_source(), take_last, NULL);
    ends.takes_ever = true;
}

void
operation_numbers_want(void)
{
    are_wanted = true;
}

void
operation_numbers_take(struct items *items, uint32_t frame, bool is_asked)
{
    uint32_t position;
    unsigned count;
    if ((!is_asked && !are_wanted) || wmem_map_size(numbers) == OPERATION_NUMBERS)
        return;
    const struct late_item *late = items_late(items, &count);
    for (unsigned i = 0; i < count; i++)
        take(&late[i].item);
    for (const struct item *item = items_first(items, frame, &position); item; item = items_next(items, &position))
        take(item);
}

unsigned
operation_number(const struct request *request, const char **name)
{
    char kind[OPERATION_ROOM];
    const void *known = NULL;
    void *number = NULL;
    operation_kind(request->operation, request->protocol, intake_source()->settings->fold_numbers, kind);
    if (wmem_map_size(numbers) > 0 && strcmp(latest.kind, kind) == 0) {
        known = latest.kind;
        number = latest.number;
    } else if (!wmem_map_lookup_extended(numbers, kind, &known, &number) &&
               wmem_map_size(numbers) < OPERATION_NUMBERS) {
        known = wmem_strdup(wmem_file_scope(), kind);
        number = GUINT_TO_POINTER(wmem_map_size(numbers) + 1);
        wmem_map_insert(numbers, known, number);
    }
    if (known) {
        latest.kind = known;
        latest.number = number;
    }
    if (name)
        *name = known ? known : "";
    return GPOINTER_TO_UINT(number);
}
