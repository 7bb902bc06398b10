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
#include "../core/ca/ca_channel.h"
#include "../core/ca/ca_phases.h"
#include "../core/util/printable.h"
#include "../table/by_number.h"
#include "line_kinds.h"

enum { COMMANDS_MOST = 64 };

/* What events told of a monitor. */
struct monitor_digest {
    uint32_t monitor; /* number of the exchange that started it */
    uint64_t updates;
    struct statistic spacing; /* from one to the next */
};

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
    uint64_t *n_channels, *n_orphans;
};

static void
clear_monitor(void *digest)
{
    statistic_clear(&((struct monitor_digest *)digest)->spacing);
}

struct ca_export *
ca_export_new(const struct table_source *source, const struct circuit_protocol *protocol, uint64_t *channels,
              uint64_t *orphans)
{
    struct ca_export *export = g_new0(struct ca_export, 1);
    export->source = source;
    export->protocol = protocol;
    export->n_channels = channels;
    export->n_orphans = orphans;
    by_number_init(&export->channels, source, sizeof(bool));
    by_number_init(&export->circuits, source, sizeof(const struct ca_circuit *));
    by_number_init(&export->searches, source, sizeof(uint32_t));
    by_number_init(&export->monitors, source, sizeof(uint32_t));
    export->digests = g_array_new(FALSE, TRUE, sizeof(struct monitor_digest));
    g_array_set_clear_func(export->digests, clear_monitor);
    export->servers = groups_new(sizeof(struct ca_server_tally), ca_server_tally_clear);
    export->names = groups_new(sizeof(struct ca_searched), ca_searched_clear);
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
    ca_server_tally_outline(server);
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

static bool
is_ca(const struct circuit_protocol *protocol)
{
    return protocol == &circuit_of_channel_access;
}

static void
set_answer(struct channel_line *row, const struct ca_channel *channel)
{
    const struct ca_request *create = &channel->create;
    if (!ca_request_is_answered(create))
        return;
    row->response_frame = create->answer_frame;
    row->response_time = create->answer_ns;
    if (create->outcome != CA_OK)
        return;
    row->sid = channel->sid;
    if (!is_ca(create->circuit->protocol))
        return;
    row->dbr_type = channel->type;
    row->count = channel->count;
}

static void
set_phases(struct channel_line *row, const struct ca_phases *phases)
{
    row->create = phases->create_ns;
    row->search = phases->search_ns;
    row->tcp_connect = phases->tcp_connect_ns;
    row->hello = phases->hello_ns;
    row->first_value = phases->first_value_ns;
    row->connect = phases->connect_ns;
    row->waited = phases->waited_ns;
}

/* Writes a channel that is none of an orphan; `last_ns`: when its capture ended. */
static void
channel_row_write(struct line *line, const struct ca_channels *channels, uint32_t number, int64_t last_ns)
{
    const struct ca_channel *channel = ca_channel_at(channels, number);
    const struct ca_request *create = &channel->create;
    const struct ca_circuit *circuit = create->circuit;
    const struct ca_search *search = ca_search_at(&channels->searches, channel->search);
    const struct ca_phases phases = ca_phases_of(channels, channel, last_ns);
    char *pv = printable_text(NULL, channel->pv);
    struct channel_line row;
    members_clear(&channel_members, &row);
    row.number = number;
    row.pv = pv;
    row.client = (struct member_endpoint){ circuit->client, circuit->ipv6, false };
    row.server = (struct member_endpoint){ circuit->server, circuit->ipv6, false };
    row.request_frame = create->request_frame;
    row.request_time = create->request_ns;
    if (channel->rights != CA_RIGHTS_UNKNOWN)
        row.rights = channel->rights;
    row.circuit_time = circuit->syn_ns;
    if (search)
        row.search_attempts = search->attempts;
    row.ambiguous = channel->ambiguous;
    row.outcome = ca_channel_result(channel, last_ns);
    row.reason = ca_channel_reason(channels, channel, last_ns);
    set_answer(&row, channel);
    set_phases(&row, &phases);
    line_write(line, is_ca(circuit->protocol) ? "channel" : "pva_channel", &channel_members, &row);
    wmem_free(NULL, pv);
}

static void
monitor_row_write(struct line *line, const struct ca_channels *channels, const struct monitor_digest *digest)
{
    const struct ca_exchange *monitor = pool_at(&channels->exchanges, digest->monitor);
    const struct ca_request *start = &monitor->request;
    const struct ca_channel *channel = ca_channel_at(channels, monitor->channel);
    const bool has_start = start->outcome != CA_ORPHAN;
    char *pv = printable_text(NULL, channel && channel->pv ? channel->pv : "");
    const struct pva_monitor_line row = {
        .client = { start->circuit->client, start->circuit->ipv6, false },
        .server = { start->circuit->server, start->circuit->ipv6, false },
        .channel = channel ? monitor->channel : 0,
        .pv = pv,
        .ioid = start->id,
        .request_frame = has_start ? start->request_frame : 0,
        .request_time = has_start ? start->request_ns : NO_TIME,
        .first_update = ca_request_is_answered(start) ? ca_request_latency(start) : -1,
        .updates = digest->updates,
        .spacing = digest->spacing,
    };
    line_write(line, "pva_monitor", &pva_monitor_members, &row);
    wmem_free(NULL, pv);
}

static void
write_answerers(struct line *line, const void *data)
{
    const struct ca_searched *searched = data;
    for (unsigned i = 0; i < ca_searched_servers(searched); i++) {
        const struct ca_answerer *server = ca_searched_server(searched, i);
        json_dumper_begin_object(&line->dumper);
        line_endpoint(line, "server", "server_port", &server->endpoint, server->ipv6);
        json_dumper_end_object(&line->dumper);
    }
}

static void
search_row_write(struct line *line, const struct circuit_protocol *protocol, const struct group_key *key,
                 const struct ca_searched *searched)
{
    char *name = printable_text(NULL, key->kind);
    const struct search_line row = {
        .name = name,
        .client = { key->client, key->ipv6, is_ca(protocol) },
        .searches = searched->searches,
        .unanswered = searched->searches - searched->time.moments.count,
        .attempts = searched->attempts,
        .time = searched->time,
        .servers = { write_answerers, searched, { 0 } },
    };
    line_write(line, is_ca(protocol) ? "search" : "pva_search", &search_members, &row);
    wmem_free(NULL, name);
}

static struct member_mean
mean_of(const struct moments *moments)
{
    return (struct member_mean){ moments->count, moments->sum };
}

static void
ca_server_row_write(struct line *line, const struct circuit_protocol *protocol, const struct group_key *key,
                    const struct ca_server_tally *server)
{
    const struct ca_tally *tally = &server->counts;
    const struct channels_line row = {
        .server = { key->server, key->ipv6, false },
        .channels = tally->channels,
        .failed = tally->failed,
        .unanswered = ca_tally_unanswered(tally),
        .waiting = tally->waiting,
        .create = sample_statistic(&server->create),
        .answered = { tally->created + tally->failed, tally->asked_ns },
        .search = mean_of(&tally->search),
        .tcp_connect = mean_of(&tally->tcp_connect),
        .hello = mean_of(&tally->hello),
        .first_value = mean_of(&tally->first_value),
    };
    line_write(line, is_ca(protocol) ? "ca_server" : "pva_server", &channels_members, &row);
}

static void
ca_command_row_write(struct line *line, const struct circuit_protocol *protocol, unsigned command,
                     const struct statistic *response_time)
{
    const struct command_line row = { protocol->command_name(command), *response_time };
    line_write(line, is_ca(protocol) ? "ca_command" : "pva_command", &command_members, &row);
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
            ++*export->n_orphans;
            continue;
        }
        ++*export->n_channels;
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
