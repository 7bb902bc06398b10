/* gather.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "gather.h"

#include <string.h>

void
gathering_init(struct gathering *gathering, int64_t first_ns, int64_t last_ns)
{
    request_figures_init(&gathering->requests, first_ns, last_ns);
    channels_init(&gathering->channels);
    for (unsigned kind = 0; kind < COUNTED_KINDS; kind++)
        counted_init(&gathering->counted[kind], kind);
}

void
gathering_clear(struct gathering *gathering)
{
    request_figures_clear(&gathering->requests);
    channels_clear(&gathering->channels);
    for (unsigned kind = 0; kind < COUNTED_KINDS; kind++)
        counted_clear(&gathering->counted[kind]);
}

void
gathering_begin_file(struct gathering *gathering, unsigned file)
{
    request_figures_begin_file(&gathering->requests, file);
    gathering->channels.file = file;
}

/* Of the lines that are not only counted. */
static void
take_figures(struct gathering *gathering, const char *type, struct record *record)
{
    if (strcmp(type, "capture") == 0)
        request_figures_take_joined(&gathering->requests, record);
    else if (strcmp(type, "request") == 0)
        request_figures_take(&gathering->requests, record);
    else if (strcmp(type, "call") == 0)
        request_figures_take_call(&gathering->requests, record);
    else if (strcmp(type, "attempt") == 0)
        request_figures_take_attempt(&gathering->requests, record);
    else if (strcmp(type, "handshake") == 0)
        request_figures_take_handshake(&gathering->requests, record);
    else if (strcmp(type, "channel") == 0 || strcmp(type, "pva_channel") == 0)
        channels_take(&gathering->channels, record);
}

bool
gathering_take(struct gathering *gathering, struct record *record)
{
    static const struct {
        const char *name;
        enum counted_kind kind;
    } counted[] = {
        { "connections", COUNTED_ATTEMPTS }, { "sender", COUNTED_PATHS },     { "search", COUNTED_SEARCHES },
        { "pva_search", COUNTED_SEARCHES },  { "channel", COUNTED_OUTCOMES }, { "pva_channel", COUNTED_OUTCOMES },
    };
    const char *type = record_text(record, "type");
    take_figures(gathering, type, record);
    for (unsigned i = 0; i < G_N_ELEMENTS(counted); i++)
        if (strcmp(type, counted[i].name) == 0)
            counted_take(&gathering->counted[counted[i].kind], record);
    return !record->wrong;
}

void
gathering_finish(struct gathering *gathering)
{
    request_figures_finish(&gathering->requests);
    channels_sort(&gathering->channels);
    for (unsigned kind = 0; kind < COUNTED_KINDS; kind++)
        counted_sort(&gathering->counted[kind]);
}
