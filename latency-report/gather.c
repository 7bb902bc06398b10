/* gather.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "gather.h"

#include <stdbool.h>
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
take_request(struct gathering *gathering, const char *line)
{
    request_figures_take(&gathering->requests, line);
}

static void
take_setup(struct gathering *gathering, const char *line)
{
    request_figures_take_setup(&gathering->requests, line);
}

static void
take_connections(struct gathering *gathering, const char *line)
{
    counted_take(&gathering->counted[COUNTED_ATTEMPTS], line);
}

static void
take_sender(struct gathering *gathering, const char *line)
{
    counted_take(&gathering->counted[COUNTED_PATHS], line);
}

static void
take_search(struct gathering *gathering, const char *line)
{
    counted_take(&gathering->counted[COUNTED_SEARCHES], line);
}

static void
take_channel(struct gathering *gathering, const char *line)
{
    channels_take(&gathering->channels, line);
    counted_take(&gathering->counted[COUNTED_OUTCOMES], line);
}

void
gathering_take(struct gathering *gathering, const char *line)
{
    static const char before[] = "{\"type\":\"";
    static const struct {
        const char *name;
        void (*take)(struct gathering *gathering, const char *line);
    } types[] = {
        { "request\"", take_request },         { "attempt\"", take_setup }, { "handshake\"", take_setup },
        { "connections\"", take_connections }, { "sender\"", take_sender }, { "channel\"", take_channel },
        { "pva_channel\"", take_channel },     { "search\"", take_search }, { "pva_search\"", take_search },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
        if (!g_str_has_prefix(line + strlen(before), types[i].name))
            continue;
        types[i].take(gathering, line);
        return;
    }
}

void
gathering_finish(struct gathering *gathering)
{
    request_figures_sort(&gathering->requests);
    channels_sort(&gathering->channels);
    for (unsigned kind = 0; kind < COUNTED_KINDS; kind++)
        counted_sort(&gathering->counted[kind]);
}
