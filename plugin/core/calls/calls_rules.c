/* calls_rules.c
 * Each rule is right in whatever it tells, or else says nothing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_rules.h"

#include <stdlib.h>

enum { ID_OTHERS = IDS_OF_REQUEST * CALL_ID_REQUESTS };

/* Requests that came to a call's host before it and have an id of it. */
struct id_search {
    const struct calls_host *host;
    uint32_t number;
    uint32_t within[ID_OTHERS]; /* those that contain it, once for each id */
    uint32_t n_within;
    uint32_t ended; /* of those that do not, the one that began last; 0: there is none */
};

/* Whether the request came to the call's host. On the call's own connection the host was not asked: it asks itself. */
static bool
came_to(const struct calls_host *host, const struct call *request, const struct call *call)
{
    const struct call_connection *connection = pool_at(&host->calls->connections, request->connection);
    return connection->server == host->number && request->connection != call->connection;
}

static void
take_with_id(void *data, uint32_t number)
{
    struct id_search *search = data;
    const struct calls *calls = search->host->calls;
    const struct call *other = calls_find(calls, number), *call = call_at(calls, search->number);
    if (!other || !came_to(search->host, other, call) || other->begins_ns > call->begins_ns ||
        (other->begins_ns == call->begins_ns && other->frame >= call->frame))
        return;
    if (call_is_within(call, other))
        search->within[search->n_within++] = number;
    else if (search->ended == 0 || call_at(calls, search->ended)->begins_ns <= other->begins_ns)
        search->ended = number;
}

static int
compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Leaves those that have most ids in common with the call. */
static void
keep_nearest(struct id_search *search, struct call_candidates *candidates)
{
    uint32_t most = 0;
    qsort(search->within, search->n_within, sizeof *search->within, compare_numbers);
    for (uint32_t i = 0, end; i < search->n_within; i = end) {
        for (end = i + 1; end < search->n_within && search->within[end] == search->within[i]; end++)
            ;
        if (end - i < most)
            continue;
        if (end - i > most)
            candidates->count = 0;
        most = end - i;
        if (candidates->count < CALL_CANDIDATES)
            candidates->number[candidates->count++] = search->within[i];
    }
    candidates->is_cut = false;
    calls_sort(search->host->calls, candidates->number, candidates->count);
    for (uint32_t i = 0, j = candidates->count; i + 1 < j; i++) {
        const uint32_t number = candidates->number[i];
        candidates->number[i] = candidates->number[--j];
        candidates->number[j] = number;
    }
}

/* By ids: leaves the candidates that have one in common with the call, if any has. Returns the request that has ended
 * and is the cause, if none has; 0: there is none. */
static uint32_t
narrow_by_id(const struct calls_host *host, uint32_t number, struct call_candidates *candidates, bool *has_id)
{
    struct id_search search;
    search.host = host;
    search.number = number;
    search.n_within = search.ended = 0;
    calls_ids_each(host->calls->ids, number, take_with_id, &search);
    *has_id = search.n_within > 0;
    if (!*has_id)
        return search.ended;
    keep_nearest(&search, candidates);
    return 0;
}

/* HTTP in whatever version, and what a web server asks an application by FastCGI, say the same of the same; other
 * protocols are compared with themselves. */
static unsigned
language(const struct calls *calls, const struct call *request)
{
    const unsigned framing = calls_operation(calls, request->operation)->framing;
    return framing == PROTOCOL_HTTP2 || framing == PROTOCOL_HTTP3 || framing == PROTOCOL_FASTCGI ? PROTOCOL_HTTP
                                                                                                 : framing;
}

/* Who passed on to the very server what that was asked for would do so again, without end. */
static bool
is_same(const struct calls *calls, const struct call *call, const struct call *cause)
{
    if (call->said == 0 || call->said != cause->said || language(calls, call) != language(calls, cause))
        return false;
    const struct call_operation *passed = calls_operation(calls, call->operation);
    const struct call_operation *asked = calls_operation(calls, cause->operation);
    return passed->ipv6 != asked->ipv6 || !endpoint_equal(&passed->server, &asked->server);
}

static bool
has_same(const struct calls *calls, const struct call *call, const struct call_candidates *candidates)
{
    for (uint32_t i = 0; i < candidates->count; i++)
        if (is_same(calls, call, call_at(calls, candidates->number[i])))
            return true;
    return false;
}

/* Whether such calls are known to have causes that ask for something else. If of none all possible causes are known,
 * one that no known cause asks for is enough. */
static bool
has_others(const struct calls_host *host, const struct call *call)
{
    const struct call_habit *habit = calls_host_habit(host, call);
    return habit->has_others || (habit->calls == 0 && habit->may_have_others);
}

/* Leaves the candidates that ask for what the call asks for, if it is known of all such calls that their causes do. */
static void
narrow_by_same(const struct calls_host *host, const struct call *call, struct call_candidates *candidates,
               bool *is_proxied)
{
    const struct calls *calls = host->calls;
    uint32_t kept = 0;
    *is_proxied = !candidates->is_cut && !has_others(host, call) && has_same(calls, call, candidates);
    if (!*is_proxied)
        return;
    for (uint32_t i = 0; i < candidates->count; i++)
        if (is_same(calls, call, call_at(calls, candidates->number[i])))
            candidates->number[kept++] = candidates->number[i];
    candidates->count = kept;
}

/* Leaves the candidate that the thread has read which sends the call, if it is known of all who read them, and the
 * thread has no other one outstanding. Notes if it has read none. */
static bool
narrow_by_thread(const struct calls_host *host, struct call *call, struct call_candidates *candidates)
{
    const struct calls_threads *threads = &host->calls->threads;
    const uint32_t thread = calls_threads_of(threads->sent, call->frame);
    uint32_t its = 0, n_its = 0;
    if (thread == 0 || candidates->is_cut)
        return false;
    for (uint32_t i = 0; i < candidates->count; i++) {
        const uint32_t reader = calls_threads_of(threads->read, call_at(host->calls, candidates->number[i])->frame);
        if (reader == 0)
            return false;
        if (reader == thread) {
            its = candidates->number[i];
            n_its++;
        }
    }
    call->is_handed = n_its == 0;
    if (n_its != 1)
        return false;
    candidates->number[0] = its;
    candidates->count = 1;
    return true;
}

void
calls_rules_narrow(const struct calls_host *host, uint32_t number, struct call_candidates *candidates)
{
    bool is_narrowed;
    narrow_by_id(host, number, candidates, &is_narrowed);
    narrow_by_same(host, call_at(host->calls, number), candidates, &is_narrowed);
}

/* Streams, and what awaits an event, are open all the time: whatever a host does then is within them. */
static bool
has_waiting(const struct calls *calls, const struct call_candidates *candidates)
{
    for (uint32_t i = 0; i < candidates->count; i++)
        if (call_at(calls, candidates->number[i])->wait == WAIT_FOR_LAST_BYTE)
            return true;
    return candidates->is_cut;
}

/* Tells the cause by ids, if that can be; else leaves the candidates that have one in common with the call. Returns
 * whether it is a request that has ended. */
static bool
tell_by_id(struct calls_host *host, uint32_t number, struct call_candidates *candidates)
{
    bool has_id;
    const uint32_t ended = narrow_by_id(host, number, candidates, &has_id);
    if (ended > 0)
        call_tell(host->calls, number, ended, CALL_AFTER, 100);
    else if (has_id && candidates->count == 1)
        call_tell(host->calls, number, candidates->number[0], CALL_ID, 100);
    return ended > 0;
}

/* Notes the request as the only one that may be the call's cause. */
static void
learn_single(struct calls_host *host, const struct call *call, uint32_t cause)
{
    struct call_pair *pair = calls_host_pair(host, call, call_at(host->calls, cause));
    calls_host_habit(host, call)->single++;
    pair->requests += pair->last_number != cause;
    pair->last_number = cause;
}

static void
note_candidates(const struct calls_host *host, uint32_t number, const struct call_candidates *candidates)
{
    struct call *call = call_at(host->calls, number);
    call->candidates = candidates->is_cut ? CALL_CANDIDATES : (uint16_t)candidates->count;
    call_tell(host->calls, number, 0, call->candidates > 0 ? CALL_SEVERAL : CALL_NONE, 100);
}

/* Learns the host's habits from a call, whose cause is told if ids tell it. */
static void
learn(void *data, uint32_t number, struct call_candidates *candidates)
{
    struct calls_host *host = data;
    const struct call *call = call_at(host->calls, number);
    struct call_habit *habit = calls_host_habit(host, call);
    const bool is_other =
        !habit->has_others && call->said != 0 && !candidates->is_cut && !has_same(host->calls, call, candidates);
    if (calls_host_knows(host, call)) {
        habit->calls++;
        if (candidates->count == 1 && !candidates->is_cut)
            learn_single(host, call, candidates->number[0]);
        const bool is_alone = !has_waiting(host->calls, candidates);
        habit->has_others |= is_other;
        habit->alone += tell_by_id(host, number, candidates) || is_alone;
    } else {
        habit->may_have_others |= is_other;
        tell_by_id(host, number, candidates);
    }
    if (call->cause == 0)
        note_candidates(host, number, candidates);
}

/* What a host asks for at times while it has nothing to answer, it asks for on its own account, or for a request that
 * the capture does not have. If that is most of its operations, the latter. */
static bool
is_partial(const struct calls_host *host)
{
    uint32_t mixed = 0, clean = 0;
    for (uint32_t i = 0; i < host->n_made; i++) {
        const struct call_habit *habit = calls_host_habit(host, call_at(host->calls, host->made[i]));
        clean += habit->alone == 0;
        mixed += habit->alone > 0 && habit->alone < habit->calls;
    }
    return mixed > clean;
}

/* Whether it shows that the host does not ask on its own account: most requests like this one have such a call. Or it
 * has asked so often that, at any time, it would have asked with nothing outstanding, too: with a probability of 99 %.
 */
static bool
is_habit(const struct calls_host *host, const struct call *call, const struct call *cause)
{
    const double expected_alone = calls_host_habit(host, call)->calls * host->idle, least = 4.6; /* ln 100 */
    return expected_alone >= least ||
           2 * calls_host_pair(host, call, cause)->requests >= calls_host_habit(host, cause)->asked;
}

/* Where a host has many requests outstanding all the time, each call is within some, also one on the host's own account
 * or one that comes after its cause: that none of an operation is alone shows nothing there. */
static bool
is_only(const struct calls_host *host, const struct call *call, const struct call_candidates *candidates)
{
    const struct call_habit *habit = calls_host_habit(host, call);
    return candidates->count == 1 && has_waiting(host->calls, candidates) && !candidates->is_cut && !host->is_partial &&
           habit->alone == 0 && habit->single >= habit->calls / 2 && calls_host_knows(host, call) &&
           is_habit(host, call, call_at(host->calls, candidates->number[0]));
}

/* Returns whether there is a rule but `id` and `worker` that may tell the call. */
static bool
may_be_told(const struct calls_host *host, const struct call *call)
{
    return call->cause == 0 && (call->candidates == 1 || (call->said != 0 && !has_others(host, call)) ||
                                calls_threads_of(host->calls->threads.sent, call->frame) > 0);
}

/* Tells the cause of a call that ids do not tell. */
static void
tell(void *data, uint32_t number, struct call_candidates *candidates)
{
    struct calls_host *host = data;
    struct call *call = call_at(host->calls, number);
    bool has_id, is_proxied;
    const bool is_only_one = is_only(host, call, candidates);
    narrow_by_id(host, number, candidates, &has_id);
    narrow_by_same(host, call, candidates, &is_proxied);
    note_candidates(host, number, candidates);
    if (candidates->count == 1 && is_proxied)
        call_tell(host->calls, number, candidates->number[0], CALL_SAME, 100);
    else if (narrow_by_thread(host, call, candidates))
        call_tell(host->calls, number, candidates->number[0], CALL_THREAD, 100);
    else if (is_only_one)
        call_tell(host->calls, number, candidates->number[0], CALL_ONLY, 100);
}

typedef void login_take(struct calls_host *host, uint32_t login, const struct call *next);

/* Hands over each login with the request that follows on its connection, if the cause of that is told. */
static void
each_login(struct calls_host *host, login_take *take)
{
    for (uint32_t i = 0; i < host->n_made; i++) {
        struct call_connection *made =
            pool_at(&host->calls->connections, call_at(host->calls, host->made[i])->connection);
        made->login = 0;
    }
    for (uint32_t i = 0; i < host->n_made; i++) {
        const struct call *call = call_at(host->calls, host->made[i]);
        struct call_connection *connection = pool_at(&host->calls->connections, call->connection);
        if (connection->login > 0 && call->cause > 0)
            take(host, connection->login, call);
        connection->login = call->is_login ? host->made[i] : 0;
    }
}

static bool
is_for_same(const struct calls_host *host, const struct call *login, const struct call *next)
{
    return call_is_within(login, call_at(host->calls, next->cause)) && login->end_frame > 0 &&
           login->ends_ns <= next->begins_ns;
}

static void
learn_login(struct calls_host *host, uint32_t number, const struct call *next)
{
    const struct call *login = call_at(host->calls, number);
    struct call_habit *habit = calls_host_habit(host, login);
    habit->opened++;
    habit->ahead += !is_for_same(host, login, next);
}

/* A host that never opens a connection before there is a request for it opens each for the request that uses it first.
 */
static void
tell_login(struct calls_host *host, uint32_t number, const struct call *next)
{
    const struct call *login = call_at(host->calls, number);
    const struct call_habit *habit = calls_host_habit(host, login);
    enum { OPENED_LEAST = 10 };
    if (login->rule == CALL_SEVERAL && habit->opened >= OPENED_LEAST && habit->ahead == 0 && habit->alone == 0)
        call_tell(host->calls, number, next->cause, (enum call_rule)next->rule, 100);
}

void
calls_rules_tell(struct calls_host *host)
{
    calls_host_each(host, NULL, learn, host);
    host->is_partial = is_partial(host);
    calls_host_each(host, may_be_told, tell, host);
    each_login(host, learn_login);
    each_login(host, tell_login);
}
