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

static void
take_request(struct gathering *gathering, struct record *record)
{
    request_figures_take(&gathering->requests, record);
}

static void
take_attempt(struct gathering *gathering, struct record *record)
{
    request_figures_take_attempt(&gathering->requests, record);
}

static void
take_handshake(struct gathering *gathering, struct record *record)
{
    request_figures_take_handshake(&gathering->requests, record);
}

static void
take_connections(struct gathering *gathering, struct record *record)
{
    counted_take(&gathering->counted[COUNTED_ATTEMPTS], record);
}

static void
take_sender(struct gathering *gathering, struct record *record)
{
    counted_take(&gathering->counted[COUNTED_PATHS], record);
}

static void
take_search(struct gathering *gathering, struct record *record)
{
    counted_take(&gathering->counted[COUNTED_SEARCHES], record);
}

static void
take_channel(struct gathering *gathering, struct record *record)
{
    channels_take(&gathering->channels, record);
    counted_take(&gathering->counted[COUNTED_OUTCOMES], record);
}

bool
gathering_take(struct gathering *gathering, struct record *record)
{
    static const struct {
        const char *name;
        void (*take)(struct gathering *gathering, struct record *record);
    } types[] = {
        { "request", take_request },         { "attempt", take_attempt }, { "handshake", take_handshake },
        { "connections", take_connections }, { "sender", take_sender },   { "channel", take_channel },
        { "pva_channel", take_channel },     { "search", take_search },   { "pva_search", take_search },
    };
    const char *type = record_text(record, "type");
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++)
        if (strcmp(type, types[i].name) == 0)
            types[i].take(gathering, record);
    return !record->wrong;
}

void
gathering_finish(struct gathering *gathering)
{
    request_figures_sort(&gathering->requests);
    channels_sort(&gathering->channels);
    for (unsigned kind = 0; kind < COUNTED_KINDS; kind++)
        counted_sort(&gathering->counted[kind]);
}
