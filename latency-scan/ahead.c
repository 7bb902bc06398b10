/* ahead.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ahead.h"

#include <stdbool.h>

/* Records are handed over in batches, for waking somebody takes as long as reading many of them. They bound what memory
 * is needed: 32 MB if each record is as long as can be, 200 kB mostly. */
enum { BATCH_RECORDS = 32, BATCHES = 4 };

struct batch {
    struct read_record records[BATCH_RECORDS];
    unsigned interfaces[BATCH_RECORDS]; /* ahead_interfaces() */
    unsigned n;
};

struct ahead {
    wtap *wth;
    GThread *thread;
    struct batch batches[BATCHES]; /* the one with the number i at i % BATCHES */
    GMutex file;                   /* held by who asks wiretap */

    GMutex mutex; /* of the following: */
    GCond changed;
    uint64_t filled, taken; /* batches */
    bool is_ending;         /* nobody takes any more */
    bool has_ended;         /* nothing more is read; the thread's: */
    int error;
    char *reason;

    unsigned next; /* of the batch that is being taken */
};

static unsigned
count_interfaces(wtap *wth)
{
    wtapng_iface_descriptions_t *interfaces = wiretap()->wtap_file_get_idb_info(wth);
    const unsigned n = interfaces->interface_data->len;
    g_free(interfaces);
    return n;
}

/* False after the last record. */
static bool
read_record(struct ahead *ahead, struct batch *batch)
{
    struct read_record *record = &batch->records[batch->n];
    ahead_lock(ahead);
    wiretap()->wtap_rec_reset(&record->rec);
    const bool is_read = compat_read(ahead->wth, record, &ahead->error, &ahead->reason);
    if (is_read)
        batch->interfaces[batch->n++] = count_interfaces(ahead->wth);
    ahead_unlock(ahead);
    return is_read;
}

/* False if nobody wants another one. */
static bool
wait_for_room(struct ahead *ahead)
{
    g_mutex_lock(&ahead->mutex);
    while (!ahead->is_ending && ahead->filled - ahead->taken == BATCHES)
        g_cond_wait(&ahead->changed, &ahead->mutex);
    const bool goes_on = !ahead->is_ending;
    g_mutex_unlock(&ahead->mutex);
    return goes_on;
}

static void *
read_all(void *data)
{
    struct ahead *ahead = data;
    bool goes_on = true;
    while (goes_on && wait_for_room(ahead)) {
        struct batch *batch = &ahead->batches[ahead->filled % BATCHES];
        batch->n = 0;
        while (goes_on && batch->n < BATCH_RECORDS)
            goes_on = read_record(ahead, batch);
        g_mutex_lock(&ahead->mutex);
        ahead->filled++;
        ahead->has_ended = !goes_on;
        g_cond_signal(&ahead->changed);
        g_mutex_unlock(&ahead->mutex);
    }
    return NULL;
}

struct ahead *
ahead_begin(wtap *wth)
{
    struct ahead *ahead = g_new0(struct ahead, 1);
    ahead->wth = wth;
    for (unsigned i = 0; i < BATCHES * BATCH_RECORDS; i++)
        compat_record_init(&ahead->batches[i / BATCH_RECORDS].records[i % BATCH_RECORDS]);
    ahead->thread = g_thread_new("latency-scan", read_all, ahead);
    return ahead;
}

void
ahead_end(struct ahead *ahead)
{
    g_mutex_lock(&ahead->mutex);
    ahead->is_ending = true;
    g_cond_signal(&ahead->changed);
    g_mutex_unlock(&ahead->mutex);
    g_thread_join(ahead->thread);
    for (unsigned i = 0; i < BATCHES * BATCH_RECORDS; i++)
        compat_record_clear(&ahead->batches[i / BATCH_RECORDS].records[i % BATCH_RECORDS]);
    g_free(ahead->reason);
    g_free(ahead);
}

/* Returns the batch whose records are next; NULL if there is none. */
static const struct batch *
wait_for_batch(struct ahead *ahead)
{
    g_mutex_lock(&ahead->mutex);
    while (!ahead->has_ended && ahead->filled == ahead->taken)
        g_cond_wait(&ahead->changed, &ahead->mutex);
    const bool is_there = ahead->filled > ahead->taken;
    g_mutex_unlock(&ahead->mutex);
    return is_there ? &ahead->batches[ahead->taken % BATCHES] : NULL;
}

static void
give_back(struct ahead *ahead)
{
    g_mutex_lock(&ahead->mutex);
    ahead->taken++;
    g_cond_signal(&ahead->changed);
    g_mutex_unlock(&ahead->mutex);
    ahead->next = 0;
}

struct read_record *
ahead_next(struct ahead *ahead, int *error, char **reason)
{
    const struct batch *batch = &ahead->batches[ahead->taken % BATCHES];
    if (ahead->next == BATCH_RECORDS)
        give_back(ahead);
    if (ahead->next == 0)
        batch = wait_for_batch(ahead);
    if (batch && ahead->next < batch->n)
        return (struct read_record *)&batch->records[ahead->next++];
    *error = ahead->error;
    *reason = ahead->reason;
    ahead->reason = NULL;
    return NULL;
}

unsigned
ahead_interfaces(const struct ahead *ahead)
{
    return ahead->batches[ahead->taken % BATCHES].interfaces[ahead->next - 1];
}

void
ahead_lock(struct ahead *ahead)
{
    g_mutex_lock(&ahead->file);
}

void
ahead_unlock(struct ahead *ahead)
{
    g_mutex_unlock(&ahead->file);
}
