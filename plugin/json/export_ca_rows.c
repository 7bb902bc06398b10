/* export_ca_rows.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_ca_rows.h"

#include "../core/ca/ca_phases.h"
#include "../core/util/printable.h"
#include "../table/names.h"

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
write_answer(struct line *line, const struct ca_channel *channel)
{
    const struct ca_request *create = &channel->create;
    if (!ca_request_is_answered(create))
        return;
    line_uint(line, "response_frame", create->answer_frame);
    line_int(line, "response_time", create->answer_ns);
    if (create->outcome != CA_OK)
        return;
    line_uint(line, "sid", channel->sid);
    if (!is_ca(create->circuit->protocol))
        return;
    line_uint(line, "dbr_type", channel->type);
    line_uint(line, "count", channel->count);
}

static void
write_phases(struct line *line, const struct ca_phases *phases)
{
    line_time(line, "create", phases->create_ns);
    line_time(line, "search", phases->search_ns);
    line_time(line, "tcp_connect", phases->tcp_connect_ns);
    line_time(line, "hello", phases->hello_ns);
    line_time(line, "first_value", phases->first_value_ns);
    line_time(line, "connect", phases->connect_ns);
    line_time(line, "waited", phases->waited_ns);
}

void
channel_row_write(struct line *line, const struct ca_channels *channels, uint32_t number, int64_t last_ns)
{
    const struct ca_channel *channel = ca_channel_at(channels, number);
    const struct ca_request *create = &channel->create;
    const struct ca_circuit *circuit = create->circuit;
    const struct ca_search *search = ca_search_at(&channels->searches, channel->search);
    const struct ca_phases phases = ca_phases_of(channels, channel, last_ns);
    const char *reason = ca_channel_reason(channels, channel, last_ns);
    line_begin(line, is_ca(circuit->protocol) ? "channel" : "pva_channel");
    line_uint(line, "number", number);
    write_name(line, "pv", channel->pv);
    line_endpoint(line, "client", "client_port", &circuit->client, circuit->ipv6);
    line_endpoint(line, "server", "server_port", &circuit->server, circuit->ipv6);
    line_uint(line, "request_frame", create->request_frame);
    line_int(line, "request_time", create->request_ns);
    write_answer(line, channel);
    if (channel->rights != CA_RIGHTS_UNKNOWN)
        line_uint(line, "rights", channel->rights);
    write_phases(line, &phases);
    line_time(line, "circuit_time", circuit->syn_ns);
    if (search)
        line_uint(line, "search_attempts", search->attempts);
    if (channel->ambiguous)
        line_true(line, "ambiguous");
    line_text(line, "outcome", ca_result_name(ca_channel_result(channel, last_ns)));
    if (*reason)
        line_text(line, "reason", reason);
    line_end(line);
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

void
search_row_write(struct line *line, const struct circuit_protocol *protocol, const struct group_key *key,
                 const struct ca_searched *searched)
{
    line_begin(line, is_ca(protocol) ? "search" : "pva_search");
    write_name(line, "name", key->kind);
    if (!is_ca(protocol))
        line_endpoint(line, "client", NULL, &key->client, key->ipv6);
    line_uint(line, "searches", searched->searches);
    line_uint(line, "unanswered", searched->searches - searched->time.moments.count);
    line_uint(line, "attempts", searched->attempts);
    line_statistic(line, "time", &searched->time);
    json_dumper_set_member_name(&line->dumper, "servers");
    json_dumper_begin_array(&line->dumper);
    for (unsigned i = 0; i < ca_searched_servers(searched); i++) {
        const struct ca_answerer *server = ca_searched_server(searched, i);
        json_dumper_begin_object(&line->dumper);
        line_endpoint(line, "server", "server_port", &server->endpoint, server->ipv6);
        json_dumper_end_object(&line->dumper);
    }
    json_dumper_end_array(&line->dumper);
    line_end(line);
}

static void
write_mean(struct line *line, const char *name, const struct moments *moments)
{
    line_count_and_sum(line, name, moments->count, moments->sum);
}

void
ca_server_row_write(struct line *line, const struct circuit_protocol *protocol, const struct group_key *key,
                    const struct ca_server_tally *server)
{
    const struct ca_tally *tally = &server->counts;
    line_begin(line, is_ca(protocol) ? "ca_server" : "pva_server");
    line_endpoint(line, "server", "server_port", &key->server, key->ipv6);
    line_uint(line, "channels", tally->channels);
    line_uint(line, "failed", tally->failed);
    line_uint(line, "unanswered", ca_tally_unanswered(tally));
    if (tally->waiting > 0)
        line_uint(line, "waiting", tally->waiting);
    line_sample(line, "create", &server->create);
    line_count_and_sum(line, "answered", tally->created + tally->failed, tally->asked_ns);
    write_mean(line, "search", &tally->search);
    write_mean(line, "tcp_connect", &tally->tcp_connect);
    write_mean(line, "hello", &tally->hello);
    write_mean(line, "first_value", &tally->first_value);
    line_end(line);
}

void
ca_command_row_write(struct line *line, const struct circuit_protocol *protocol, unsigned command,
                     const struct statistic *response_time)
{
    line_begin(line, is_ca(protocol) ? "ca_command" : "pva_command");
    line_text(line, "command", protocol->command_name(command));
    line_statistic(line, "response_time", response_time);
    line_end(line);
}
