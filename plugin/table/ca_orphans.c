/* ca_orphans.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_orphans.h"

#include <stdbool.h>

#include "ca_server_row.h"

void
ca_orphans_init(struct ca_orphans *orphans, const struct table_source *source)
{
    by_number_init(&orphans->counted, source, sizeof(bool));
    orphans->count = 0;
}

void
ca_orphans_clear(struct ca_orphans *orphans)
{
    by_number_clear(&orphans->counted);
}

uint32_t
ca_orphans_pass(struct ca_orphans *orphans, const struct ca_event *event)
{
    uint32_t number = ca_event_channel(event);
    if (number == 0 || event->subject.channel->create.outcome != CA_ORPHAN)
        return number;
    bool *counted = by_number_at(&orphans->counted, number);
    orphans->count += !*counted;
    *counted = true;
    return 0;
}

void
ca_orphans_write(const struct ca_orphans *orphans, GString *text)
{
    ca_server_row_write_orphans(text, orphans->count);
}
