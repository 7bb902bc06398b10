/* ca_counts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_counts.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

void
ca_counts_write(const struct ca_tally *sum, GString *text)
{
    g_string_append_printf(
        text, "%" PRIu64 " channel%s: %" PRIu64 " created, %" PRIu64 " failed, %" PRIu64 " unanswered", sum->channels,
        plurality(sum->channels, "", "s"), sum->created, sum->failed, ca_tally_unanswered(sum));
    if (sum->waiting > 0)
        g_string_append_printf(text, ", %" PRIu64 " waiting", sum->waiting);
    g_string_append(text, ".\n");
}

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
    const uint64_t count = orphans->count;
    if (count > 0)
        g_string_append_printf(text, "Not counted: %" PRIu64 " channel%s whose request is not in the capture.\n", count,
                               plurality(count, "", "s"));
}
