/* channels.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "channels.h"

#include "wanted.h"

const char *const phase_names[PHASES] = { "search",       "beforeConnect", "tcpConnect", "hello",
                                          "beforeCreate", "create",        "firstValue" };

static void
free_channel(void *data)
{
    struct slow_channel *slow = data;
    g_free(slow->type);
    g_free(slow->pv);
    g_free(slow->client);
    g_free(slow->server);
    g_free(slow->outcome);
    g_free(slow->reason);
    g_free(slow);
}

void
channels_init(struct channels *channels)
{
    channels->slowest = heap_new(free_channel);
    channels->never = heap_new(free_channel);
    channels->file = 0;
}

void
channels_clear(struct channels *channels)
{
    g_ptr_array_free(channels->slowest, TRUE);
    g_ptr_array_free(channels->never, TRUE);
}

/* What a line says. */
struct channel_line {
    struct member type, pv, client, client_port, server, server_port, frame, time, create, search, tcp_connect, hello;
    struct member first_value, connect, waited, circuit_time, outcome, reason;
};

static void
read_line(const char *text, struct channel_line *line)
{
    const struct wanted wanted[] = {
        { "type", &line->type },
        { "pv", &line->pv },
        { "client", &line->client },
        { "client_port", &line->client_port },
        { "server", &line->server },
        { "server_port", &line->server_port },
        { "request_frame", &line->frame },
        { "request_time", &line->time },
        { "create", &line->create },
        { "search", &line->search },
        { "tcp_connect", &line->tcp_connect },
        { "hello", &line->hello },
        { "first_value", &line->first_value },
        { "connect", &line->connect },
        { "waited", &line->waited },
        { "circuit_time", &line->circuit_time },
        { "outcome", &line->outcome },
        { "reason", &line->reason },
    };
    wanted_read(text, wanted, G_N_ELEMENTS(wanted));
}

/* From `*at` to an end, which is where the next phase goes on; 0 if that is past already. */
static int64_t
until(int64_t *at, int64_t end_ns)
{
    int64_t ns = MAX(end_ns - *at, 0);
    *at += ns;
    return ns;
}

/* One after the other: what a circuit's opening takes counts as far as the channel, which was found then, waits for it
 * with its request. */
static void
read_phases(const struct channel_line *line, int64_t phases_ns[PHASES], int64_t begin_ns)
{
    int64_t at = begin_ns, asked_ns = member_time(&line->time), opened_ns = member_time(&line->circuit_time);
    int64_t accepted_ns = opened_ns + member_span(&line->tcp_connect);
    phases_ns[PHASE_SEARCH] = until(&at, MIN(begin_ns + member_span(&line->search), asked_ns));
    phases_ns[PHASE_BEFORE_CONNECT] = until(&at, MIN(opened_ns, asked_ns));
    phases_ns[PHASE_TCP_CONNECT] = until(&at, MIN(accepted_ns, asked_ns));
    phases_ns[PHASE_HELLO] = until(&at, MIN(accepted_ns + member_span(&line->hello), asked_ns));
    phases_ns[PHASE_BEFORE_CREATE] = until(&at, asked_ns);
    phases_ns[PHASE_CREATE] = member_span(line->create.length ? &line->create : &line->waited);
    phases_ns[PHASE_FIRST_VALUE] = member_span(&line->first_value);
}

void
channels_take(struct channels *channels, const char *text)
{
    struct channel_line line = { 0 };
    read_line(text, &line);
    bool created = member_equals(&line.outcome, "ok");
    GPtrArray *heap = created ? channels->slowest : channels->never;
    int64_t asked_ns = member_time(&line.time);
    int64_t end_ns = asked_ns + member_span(line.create.length ? &line.create : &line.waited);
    int64_t begin_ns = line.connect.length ? end_ns - member_span(&line.connect) : asked_ns;
    if (!heap_wants(heap, end_ns - begin_ns))
        return;
    struct slow_channel *slow = g_new(struct slow_channel, 1);
    *slow = (struct slow_channel){
        .slow = { end_ns - begin_ns, begin_ns },
        .file = channels->file,
        .frame = (uint32_t)member_int(&line.frame),
        .type = wanted_text(&line.type),
        .pv = wanted_text(&line.pv),
        .client = wanted_endpoint(&line.client, &line.client_port),
        .server = wanted_endpoint(&line.server, &line.server_port),
        .outcome = wanted_text(&line.outcome),
        .reason = wanted_text(&line.reason),
    };
    read_phases(&line, slow->phases_ns, begin_ns);
    heap_add(heap, &slow->slow);
}

void
channels_sort(struct channels *channels)
{
    heap_sort(channels->slowest);
    heap_sort(channels->never);
}
