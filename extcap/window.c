/* window.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "window.h"

#include <stdlib.h>

/* At one time in the order of the stages; the same stage as they came. */
static bool
is_before(const struct sighting *a, const struct sighting *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    return a->stage != b->stage ? a->stage < b->stage : a->number < b->number;
}

bool
window_push(struct window *window, struct sighting *sighting)
{
    if (window->count == window->room) {
        const size_t room = window->room ? window->room * 2 : 1024;
        struct sighting **sightings = realloc(window->sightings, room * sizeof(*sightings));
        if (!sightings) {
            free(sighting);
            return false;
        }
        window->sightings = sightings;
        window->room = room;
    }
    sighting->number = window->next++;
    size_t at = window->count++;
    for (; at && is_before(sighting, window->sightings[(at - 1) / 2]); at = (at - 1) / 2)
        window->sightings[at] = window->sightings[(at - 1) / 2];
    window->sightings[at] = sighting;
    return true;
}

struct sighting *
window_pop(struct window *window, uint64_t until_ns)
{
    if (!window->count || window->sightings[0]->time_ns > until_ns)
        return NULL;
    struct sighting **heap = window->sightings, *first = heap[0], *last = heap[--window->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < window->count) {
        if (child + 1 < window->count && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

void
window_clear(struct window *window)
{
    for (size_t i = 0; i < window->count; i++)
        free(window->sightings[i]);
    free(window->sightings);
    *window = (struct window){ 0 };
}
