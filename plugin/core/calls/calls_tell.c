/* calls_tell.c
 * All causes at once: host by host, then what follows from them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_host.h"

#include "calls_joins.h"
#include "calls_rules.h"
#include "worker.h"

/* The requests of each host that is client and server, in arrays of all hosts. */
struct hosts {
    struct calls *calls;
    struct calls_host *hosts; /* by their numbers, from 1: none has that of an address that is joined to another */
    uint32_t *asked, *made;
    struct call_habit *habits;
};

/* The end of a call that failed, or of one without response, whose cause this was. */
struct failure {
    uint32_t cause, said;
    int64_t ends_ns;
};

static struct call_connection *
record_of_connection(const struct calls *calls, const struct call *call)
{
    return pool_at(&calls->connections, call->connection);
}

static void
note_span(struct call_connection *connection, const struct call *call, bool is_first)
{
    connection->begins_ns = is_first ? call->begins_ns : MIN(connection->begins_ns, call->begins_ns);
    connection->ends_ns = is_first ? call->ends_ns : MAX(connection->ends_ns, call->ends_ns);
}

/* Counts each host's requests, forgets what was told of them, and notes when their connections were open. */
static void
count_requests(const struct hosts *hosts)
{
    const struct calls *calls = hosts->calls;
    for (uint32_t i = 1; i <= calls->connections.count; i++) {
        struct call_connection *connection = pool_at(&calls->connections, i);
        connection->begins_ns = INT64_MAX;
        connection->ends_ns = INT64_MIN;
        connection->login = 0;
    }
    for (uint32_t number = 1; number <= calls->records.count; number++) {
        struct call *call = call_at(calls, number);
        if (call->frame == 0)
            continue;
        struct call_connection *connection = record_of_connection(calls, call);
        note_span(connection, call, connection->begins_ns == INT64_MAX);
        hosts->hosts[connection->server].n_asked++;
        hosts->hosts[connection->client].n_made += !call->is_pushed;
        call->cause = 0;
        call->candidates = 0;
        call->rule = CALL_NONE;
        call->is_retry = call->is_call = call->is_handed = call->is_crowded = false;
    }
}

/* Gives each host its part of the arrays; one that is not client and server none. */
static void
lay_out(struct hosts *hosts)
{
    uint32_t asked = 0, made = 0;
    for (uint32_t i = 1; i <= hosts->calls->addresses.count; i++) {
        struct calls_host *host = &hosts->hosts[i];
        const bool is_both = host->n_asked > 0 && host->n_made > 0;
        asked += is_both ? host->n_asked : 0;
        made += is_both ? host->n_made : 0;
    }
    hosts->asked = g_new(uint32_t, asked);
    hosts->made = g_new(uint32_t, made);
    asked = made = 0;
    for (uint32_t i = 1; i <= hosts->calls->addresses.count; i++) {
        struct calls_host *host = &hosts->hosts[i];
        if (host->n_asked == 0 || host->n_made == 0)
            continue;
        *host = (struct calls_host){
            .calls = hosts->calls,
            .number = i,
            .asked = hosts->asked + asked,
            .made = hosts->made + made,
            .habits = hosts->habits,
            .n_asked = host->n_asked,
            .n_made = host->n_made,
        };
        asked += host->n_asked;
        made += host->n_made;
        host->n_asked = host->n_made = 0;
    }
}

static void
fill(const struct hosts *hosts)
{
    const struct calls *calls = hosts->calls;
    for (uint32_t number = 1; number <= calls->records.count; number++) {
        struct call *call = call_at(calls, number);
        if (call->frame == 0)
            continue;
        const struct call_connection *connection = record_of_connection(calls, call);
        struct calls_host *server = &hosts->hosts[connection->server], *client = &hosts->hosts[connection->client];
        if (server->calls)
            server->asked[server->n_asked++] = number;
        call->is_call = client->calls && !call->is_pushed;
        call->is_joined = connection->from != connection->client;
        if (call->is_call)
            client->made[client->n_made++] = number;
    }
}

/* The calls with a cause, by that and in the order in which they began. */
static void
index_by_cause(const struct hosts *hosts)
{
    struct calls *calls = hosts->calls;
    const uint32_t last = calls->records.count;
    uint32_t n = 0;
    for (uint32_t number = 1; number <= last; number++)
        call_at(calls, number)->first_call = 0;
    for (uint32_t number = 1; number <= last; number++) {
        struct call *cause = call_at(calls, call_at(calls, number)->cause);
        if (cause)
            cause->first_call++;
    }
    for (uint32_t number = 1; number <= last; number++)
        n = call_at(calls, number)->first_call += n;
    g_free(calls->by_cause);
    calls->by_cause = g_new(uint32_t, n);
    calls->n_by_cause = n;
    for (uint32_t i = 1; i <= calls->addresses.count; i++) {
        const struct calls_host *host = &hosts->hosts[i];
        for (uint32_t j = host->calls ? host->n_made : 0; j-- > 0;) {
            struct call *cause = call_at(calls, call_at(calls, host->made[j])->cause);
            if (cause)
                calls->by_cause[--cause->first_call] = host->made[j];
        }
    }
}

/* Marks calls that follow one that asked for the same for the same cause, and that failed or had no response. */
static void
mark_retries(const struct calls *calls)
{
    struct failure *failures = g_new0(struct failure, calls->operations.count);
    for (uint32_t i = 0; i < calls->n_by_cause; i++) {
        struct call *call = call_at(calls, calls->by_cause[i]);
        struct failure *failure = &failures[call->operation];
        call->is_retry = call->said != 0 && failure->cause == call->cause && failure->said == call->said &&
                         failure->ends_ns <= call->begins_ns;
        if ((call->end_frame == 0 && call->outcome != OUTCOME_WAITING) || call->failed)
            *failure =
                (struct failure){ call->cause, call->said, call->end_frame > 0 ? call->answers_ns : call->begins_ns };
    }
    g_free(failures);
}

static void
count_told(struct calls *calls)
{
    for (unsigned rule = 0; rule < CALL_RULES; rule++)
        calls->told[rule] = 0;
    for (uint32_t number = 1; number <= calls->records.count; number++) {
        const struct call *call = call_at(calls, number);
        calls->told[call->rule] += call->is_call;
    }
}

static void
tell_hosts(const struct hosts *hosts)
{
    for (uint32_t i = 1; i <= hosts->calls->addresses.count; i++) {
        struct calls_host *host = &hosts->hosts[i];
        if (!host->calls)
            continue;
        calls_host_open(host);
        calls_rules_tell(host);
        worker_tell(host, hosts->calls->settings->call_percent);
        calls_host_close(host);
    }
}

void
calls_tell(struct calls *calls, const struct request_ids *ids)
{
    struct hosts hosts = { .calls = calls };
    if (calls->is_told)
        return;
    calls->is_told = true;
    hosts.hosts = g_new0(struct calls_host, calls->addresses.count + 1);
    hosts.habits = g_new0(struct call_habit, calls->operations.count);
    calls->ids = calls_ids_new(ids, calls->records.count);
    calls_threads_settle(&calls->threads);
    calls_joins_find(calls);
    count_requests(&hosts);
    lay_out(&hosts);
    fill(&hosts);
    tell_hosts(&hosts);
    index_by_cause(&hosts);
    mark_retries(calls);
    count_told(calls);
    calls_ids_free(calls->ids);
    g_free(hosts.asked);
    g_free(hosts.made);
    g_free(hosts.habits);
    g_free(hosts.hosts);
}
