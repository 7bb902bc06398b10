/* export_ca.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_ca.h"

#include "../core/stats/ca_server_tally.h"
#include "../core/analysis.h"
#include "../core/stats/ca_searched.h"
#include "../core/stats/groups.h"
#include "../core/pva/pva_monitor.h"
#include "../table/by_number.h"
#include "export_ca_rows.h"

enum { COMMANDS_MOST = 64 };

struct ca_export {
    const struct table_source *source;
    const struct circuit_protocol *protocol;
    /* Of the capture being read: */
    struct by_number channels; /* of bool: somebody told of it */
    struct by_number circuits; /* of const struct ca_circuit *, likewise */
    struct by_number searches; /* of uint32_t: its name's row plus one, likewise */
    struct by_number monitors; /* of uint32_t: its digest plus one, likewise */
    GArray *digests;           /* of struct monitor_digest */
    /* Of all: */
    struct groups *servers;                   /* of struct ca_server_tally */
    struct groups *names;                     /* of struct ca_searched */
    struct statistic commands[COMMANDS_MOST]; /* of which `protocol` has as many as it says */
    uint64_t n_channels, n_orphans;
};

static void
clear_server(void *server)
{
    ca_server_tally_clear(server);
}

static void
clear_name(void *name)
{
    ca_searched_clear(name);
}

static void
clear_monitor(void *digest)
{
    statistic_clear(&((struct monitor_digest *)digest)->spacing);
}

struct ca_export *
ca_export_new(const struct table_source *source, const struct circuit_protocol *protocol)
{
    struct ca_export *export = g_new0(struct ca_export, 1);
    export->source = source;
    export->protocol = protocol;
    by_number_init(&export->channels, source, sizeof(bool));
    by_number_init(&export->circuits, source, sizeof(const struct ca_circuit *));
    by_number_init(&export->searches, source, sizeof(uint32_t));
    by_number_init(&export->monitors, source, sizeof(uint32_t));
    export->digests = g_array_new(FALSE, TRUE, sizeof(struct monitor_digest));
    g_array_set_clear_func(export->digests, clear_monitor);
    export->servers = groups_new(sizeof(struct ca_server_tally), clear_server);
    export->names = groups_new(sizeof(struct ca_searched), clear_name);
    return export;
}

void
ca_export_free(struct ca_export *export)
{
    by_number_clear(&export->monitors);
    g_array_free(export->digests, TRUE);
    by_number_clear(&export->channels);
    by_number_clear(&export->circuits);
    by_number_clear(&export->searches);
    groups_free(export->servers);
    groups_free(export->names);
    for (unsigned i = 0; i < COMMANDS_MOST; i++)
        statistic_clear(&export->commands[i]);
    g_free(export);
}

static struct ca_server_tally *
server_of(const struct ca_export *export, const struct ca_circuit *circuit)
{
    const struct group_key key = { .server = circuit->server, .kind = "", .ipv6 = circuit->ipv6 };
    struct ca_server_tally *server = groups_at(export->servers, &key);
    ca_server_tally_outline(server, NULL);
    return server;
}

static void
note_circuit(struct ca_export *export, const struct ca_circuit *circuit)
{
    const struct ca_circuit **noted = by_number_at(&export->circuits, circuit->number);
    if (!*noted)
        server_of(export, circuit); /* servers stand in the order in which they came */
    *noted = circuit;
}

static void
note_monitor(struct ca_export *export, const struct ca_event *event)
{
    uint32_t *at = by_number_at(&export->monitors, event->subject.number);
    if (*at == 0) {
        *at = export->digests->len + 1;
        g_array_append_val(export->digests, ((struct monitor_digest){ .monitor = event->subject.number }));
    }
    struct monitor_digest *digest = &g_array_index(export->digests, struct monitor_digest, *at - 1);
    int64_t spacing_ns =
        event->subject.update ? ca_update_spacing(export->source->analysis->channels, event->subject.update) : -1;
    digest->updates += event->kind != CA_REQUEST_ASKED;
    if (spacing_ns >= 0)
        statistic_add(&digest->spacing, spacing_ns);
}

void
ca_export_take(struct ca_export *export, const struct ca_event *event)
{
    if (event->protocol != export->protocol)
        return;
    const struct ca_search *search = event->subject.search;
    uint32_t channel = ca_event_channel(event);
    unsigned command;
    int64_t latency_ns = ca_event_latency(event, &command);
    if (latency_ns >= 0)
        statistic_add(&export->commands[command], latency_ns);
    if (search) {
        const struct group_key key =
            ca_searched_key(&export->source->analysis->channels->searches, event->protocol, search);
        unsigned row = groups_row(export->names, &key);
        *(uint32_t *)by_number_at(&export->searches, event->subject.number) = row + 1;
    }
    if (channel)
        *(bool *)by_number_at(&export->channels, channel) = true;
    if (pva_monitor_concerns(event))
        note_monitor(export, event);
    bool orphan = channel && event->subject.channel->create.outcome == CA_ORPHAN;
    if (event->circuit && !orphan && (channel || event->kind == CA_HELLO))
        note_circuit(export, event->circuit);
}

static void
take_channels(struct ca_export *export, struct line *line)
{
    for (uint32_t number = 1; number < by_number_count(&export->channels); number++) {
        const struct ca_channels *channels = export->source->analysis->channels;
        const struct ca_channel *channel = ca_channel_at(channels, number);
        if (!*(bool *)by_number_at(&export->channels, number))
            continue;
        if (channel->create.outcome == CA_ORPHAN) {
            export->n_orphans++;
            continue;
        }
        export->n_channels++;
        struct ca_share share = { 0 };
        ca_server_tally_take_channel(server_of(export, channel->create.circuit), &share, channel,
                                     ca_search_at(&channels->searches, channel->search), export->source->last_ns);
        if (line)
            channel_row_write(line, channels, number, export->source->last_ns);
    }
}

static void
write_monitors(struct ca_export *export, struct line *line)
{
    for (unsigned i = 0; line && i < export->digests->len; i++)
        monitor_row_write(line, export->source->analysis->channels,
                          &g_array_index(export->digests, struct monitor_digest, i));
}

static void
take_circuits(struct ca_export *export)
{
    for (uint32_t number = 1; number < by_number_count(&export->circuits); number++) {
        const struct ca_circuit *circuit = *(const struct ca_circuit **)by_number_at(&export->circuits, number);
        struct ca_share share = { 0 };
        if (circuit)
            ca_tally_take_circuit(&server_of(export, circuit)->counts, &share, circuit);
    }
}

static void
take_searches(struct ca_export *export)
{
    for (uint32_t number = 1; number < by_number_count(&export->searches); number++) {
        uint32_t row = *(uint32_t *)by_number_at(&export->searches, number);
        const struct ca_searches *searches = &export->source->analysis->channels->searches;
        struct ca_searched_share share = { 0 };
        if (row)
            ca_searched_take(groups_value(export->names, row - 1), &share, searches, ca_search_at(searches, number));
    }
}

void
ca_export_end_capture(struct ca_export *export, struct line *line)
{
    take_channels(export, line);
    write_monitors(export, line);
    take_circuits(export);
    take_searches(export);
    by_number_forget(&export->channels);
    by_number_forget(&export->circuits);
    by_number_forget(&export->searches);
    by_number_forget(&export->monitors);
    g_array_set_size(export->digests, 0);
}

void
ca_export_write(const struct ca_export *export, bool with_names, struct line *line)
{
    for (unsigned row = 0; with_names && row < groups_count(export->names); row++)
        search_row_write(line, export->protocol, groups_key(export->names, row), groups_value(export->names, row));
    for (unsigned row = 0; row < groups_count(export->servers); row++)
        ca_server_row_write(line, export->protocol, groups_key(export->servers, row),
                            groups_value(export->servers, row));
    for (unsigned command = 0; command < COMMANDS_MOST; command++)
        if (export->commands[command].moments.count > 0)
            ca_command_row_write(line, export->protocol, command, &export->commands[command]);
}

uint64_t
ca_export_channels(const struct ca_export *export)
{
    return export->n_channels;
}

uint64_t
ca_export_orphans(const struct ca_export *export)
{
    return export->n_orphans;
}
