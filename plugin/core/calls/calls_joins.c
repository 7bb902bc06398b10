/* calls_joins.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_joins.h"

#include <math.h>
#include <stdlib.h>

/* A proxy's requests may be passed on by another that is joined then: a few in a row. Of those that a client makes of
 * one kind, as many are looked at for one request, and no more may agree with it. */
enum { JOIN_ROUNDS = 4, JOIN_TRIES = 64 };

/* A request that came to a host, by what it asks for and by who asks. */
struct named_request {
    uint64_t key;
    int64_t begins_ns;
    uint32_t number;
};

struct joins {
    struct calls *calls;
    bool *is_asked;              /* by address, from 1 */
    uint32_t *hosts;             /* the address of its host, by address */
    uint32_t *made;              /* requests of addresses of which nothing is asked */
    uint32_t *first;             /* where those of each begin there, by address; one more than there are addresses */
    uint32_t *used;              /* at which look a request agreed with it, by request */
    uint32_t looks;              /* at an address's requests, so far */
    struct named_request *named; /* sorted, as many as `n_named`; NULL: not made yet */
    uint64_t *asked;             /* what was asked of whom, see key_of(): sorted, as many; likewise */
    uint32_t n_named;
};

/* Requests that agree with one. */
struct agreeing {
    const struct joins *joins;
    uint32_t number;
    uint32_t found[JOIN_TRIES];
    uint32_t n;
    uint32_t n_like; /* requests of the same kind and client */
    bool by_id;
    bool is_cut;     /* there are more */
    bool is_excused; /* one that would agree has ended before it */
};

/* What the requests of an address show. */
struct evidence {
    uint32_t host;     /* with whose requests they agree; 0: none has so far */
    uint32_t distinct; /* of those requests */
    uint32_t by_id;    /* of these with an id in common */
    double chance;     /* its logarithm */
    int64_t busy_ns;
    int64_t begins_ns, longest_ns; /* of the requests they agree with: the first, and the longest */
    GArray *silent;                /* numbers of those of HTTP that agree with none */
    uint32_t others;               /* that are no HTTP */
    bool is_refuted;
};

static const struct call_connection *
its_connection(const struct calls *calls, const struct call *call)
{
    return pool_at(&calls->connections, call->connection);
}

/* HTTP of whatever version, of which it is known what is asked for. */
static bool
may_be_passed_on(const struct calls *calls, const struct call *call)
{
    const unsigned framing = calls_operation(calls, call->operation)->framing;
    return call->said != 0 && !call->is_pushed &&
           (framing == PROTOCOL_HTTP || framing == PROTOCOL_HTTP2 || framing == PROTOCOL_HTTP3);
}

static uint64_t
client_named(const struct calls *calls, const struct call *call)
{
    const struct call_address *address = pool_at(&calls->addresses, its_connection(calls, call)->from);
    return address->named;
}

/* `whom`: a number, or a hash, of whom it asks, or who asks. */
static uint64_t
key_of(const struct call *call, uint64_t whom)
{
    return (uint64_t)call->said << 32 | (uint32_t)whom;
}

static int
compare_named(const void *a, const void *b)
{
    const struct named_request *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? 1 : -1;
    if (x->begins_ns != y->begins_ns)
        return x->begins_ns > y->begins_ns ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static int
compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool
is_listed(const struct calls *calls, const struct call *call)
{
    return call->frame > 0 && may_be_passed_on(calls, call);
}

/* Sorts what came to hosts by what clients ask for, and by what is asked of servers; once. */
static void
index_asked(struct joins *joins)
{
    const struct calls *calls = joins->calls;
    uint32_t n = 0;
    if (joins->named)
        return;
    for (uint32_t number = 1; number <= calls->records.count; number++)
        n += is_listed(calls, call_at(calls, number));
    joins->named = g_new(struct named_request, n + 1);
    joins->asked = g_new(uint64_t, n + 1);
    for (uint32_t number = 1; number <= calls->records.count; number++) {
        const struct call *call = call_at(calls, number);
        if (!is_listed(calls, call))
            continue;
        joins->asked[joins->n_named] = key_of(call, its_connection(calls, call)->to);
        joins->named[joins->n_named++] =
            (struct named_request){ key_of(call, client_named(calls, call)), call->begins_ns, number };
    }
    qsort(joins->named, n, sizeof *joins->named, compare_named);
    qsort(joins->asked, n, sizeof *joins->asked, compare_keys);
}

static bool
was_asked(const struct joins *joins, const struct call *call, uint32_t host)
{
    const uint64_t key = key_of(call, host);
    return bsearch(&key, joins->asked, joins->n_named, sizeof key, compare_keys) != NULL;
}

/* Whether a proxy that sends the request may have been asked it by that client, as far as it names one: its own client,
 * or the one that was named to it. */
static bool
may_name(const struct calls *calls, uint32_t request, uint32_t outer)
{
    const uint64_t named = calls_ids_client(calls->ids, request);
    return named == 0 || named == client_named(calls, call_at(calls, outer)) ||
           named == calls_ids_client(calls->ids, outer);
}

/* Adds a request that has an id in common with the one that is looked at, or comes from the client that this names. */
static void
take_found(struct agreeing *agreement, uint32_t number)
{
    const struct calls *calls = agreement->joins->calls;
    const struct call *request = call_at(calls, agreement->number), *outer = call_at(calls, number);
    struct call begun = *request;
    begun.end_frame = 0;
    if (outer->said != request->said || !may_be_passed_on(calls, outer) || !call_is_within(&begun, outer) ||
        !may_name(calls, agreement->number, number))
        return;
    for (uint32_t i = 0; i < agreement->n; i++)
        if (agreement->found[i] == number)
            return;
    if (!call_is_within(request, outer))
        agreement->is_excused |= outer->end_frame == 0 || outer->failed;
    else if (agreement->n < JOIN_TRIES)
        agreement->found[agreement->n++] = number;
    else
        agreement->is_cut = true;
}

static void
take_with_id(void *data, uint32_t number)
{
    struct agreeing *agreement = data;
    take_found(agreement, number);
    agreement->by_id = agreement->n > 0;
}

/* The place behind those with lower keys, or of the same key that began earlier. */
static uint32_t
find_named(const struct joins *joins, uint64_t key, int64_t begins_ns)
{
    uint32_t low = 0, high = joins->n_named;
    const struct named_request wanted = { key, begins_ns, 0 };
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_named(&joins->named[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
find_by_client(struct agreeing *agreement)
{
    const struct joins *joins = agreement->joins;
    const struct call *request = call_at(joins->calls, agreement->number);
    const uint64_t key = key_of(request, calls_ids_client(joins->calls->ids, agreement->number));
    const uint32_t first = find_named(joins, key, INT64_MIN);
    uint32_t at = find_named(joins, key, request->begins_ns + 1);
    agreement->n_like = find_named(joins, key, INT64_MAX) - first;
    for (unsigned tries = 0; at > first && tries < JOIN_TRIES; tries++)
        take_found(agreement, joins->named[--at].number);
}

/* Whether a host has passed the request on to another from its own address, as a request shows that was found, too. */
static bool
is_passed_on(const struct agreeing *agreement, const struct call *outer)
{
    const struct calls *calls = agreement->joins->calls;
    for (uint32_t i = 0; i < agreement->n; i++) {
        const struct call *inner = call_at(calls, agreement->found[i]);
        if (its_connection(calls, inner)->client == its_connection(calls, outer)->server &&
            call_is_within(inner, outer))
            return true;
    }
    return false;
}

/* Finds the one of a single host that is nearest in time. 0: there is none; `is_unclear`: there are several hosts. */
static uint32_t
find_nearest(const struct agreeing *agreement, bool *is_unclear)
{
    const struct calls *calls = agreement->joins->calls;
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < agreement->n; i++) {
        const struct call *outer = call_at(calls, agreement->found[i]), *other;
        if (is_passed_on(agreement, outer))
            continue;
        other = nearest > 0 ? call_at(calls, nearest) : outer;
        *is_unclear |= its_connection(calls, other)->server != its_connection(calls, outer)->server;
        if (nearest == 0 || outer->begins_ns > other->begins_ns)
            nearest = agreement->found[i];
    }
    return nearest;
}

/* How likely it is that a request of another host would agree so: the logarithm of that. */
static double
chance_of(const struct agreeing *agreement, const struct call *outer, int64_t busy_ns)
{
    static const double by_id = -6.9; /* one in a thousand */
    const struct call *request = call_at(agreement->joins->calls, agreement->number);
    if (agreement->by_id)
        return by_id;
    if (request->end_frame == 0 || outer->end_frame == 0 || busy_ns <= 0)
        return 0;
    const int64_t room_ns = (outer->ends_ns - outer->begins_ns) - (request->ends_ns - request->begins_ns);
    return fmin(0, log(fmax((double)agreement->n_like * (double)room_ns / (double)busy_ns, 1e-3)));
}

static void
note_agreement(struct joins *joins, struct evidence *evidence, const struct agreeing *agreement, uint32_t outer_number)
{
    const struct call *request = call_at(joins->calls, agreement->number), *outer = call_at(joins->calls, outer_number);
    const uint32_t host = its_connection(joins->calls, outer)->server,
                   from = its_connection(joins->calls, request)->from;
    evidence->is_refuted |=
        (evidence->host > 0 && evidence->host != host) || its_connection(joins->calls, outer)->from == from;
    if (evidence->host == 0)
        evidence->begins_ns = outer->begins_ns;
    evidence->host = host;
    if (outer->end_frame > 0)
        evidence->longest_ns = MAX(evidence->longest_ns, outer->ends_ns - outer->begins_ns);
    if (joins->used[outer_number] == joins->looks)
        return;
    joins->used[outer_number] = joins->looks;
    evidence->distinct++;
    evidence->by_id += agreement->by_id;
    evidence->chance += chance_of(agreement, outer, evidence->busy_ns);
}

static void
look_at_request(struct joins *joins, struct evidence *evidence, uint32_t number)
{
    const struct call *request = call_at(joins->calls, number);
    struct agreeing agreement;
    bool is_unclear = false;
    agreement.joins = joins;
    agreement.number = number;
    agreement.n = agreement.n_like = 0;
    agreement.by_id = agreement.is_cut = agreement.is_excused = false;
    if (!may_be_passed_on(joins->calls, request)) {
        evidence->others++;
        return;
    }
    calls_ids_each(joins->calls->ids, number, take_with_id, &agreement);
    if (agreement.n == 0 && calls_ids_client(joins->calls->ids, number) != 0) {
        index_asked(joins);
        find_by_client(&agreement);
    }
    const uint32_t nearest = find_nearest(&agreement, &is_unclear);
    evidence->is_refuted |= is_unclear || agreement.is_cut;
    if (nearest > 0)
        note_agreement(joins, evidence, &agreement, nearest);
    else if (!agreement.is_excused)
        g_array_append_val(evidence->silent, number);
}

/* Returns for how long one or more of these were outstanding, which are in the order in which they began. */
static int64_t
busy(const struct calls *calls, const uint32_t *numbers, uint32_t n)
{
    int64_t busy_ns = 0, until_ns = INT64_MIN;
    for (uint32_t i = 0; i < n; i++) {
        const struct call *call = call_at(calls, numbers[i]);
        const int64_t from_ns = MAX(call->begins_ns, until_ns);
        if (call->end_frame == 0 || call->ends_ns <= from_ns)
            continue;
        busy_ns += call->ends_ns - from_ns;
        until_ns = call->ends_ns;
    }
    return busy_ns;
}

/* Whether what else the address sends is what the host would not send. */
static bool
is_contradicted(struct joins *joins, const struct evidence *evidence, const uint32_t *made, uint32_t n)
{
    const int64_t settled_ns = evidence->begins_ns + evidence->longest_ns;
    for (uint32_t i = 0; i < n; i++)
        if (its_connection(joins->calls, call_at(joins->calls, made[i]))->server == evidence->host)
            return true;
    index_asked(joins);
    for (uint32_t i = 0; i < evidence->silent->len; i++) {
        const struct call *call = call_at(joins->calls, g_array_index(evidence->silent, uint32_t, i));
        if (call->begins_ns >= settled_ns && was_asked(joins, call, evidence->host))
            return true;
    }
    return false;
}

/* Whether an address, of all whose requests this is the evidence, does little else than pass on: it may look after the
 * servers that it passes requests on to, in HTTP, but hardly ask for something of its own otherwise. */
static bool
is_proxy(const struct evidence *evidence, uint32_t n)
{
    enum { SILENT_PART = 2, OTHER_PART = 10 };
    return evidence->silent->len * SILENT_PART <= n && evidence->others * OTHER_PART <= n;
}

static void
note_join(struct joins *joins, uint32_t address, const struct evidence *evidence)
{
    const struct call_address *listens = pool_at(&joins->calls->addresses, evidence->host);
    const struct call_address *sends = pool_at(&joins->calls->addresses, address);
    const struct call_join join = {
        listens->end, sends->end, listens->ipv6, sends->ipv6, evidence->distinct, evidence->by_id,
    };
    joins->hosts[address] = evidence->host;
    g_array_append_val(joins->calls->joins, join);
}

/* Joins the address to the host that its requests show, if they do. */
static void
look_at_address(struct joins *joins, uint32_t address)
{
    static const double million = -13.8;
    const uint32_t *made = joins->made + joins->first[address], n = joins->first[address + 1] - joins->first[address];
    struct evidence evidence = { .busy_ns = busy(joins->calls, made, n) };
    evidence.silent = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    joins->looks++;
    for (uint32_t i = 0; i < n && is_proxy(&evidence, n) && !evidence.is_refuted; i++)
        look_at_request(joins, &evidence, made[i]);
    const bool is_joined = !evidence.is_refuted && is_proxy(&evidence, n) && evidence.distinct >= JOIN_LEAST &&
                           evidence.chance < million && !is_contradicted(joins, &evidence, made, n);
    g_array_free(evidence.silent, TRUE);
    if (is_joined)
        note_join(joins, address, &evidence);
}

/* Joins addresses by what is known of the others so far. Returns whether there were any. */
static bool
join_some(struct joins *joins)
{
    const unsigned before = joins->calls->joins->len;
    for (uint32_t address = 1; address <= joins->calls->addresses.count; address++) {
        if (joins->hosts[address] != address || joins->first[address + 1] - joins->first[address] < JOIN_LEAST)
            continue;
        look_at_address(joins, address);
    }
    return joins->calls->joins->len > before;
}

/* Sets each connection's hosts. */
static void
set_hosts(const struct joins *joins)
{
    const struct calls *calls = joins->calls;
    for (uint32_t i = 1; i <= calls->connections.count; i++) {
        struct call_connection *connection = pool_at(&calls->connections, i);
        connection->client = joins->hosts[connection->from];
        connection->server = joins->hosts[connection->to];
    }
}

/* Sorts the requests of addresses of which nothing is asked, by address. */
static void
gather_made(struct joins *joins)
{
    const struct calls *calls = joins->calls;
    uint32_t n = 0;
    joins->first = g_new0(uint32_t, calls->addresses.count + 2);
    for (uint32_t number = 1; number <= calls->records.count; number++) {
        const struct call *call = call_at(calls, number);
        if (call->frame > 0)
            joins->is_asked[its_connection(calls, call)->to] = true;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t number = 1; number <= calls->records.count; number++) {
            const struct call *call = call_at(calls, number);
            const uint32_t from = call->frame > 0 ? its_connection(calls, call)->from : 0;
            if (from == 0 || joins->is_asked[from] || call->is_pushed)
                continue;
            if (pass == 0)
                joins->first[from]++;
            else
                joins->made[joins->first[from]++] = number;
        }
        for (uint32_t address = 0; pass == 0 && address <= calls->addresses.count + 1; address++) {
            const uint32_t count = joins->first[address];
            joins->first[address] = n;
            n += count;
        }
        if (pass == 0)
            joins->made = g_new(uint32_t, n);
    }
    for (uint32_t address = calls->addresses.count + 1; address > 0; address--)
        joins->first[address] = joins->first[address - 1];
    joins->first[0] = 0;
    for (uint32_t address = 1; address <= calls->addresses.count; address++)
        calls_sort(calls, joins->made + joins->first[address], joins->first[address + 1] - joins->first[address]);
}

static void
clear(struct joins *joins)
{
    g_free(joins->is_asked);
    g_free(joins->hosts);
    g_free(joins->made);
    g_free(joins->first);
    g_free(joins->used);
    g_free(joins->named);
    g_free(joins->asked);
}

void
calls_joins_find(struct calls *calls)
{
    struct joins joins = { .calls = calls };
    g_array_set_size(calls->joins, 0);
    joins.hosts = g_new(uint32_t, calls->addresses.count + 1);
    for (uint32_t address = 0; address <= calls->addresses.count; address++)
        joins.hosts[address] = address;
    set_hosts(&joins);
    if (!calls_ids_are_none(calls->ids)) {
        joins.is_asked = g_new0(bool, calls->addresses.count + 1);
        joins.used = g_new0(uint32_t, calls->records.count + 1);
        gather_made(&joins);
        for (unsigned round = 0; round < JOIN_ROUNDS && join_some(&joins); round++)
            set_hosts(&joins);
    }
    clear(&joins);
}
