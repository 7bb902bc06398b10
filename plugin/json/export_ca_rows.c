/* export_ca_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_ca_rows.h"

#include "../core/ca/ca_phases.h"
#include "../core/util/printable.h"
#include "line_kinds.h"

static bool
is_ca(const struct circuit_protocol *protocol)
{
    return protocol == &circuit_of_channel_access;
}

/* What a capture says, as the tables show it: JSON has no other text than UTF-8. */
static void
write_name(struct line *line, const char *member, const char *text)
{
    char *name = printable_text(NULL, text);
    line_text(line, member, name);
    wmem_free(NULL, name);
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

void
channel_row_write(struct line *line, const struct ca_channels *channels, uint32_t number, int64_t last_ns)
{
    const struct ca_channel *channel = ca_channel_at(channels, number);
    const struct ca_request *create = &channel->create;
    const struct ca_circuit *circuit = create->circuit;
    const struct ca_search *search = ca_search_at(&channels->searches, channel->search);
    const struct ca_phases phases = ca_phases_of(channels, channel, last_ns);
    char *pv = printable_text(NULL, channel->pv);
    struct channel_line row = {
        .number = number,
        .pv = pv,
        .client = { circuit->client, circuit->ipv6, false },
        .server = { circuit->server, circuit->ipv6, false },
        .request_frame = create->request_frame,
        .request_time = create->request_ns,
        .response_time = NO_TIME,
        .sid = -1,
        .dbr_type = -1,
        .count = -1,
        .rights = channel->rights == CA_RIGHTS_UNKNOWN ? -1 : channel->rights,
        .circuit_time = circuit->syn_ns,
        .search_attempts = search ? (int64_t)search->attempts : -1,
        .ambiguous = channel->ambiguous,
        .outcome = ca_channel_result(channel, last_ns),
        .reason = ca_channel_reason(channels, channel, last_ns),
    };
    set_answer(&row, channel);
    set_phases(&row, &phases);
    line_write(line, is_ca(circuit->protocol) ? "channel" : "pva_channel", &channel_members, &row);
    wmem_free(NULL, pv);
}

void
monitor_row_write(struct line *line, const struct ca_channels *channels, const struct monitor_digest *digest)
{
    const struct ca_exchange *monitor = pool_at(&channels->exchanges, digest->monitor);
    const struct ca_request *start = &monitor->request;
    const struct ca_channel *channel = ca_channel_at(channels, monitor->channel);
    line_begin(line, "pva_monitor");
    line_endpoint(line, "client", "client_port", &start->circuit->client, start->circuit->ipv6);
    line_endpoint(line, "server", "server_port", &start->circuit->server, start->circuit->ipv6);
    if (channel) {
        line_uint(line, "channel", monitor->channel);
        write_name(line, "pv", channel->pv ? channel->pv : "");
    }
    line_uint(line, "ioid", start->id);
    if (start->outcome != CA_ORPHAN) {
        line_uint(line, "request_frame", start->request_frame);
        line_int(line, "request_time", start->request_ns);
    }
    if (ca_request_is_answered(start))
        line_time(line, "first_update", ca_request_latency(start));
    line_uint(line, "updates", digest->updates);
    line_statistic(line, "spacing", &digest->spacing);
    line_end(line);
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

void
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

void
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

void
ca_command_row_write(struct line *line, const struct circuit_protocol *protocol, unsigned command,
                     const struct statistic *response_time)
{
    const struct command_line row = { protocol->command_name(command), *response_time };
    line_write(line, is_ca(protocol) ? "ca_command" : "pva_command", &command_members, &row);
}
