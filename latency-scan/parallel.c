/* parallel.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "parallel.h"

#include <string.h>

#include "core/util/hashed.h"
#include "decap.h"
#include "preferences.h"

/* Who reads on has fewer than AHEAD batches that it has yet to take. */
enum { BATCH_BYTES = 1 << 18, BATCHES = 6, AHEAD = 2 };

/* Of connections. Those with the same hash have the same owner. */
enum { HASHES = 4096 };

/* A frame on its way to its connection's owner, and its bytes. */
struct passed {
    struct passed *next; /* of the same owner */
    struct frame_place place;
    uint32_t number;
    bool has_time;
    int64_t time_ns;
    struct decapped decapped;
    uint8_t bytes[];
};

/* Of one owner's frames; `end`: where the next is to stand. */
struct chain {
    struct passed *first, **end;
};

/* What has been read, in the order of the capture: each worker takes its own of it. */
struct batch {
    struct chain *chains; /* one of each worker */
    uint8_t *room;
    uint32_t used;
    struct passed *last; /* the last frame, if there was no room for it */
};

struct worker {
    struct parallel *parallel;
    uint16_t number;
    GThread *thread; /* NULL of the first, which has the caller's */
    struct scan *scan;
    struct outputs *outputs;
    uint64_t taken; /* batches */
};

struct parallel {
    struct worker *workers;
    uint16_t n;
    struct scan *scan;
    struct outputs *outputs;
    struct batch batches[BATCHES]; /* the one with the number i at i % BATCHES */

    /* For the worker that fills a batch; there is one at a time. */
    parallel_next *next;
    void *data;
    uint16_t owners[HASHES]; /* of connections, 1 more than the worker's number; 0 before the first of them */
    unsigned n_owned;

    /* For the worker that holds the mutex. */
    GMutex mutex;
    GCond changed;
    unsigned waiting; /* workers */
    uint64_t filled;  /* batches */
    bool is_filling;
    bool has_ended; /* no batch is filled any more */
    bool is_alone;  /* one thread must read it all */
};

static uint64_t
hash_end(const uint8_t *address, bool ipv6, uint16_t port)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t words[2] = { 0 };
    if (ipv6)
        memcpy(words, address, 16);
    else
        memcpy(words, address, 4);
    return hashed_mix(words[0] ^ odd, (words[1] ^ odd) + port);
}

/* Of datagrams the addresses alone: a conversation has all of its client's ports. Of mDNS who answers for the group is
 * not whom the client has asked. */
static uint64_t
hash_of_datagram(const struct decapped *decapped, uint64_t addresses)
{
    enum { PORT_MDNS = 5353 };
    const bool is_mdns = decapped->source_port == PORT_MDNS || decapped->destination_port == PORT_MDNS;
    return is_mdns ? 0 : addresses;
}

/* The same for both directions of a connection. */
static uint64_t
hash_of(const struct decapped *decapped)
{
    enum { PORTS_BYTES = 4 };
    const bool ipv6 = decapped->ipv6;
    const uint8_t *source = decapped->ip.at + decapped->source;
    const uint8_t *destination = decapped->ip.at + decapped->destination;
    if (decapped->kind == DECAP_UDP || decapped->kind == DECAP_QUOTED_UDP)
        return hash_of_datagram(decapped, hash_end(source, ipv6, 0) + hash_end(destination, ipv6, 0));
    if (decapped->payload.captured < PORTS_BYTES)
        return 0;
    return hash_end(source, ipv6, bytes_16(decapped->payload, 0)) +
           hash_end(destination, ipv6, bytes_16(decapped->payload, 2));
}

/* Connections are given to the workers in turn, for those that begin together often go on together. */
static uint16_t
owner_of(struct parallel *parallel, const struct decapped *decapped)
{
    uint16_t *owner = &parallel->owners[hash_of(decapped) % HASHES];
    if (!*owner)
        *owner = (uint16_t)(parallel->n_owned++ % parallel->n + 1);
    return (uint16_t)(*owner - 1);
}

/* Room for a frame of so many bytes, which append() takes. */
static struct passed *
room_for(struct batch *batch, uint32_t captured)
{
    const size_t bytes = sizeof(struct passed) + captured;
    if (bytes > BATCH_BYTES - batch->used)
        return batch->last = g_malloc(bytes);
    return (struct passed *)(void *)(batch->room + batch->used);
}

/* From the innermost IP header on; of a quoted segment that is in it, too. */
static void
append(struct parallel *parallel, struct batch *batch, struct passed *passed, const struct frame *frame)
{
    const struct table_source *source = scan_source(parallel->scan);
    struct decapped *decapped = &passed->decapped;
    struct chain *chain = &batch->chains[owner_of(parallel, decapped)];
    passed->next = NULL;
    passed->place = (struct frame_place){ source->start_ns, source->last_ns };
    passed->number = frame->number;
    passed->has_time = frame->has_time;
    passed->time_ns = frame->time_ns;
    memcpy(passed->bytes, decapped->ip.at, decapped->ip.captured);
    decapped->payload.at = passed->bytes + (decapped->payload.at - decapped->ip.at);
    decapped->ip.at = passed->bytes;
    *chain->end = passed;
    chain->end = &passed->next;
    if (passed != batch->last)
        batch->used += (uint32_t)(sizeof *passed + decapped->ip.captured + 7) & ~7u;
}

static void
empty(const struct parallel *parallel, struct batch *batch)
{
    g_clear_pointer(&batch->last, g_free);
    batch->used = 0;
    for (unsigned i = 0; i < parallel->n; i++)
        batch->chains[i] = (struct chain){ NULL, &batch->chains[i].first };
}

enum filled { FILLED, FILLED_LAST, FILLED_NOT /* one thread must read it all */ };

static enum filled
fill(struct parallel *parallel, struct batch *batch)
{
    struct frame *frame;
    empty(parallel, batch);
    while (!batch->last) {
        if (!(frame = parallel->next(parallel->data)))
            return FILLED_LAST;
        struct passed *passed = room_for(batch, frame->captured);
        if (!scan_pass(parallel->scan, frame, &passed->decapped))
            return FILLED_NOT;
        if (scan_wants(parallel->scan, &passed->decapped))
            append(parallel, batch, passed, frame);
    }
    return FILLED;
}

static void
take_own(const struct worker *worker, const struct batch *batch)
{
    for (const struct passed *passed = batch->chains[worker->number].first; passed; passed = passed->next) {
        const struct frame frame = {
            .number = passed->number,
            .has_time = passed->has_time,
            .time_ns = passed->time_ns,
        };
        scan_take_decapped(worker->scan, &passed->place, &frame, &passed->decapped);
    }
}

/* Who is ahead of all others reads on, as far as there is room. */
static bool
may_fill(const struct worker *worker)
{
    const struct parallel *parallel = worker->parallel;
    if (parallel->is_filling || parallel->has_ended || parallel->filled - worker->taken >= AHEAD)
        return false;
    for (unsigned i = 0; i < parallel->n; i++) {
        const uint64_t taken = parallel->workers[i].taken;
        if (taken > worker->taken || parallel->filled - taken == BATCHES)
            return false;
    }
    return true;
}

static void
tell_others(struct parallel *parallel)
{
    if (parallel->waiting > 0)
        g_cond_broadcast(&parallel->changed);
}

/* The mutex is held before and after, as in the next two. */
static void
fill_next(struct parallel *parallel)
{
    parallel->is_filling = true;
    g_mutex_unlock(&parallel->mutex);
    const enum filled filled = fill(parallel, &parallel->batches[parallel->filled % BATCHES]);
    g_mutex_lock(&parallel->mutex);
    parallel->is_filling = false;
    parallel->has_ended = filled != FILLED;
    parallel->is_alone |= filled == FILLED_NOT;
    parallel->filled++;
    tell_others(parallel);
}

static void
take_next(struct worker *worker)
{
    struct parallel *parallel = worker->parallel;
    g_mutex_unlock(&parallel->mutex);
    take_own(worker, &parallel->batches[worker->taken % BATCHES]);
    g_mutex_lock(&parallel->mutex);
    worker->taken++;
    parallel->is_alone |= scan_is_alone(worker->scan);
    tell_others(parallel);
}

static void
wait_for_others(struct parallel *parallel)
{
    parallel->waiting++;
    g_cond_wait(&parallel->changed, &parallel->mutex);
    parallel->waiting--;
}

static void *
work(void *data)
{
    struct worker *worker = data;
    struct parallel *parallel = worker->parallel;
    g_mutex_lock(&parallel->mutex);
    while (!parallel->is_alone && !(parallel->has_ended && worker->taken == parallel->filled)) {
        if (may_fill(worker))
            fill_next(parallel);
        else if (worker->taken < parallel->filled)
            take_next(worker);
        else
            wait_for_others(parallel);
    }
    g_mutex_unlock(&parallel->mutex);
    scan_end(worker->scan);
    return NULL;
}

struct parallel *
parallel_new(unsigned workers, struct scan *scan, struct outputs *outputs, const struct settings *settings)
{
    struct parallel *parallel = g_new0(struct parallel, 1);
    parallel->scan = scan;
    parallel->outputs = outputs;
    parallel->n = (uint16_t)MIN(workers, UINT16_MAX - 1);
    parallel->workers = g_new0(struct worker, parallel->n);
    for (unsigned i = 0; i < BATCHES; i++) {
        parallel->batches[i].chains = g_new0(struct chain, parallel->n);
        parallel->batches[i].room = g_malloc(BATCH_BYTES);
    }
    for (uint16_t i = 0; i < parallel->n; i++) {
        struct worker *worker = &parallel->workers[i];
        *worker =
            (struct worker){ parallel, i, NULL, scan_new(settings, preferences_texts()), outputs_of_part(outputs), 0 };
        outputs_begin(worker->outputs, worker->scan);
    }
    return parallel;
}

/* The scan and the outputs get what the workers' have. */
static void
join(struct parallel *parallel)
{
    struct scan **scans = g_new(struct scan *, parallel->n);
    struct outputs **outputs = g_new(struct outputs *, parallel->n);
    for (unsigned i = 0; i < parallel->n; i++) {
        scans[i] = parallel->workers[i].scan;
        outputs[i] = parallel->workers[i].outputs;
        parallel->is_alone |= scan_is_alone(scans[i]);
    }
    if (!parallel->is_alone) {
        scan_join(parallel->scan, scans, parallel->n);
        outputs_join(parallel->outputs, outputs, parallel->n);
    }
    g_free(scans);
    g_free(outputs);
}

bool
parallel_run(struct parallel *parallel, parallel_next *next, void *data)
{
    parallel->next = next;
    parallel->data = data;
    for (unsigned i = 1; i < parallel->n; i++)
        parallel->workers[i].thread = g_thread_new("latency-scan", work, &parallel->workers[i]);
    work(parallel->workers);
    for (unsigned i = 1; i < parallel->n; i++)
        g_thread_join(parallel->workers[i].thread);
    join(parallel);
    return !parallel->is_alone;
}

void
parallel_free(struct parallel *parallel)
{
    for (unsigned i = 0; i < parallel->n; i++) {
        outputs_free(parallel->workers[i].outputs);
        scan_free(parallel->workers[i].scan);
    }
    for (unsigned i = 0; i < BATCHES; i++) {
        g_free(parallel->batches[i].chains);
        g_free(parallel->batches[i].room);
        g_free(parallel->batches[i].last);
    }
    g_free(parallel->workers);
    g_free(parallel);
}
