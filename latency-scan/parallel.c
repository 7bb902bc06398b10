/* parallel.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "parallel.h"

#include <string.h>

#include "core/util/hashed.h"
#include "decap.h"
#include "texts.h"

enum { BATCH_FRAMES = 1024, BATCH_BYTES = 1 << 18, BATCHES = 8 };

/* What a connection costs: its frames are read by the first worker, and taken by the connection's owner. There are
 * HASHES hashes of connections; those with the same hash have the same owner. */
enum { LOAD_READ = 3, LOAD_TAKE = 10, HASHES = 4096 };

/* A frame on its way to a worker, with its own copy of its bytes. */
struct passed {
    struct frame_place place;
    bool has_time;
    int64_t time_ns;
    struct decapped decapped;
};

struct batch {
    struct passed frames[BATCH_FRAMES];
    unsigned n;
    uint8_t *bytes;
    uint32_t used, room;
    bool is_last;
};

/* The first is the thread that reads: what it takes is not copied. */
struct worker {
    GThread *thread;           /* NULL of the first, as the next three */
    GAsyncQueue *full, *empty; /* of struct batch: a reader that is too fast waits */
    struct batch *filling;
    struct scan *scan;
    struct outputs *outputs;
    uint64_t load;
};

struct parallel {
    struct worker *workers;
    unsigned n;
    struct worker *owners[HASHES]; /* of connections, by their hash; NULL before the first of them */
    struct scan *scan;
    struct outputs *outputs;
    bool has_ended; /* the threads */
};

static void
take_frame(const struct worker *worker, const struct frame_place *place, bool has_time, int64_t time_ns,
           const struct decapped *decapped)
{
    const struct frame frame = { .has_time = has_time, .time_ns = time_ns };
    scan_take_decapped(worker->scan, place, &frame, decapped);
}

static void *
work(void *data)
{
    struct worker *worker = data;
    bool is_last = false;
    while (!is_last) {
        struct batch *batch = g_async_queue_pop(worker->full);
        for (unsigned i = 0; i < batch->n; i++) {
            const struct passed *passed = &batch->frames[i];
            take_frame(worker, &passed->place, passed->has_time, passed->time_ns, &passed->decapped);
        }
        is_last = batch->is_last;
        batch->n = batch->used = 0;
        g_async_queue_push_front(worker->empty, batch); /* a cache may have it yet */
    }
    scan_end(worker->scan);
    return NULL;
}

static void
begin_worker(struct worker *worker, const struct parallel *parallel, const struct settings *settings)
{
    worker->scan = scan_new(settings, texts());
    worker->outputs = outputs_of_part(parallel->outputs);
    outputs_begin(worker->outputs, worker->scan);
}

static void
begin_thread(struct worker *worker)
{
    worker->full = g_async_queue_new();
    worker->empty = g_async_queue_new();
    for (unsigned i = 0; i < BATCHES; i++) {
        struct batch *batch = g_new0(struct batch, 1);
        batch->room = BATCH_BYTES;
        batch->bytes = g_malloc(batch->room);
        g_async_queue_push(worker->empty, batch);
    }
    worker->thread = g_thread_new("latency-scan", work, worker);
}

struct parallel *
parallel_new(unsigned workers, struct scan *scan, struct outputs *outputs, const struct settings *settings)
{
    struct parallel *parallel = g_new0(struct parallel, 1);
    parallel->scan = scan;
    parallel->outputs = outputs;
    parallel->n = workers;
    parallel->workers = g_new0(struct worker, workers);
    for (unsigned i = 0; i < workers; i++)
        begin_worker(&parallel->workers[i], parallel, settings);
    for (unsigned i = 1; i < workers; i++)
        begin_thread(&parallel->workers[i]);
    return parallel;
}

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
    enum { ADDRESSES_IPV4 = 12, ADDRESSES_IPV6 = 8, PORTS_BYTES = 4 };
    const bool ipv6 = decapped->ipv6;
    const uint8_t *source = decapped->ip.at + (ipv6 ? ADDRESSES_IPV6 : ADDRESSES_IPV4);
    const uint8_t *destination = source + (ipv6 ? 16 : 4);
    if (decapped->kind == DECAP_UDP || decapped->kind == DECAP_QUOTED_UDP)
        return hash_of_datagram(decapped, hash_end(source, ipv6, 0) + hash_end(destination, ipv6, 0));
    if (decapped->payload.captured < PORTS_BYTES)
        return 0;
    return hash_end(source, ipv6, bytes_16(decapped->payload, 0)) +
           hash_end(destination, ipv6, bytes_16(decapped->payload, 2));
}

static struct worker *
least_loaded(const struct parallel *parallel)
{
    struct worker *least = parallel->workers;
    for (unsigned i = 1; i < parallel->n; i++)
        if (parallel->workers[i].load < least->load)
            least = &parallel->workers[i];
    return least;
}

/* A new connection counts as if it had as many frames as any other: those that begin together often go on together, and
 * must not all go to who has had least so far. */
static struct worker *
worker_of(struct parallel *parallel, const struct decapped *decapped)
{
    struct worker **owner = &parallel->owners[hash_of(decapped) % HASHES];
    if (*owner)
        return *owner;
    *owner = least_loaded(parallel);
    (*owner)->load += LOAD_TAKE;
    parallel->workers[0].load += LOAD_READ;
    return *owner;
}

static void
send(struct worker *worker)
{
    g_async_queue_push(worker->full, worker->filling);
    worker->filling = NULL;
}

/* A batch with room for one more frame of so many bytes. */
static struct batch *
batch_for(struct worker *worker, uint32_t bytes)
{
    struct batch *batch = worker->filling;
    if (batch && (batch->n == BATCH_FRAMES || batch->used + bytes > batch->room))
        send(worker);
    if (!worker->filling)
        worker->filling = g_async_queue_pop(worker->empty);
    batch = worker->filling;
    if (bytes > batch->room) { /* it is empty */
        batch->bytes = g_realloc(batch->bytes, bytes);
        batch->room = bytes;
    }
    return batch;
}

/* From the innermost IP header on; of a quoted segment that is in it, too. */
static void
send_frame(struct worker *worker, const struct frame_place *place, const struct frame *frame,
           const struct decapped *decapped)
{
    struct batch *batch = batch_for(worker, decapped->ip.captured);
    struct passed *passed = &batch->frames[batch->n++];
    uint8_t *copy = batch->bytes + batch->used;
    memcpy(copy, decapped->ip.at, decapped->ip.captured);
    batch->used += decapped->ip.captured;
    *passed = (struct passed){
        .place = *place,
        .has_time = frame->has_time,
        .time_ns = frame->time_ns,
        .decapped = *decapped,
    };
    passed->decapped.ip.at = copy;
    passed->decapped.payload.at = copy + (decapped->payload.at - decapped->ip.at);
}

static void
pass_on(struct parallel *parallel, const struct frame *frame, const struct decapped *decapped)
{
    const struct table_source *source = scan_source(parallel->scan);
    const struct frame_place place = { source->start_ns, (uint32_t)scan_frames(parallel->scan), source->last_ns };
    struct worker *worker = worker_of(parallel, decapped);
    if (worker->thread)
        send_frame(worker, &place, frame, decapped);
    else
        take_frame(worker, &place, frame->has_time, frame->time_ns, decapped);
}

bool
parallel_take(struct parallel *parallel, const struct frame *frame)
{
    struct decapped decapped;
    if (!scan_pass(parallel->scan, frame, &decapped))
        return false;
    if (scan_wants(&decapped))
        pass_on(parallel, frame, &decapped);
    return true;
}

static void
end_workers(struct parallel *parallel)
{
    if (parallel->has_ended)
        return;
    for (unsigned i = 1; i < parallel->n; i++) {
        struct batch *batch = batch_for(&parallel->workers[i], 0);
        batch->is_last = true;
        send(&parallel->workers[i]);
    }
    scan_end(parallel->workers[0].scan);
    for (unsigned i = 1; i < parallel->n; i++)
        g_thread_join(parallel->workers[i].thread);
    parallel->has_ended = true;
}

bool
parallel_finish(struct parallel *parallel)
{
    struct scan *scans[parallel->n];
    struct outputs *outputs[parallel->n];
    bool alone = false;
    end_workers(parallel);
    for (unsigned i = 0; i < parallel->n; i++) {
        scans[i] = parallel->workers[i].scan;
        outputs[i] = parallel->workers[i].outputs;
        alone |= scan_is_alone(scans[i]);
    }
    if (alone)
        return false;
    scan_join(parallel->scan, scans, parallel->n);
    outputs_join(parallel->outputs, outputs, parallel->n);
    return true;
}

static void
free_queue(GAsyncQueue *queue)
{
    struct batch *batch;
    if (!queue)
        return;
    while ((batch = g_async_queue_try_pop(queue))) {
        g_free(batch->bytes);
        g_free(batch);
    }
    g_async_queue_unref(queue);
}

void
parallel_free(struct parallel *parallel)
{
    end_workers(parallel);
    for (unsigned i = 0; i < parallel->n; i++) {
        struct worker *worker = &parallel->workers[i];
        outputs_free(worker->outputs);
        scan_free(worker->scan);
        free_queue(worker->full);
        free_queue(worker->empty);
    }
    g_free(parallel->workers);
    g_free(parallel);
}
