/* calls_threads.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "calls_threads.h"

#include "../points/path.h"

struct call_thread {
    uint32_t frame, thread;
};

void
calls_threads_init(struct calls_threads *threads)
{
    threads->sent = g_array_new(FALSE, FALSE, sizeof(struct call_thread));
    threads->read = g_array_new(FALSE, FALSE, sizeof(struct call_thread));
}

void
calls_threads_clear(struct calls_threads *threads)
{
    g_array_free(threads->sent, TRUE);
    g_array_free(threads->read, TRUE);
}

void
calls_threads_note(GArray *threads, uint32_t frame, uint32_t thread)
{
    const struct call_thread noted = { frame, thread };
    g_array_append_val(threads, noted);
}

static uint32_t
thread_at(const struct sighting *sighting)
{
    const struct process *process = sighting ? sighting->process : NULL;
    return process && !process->bystander ? process->tid : 0;
}

static bool
reads(enum point_kind kind)
{
    return kind == POINT_APP_RECV || kind == POINT_APP_COPY || kind == POINT_APP_RECV_RET;
}

void
calls_threads_take(struct calls_threads *threads, const struct points *points, const struct sighting *sighting)
{
    const struct path *path = sighting->path;
    const struct sighting *sent = path_at(path, sighting->range, points, POINT_APP_SEND);
    if (sighting->traffic && thread_at(sent) > 0)
        calls_threads_note(threads->sent, sighting->frame, thread_at(sent));
    if (!reads(points_at(points, sighting->point)->kind) || thread_at(sighting) == 0)
        return;
    for (uint16_t i = 0; i < path->count; i++)
        if (path->sightings[i]->traffic && range_overlaps(path->sightings[i]->range, sighting->range))
            calls_threads_note(threads->read, path->sightings[i]->frame, thread_at(sighting));
}

static int
compare_threads(const void *a, const void *b)
{
    const struct call_thread *x = a, *y = b;
    return x->frame != y->frame ? (x->frame > y->frame ? 1 : -1) : (x->thread > y->thread) - (x->thread < y->thread);
}

void
calls_threads_settle(struct calls_threads *threads)
{
    g_array_sort(threads->sent, compare_threads);
    g_array_sort(threads->read, compare_threads);
}

uint32_t
calls_threads_of(const GArray *threads, uint32_t frame)
{
    uint32_t low = 0, high = threads->len;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (g_array_index(threads, struct call_thread, middle).frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t thread = 0;
    for (; low < threads->len && g_array_index(threads, struct call_thread, low).frame == frame; low++) {
        const uint32_t other = g_array_index(threads, struct call_thread, low).thread;
        if (thread > 0 && thread != other)
            return 0;
        thread = other;
    }
    return thread;
}
