/* window.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "window.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1024, NEAR = 64 };

/* At one time in the order of the stages; the same stage as they came. */
static bool
is_before(const struct sighting *a, const struct sighting *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    return a->stage != b->stage ? a->stage < b->stage : a->number < b->number;
}

static bool
heap_push(struct window *window, struct sighting *sighting)
{
    if (window->heaped == window->heap_room) {
        const size_t room = window->heap_room ? window->heap_room * 2 : FIRST_ROOM;
        struct sighting **heap = realloc(window->heap, room * sizeof(*heap));
        if (!heap)
            return false;
        window->heap = heap;
        window->heap_room = room;
    }
    size_t at = window->heaped++;
    for (; at && is_before(sighting, window->heap[(at - 1) / 2]); at = (at - 1) / 2)
        window->heap[at] = window->heap[(at - 1) / 2];
    window->heap[at] = sighting;
    return true;
}

static struct sighting *
heap_pop(struct window *window)
{
    struct sighting **heap = window->heap, *first = heap[0], *last = heap[--window->heaped];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < window->heaped) {
        if (child + 1 < window->heaped && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

static struct sighting **
queue_at(const struct window *window, size_t number)
{
    return &window->queue[(window->queue_begin + number) & (window->queue_room - 1)];
}

static bool
queue_grow(struct window *window)
{
    const size_t room = window->queue_room ? window->queue_room * 2 : FIRST_ROOM;
    struct sighting **queue = malloc(room * sizeof(*queue));
    if (!queue)
        return false;
    for (size_t i = 0; i < window->queued; i++)
        queue[i] = *queue_at(window, i);
    free(window->queue);
    window->queue = queue;
    window->queue_begin = 0;
    window->queue_room = room;
    return true;
}

/* At the end of the queue, or a few places before it. */
static void
queue_push(struct window *window, struct sighting *sighting)
{
    size_t at = window->queued++;
    for (; at && is_before(sighting, *queue_at(window, at - 1)); at--)
        *queue_at(window, at) = *queue_at(window, at - 1);
    *queue_at(window, at) = sighting;
}

bool
window_push(struct window *window, struct sighting *sighting)
{
    sighting->number = window->next++;
    bool pushed;
    if (window->queued >= NEAR && is_before(sighting, *queue_at(window, window->queued - NEAR)))
        pushed = heap_push(window, sighting);
    else if ((pushed = window->queued < window->queue_room || queue_grow(window)))
        queue_push(window, sighting);
    if (!pushed)
        free(sighting);
    return pushed;
}

struct sighting *
window_pop(struct window *window, uint64_t until_ns)
{
    struct sighting *queued = window->queued ? *queue_at(window, 0) : NULL;
    struct sighting *heaped = window->heaped ? window->heap[0] : NULL;
    const bool from_heap = heaped && (!queued || is_before(heaped, queued));
    struct sighting *first = from_heap ? heaped : queued;
    if (!first || first->time_ns > until_ns)
        return NULL;
    if (from_heap)
        return heap_pop(window);
    window->queue_begin++;
    window->queued--;
    return first;
}

void
window_clear(struct window *window)
{
    struct sighting *sighting;
    while ((sighting = window_pop(window, UINT64_MAX)))
        free(sighting);
    free(window->queue);
    free(window->heap);
    *window = (struct window){ 0 };
}
