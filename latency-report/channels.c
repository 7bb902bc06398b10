/* channels.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "channels.h"

#include "core/ca/ca_phases.h"
#include "json/line_kinds.h"

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

/* From `*at` to an end, which is where the next phase goes on; 0 if that is past already. */
static int64_t
until(int64_t *at, int64_t end_ns)
{
    int64_t ns = MAX(end_ns - *at, 0);
    *at += ns;
    return ns;
}

/* A time since 1970, and how long something took, 0 if that is unknown: such that one of the first and four of the
 * others can be added. */
static int64_t
moment(int64_t time_ns)
{
    return CLAMP(time_ns, 0, INT64_C(1) << 62);
}

static int64_t
span(int64_t ns)
{
    return CLAMP(ns, 0, INT64_C(1) << 60);
}

/* One after the other: what a circuit's opening takes counts as far as the channel, which was found then, waits for it
 * with its request. */
static void
read_phases(const struct channel_line *line, int64_t phases_ns[PHASES], int64_t begin_ns)
{
    int64_t at = begin_ns, asked_ns = moment(line->request_time), opened_ns = moment(line->circuit_time);
    int64_t accepted_ns = opened_ns + span(line->tcp_connect);
    phases_ns[PHASE_SEARCH] = until(&at, MIN(begin_ns + span(line->search), asked_ns));
    phases_ns[PHASE_BEFORE_CONNECT] = until(&at, MIN(opened_ns, asked_ns));
    phases_ns[PHASE_TCP_CONNECT] = until(&at, MIN(accepted_ns, asked_ns));
    phases_ns[PHASE_HELLO] = until(&at, MIN(accepted_ns + span(line->hello), asked_ns));
    phases_ns[PHASE_BEFORE_CREATE] = until(&at, asked_ns);
    phases_ns[PHASE_CREATE] = span(line->create >= 0 ? line->create : line->waited);
    phases_ns[PHASE_FIRST_VALUE] = span(line->first_value);
}

void
channels_take(struct channels *channels, struct record *record)
{
    struct channel_line line;
    if (!line_read(record, &channel_members, &line))
        return;
    GPtrArray *heap = line.outcome == CA_RESULT_OK ? channels->slowest : channels->never;
    int64_t asked_ns = moment(line.request_time);
    int64_t end_ns = asked_ns + span(line.create >= 0 ? line.create : line.waited);
    int64_t begin_ns = line.connect >= 0 ? end_ns - span(line.connect) : asked_ns;
    if (!heap_wants(heap, CHANNELS_MOST, end_ns - begin_ns))
        return;
    struct slow_channel *slow = g_new(struct slow_channel, 1);
    *slow = (struct slow_channel){
        .slow = { end_ns - begin_ns, begin_ns },
        .file = channels->file,
        .frame = line.request_frame,
        .type = g_strdup(record_text(record, "type")),
        .pv = g_strdup(line.pv),
        .client = endpoint_text(&line.client.endpoint, line.client.ipv6),
        .server = endpoint_text(&line.server.endpoint, line.server.ipv6),
        .outcome = ca_result_name((enum ca_result)line.outcome),
        .reason = g_strdup(line.reason),
    };
    read_phases(&line, slow->phases_ns, begin_ns);
    heap_add(heap, CHANNELS_MOST, &slow->slow);
}

void
channels_sort(struct channels *channels)
{
    heap_sort(channels->slowest);
    heap_sort(channels->never);
}
