/* listeners.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "listeners.h"

#include "core/analysis.h"
#include "core/item_subject.h"
#include "table/ca_events.h"
#include "table/held_frames.h"

void
listeners_init(struct listeners *listeners, struct table_source *source)
{
    *listeners = (struct listeners){ source, g_array_new(FALSE, FALSE, sizeof(struct listener)) };
}

void
listeners_clear(struct listeners *listeners)
{
    g_array_free(listeners->all, TRUE);
}

void
listeners_add(struct listeners *listeners, const struct listener *listener)
{
    g_array_append_val(listeners->all, *listener);
}

void
listeners_tell_event(void *data, const struct ca_event *event)
{
    const struct listeners *listeners = data;
    if (event->kind == CA_NO_EVENT)
        return;
    for (unsigned i = 0; i < listeners->all->len; i++) {
        const struct listener *listener = &g_array_index(listeners->all, struct listener, i);
        if (listener->event)
            listener->event(listener->data, event);
    }
}

static void
tell_item(const struct listeners *listeners, const struct item *item, uint32_t frame)
{
    for (unsigned i = 0; i < listeners->all->len; i++) {
        const struct listener *listener = &g_array_index(listeners->all, struct listener, i);
        if (listener->item)
            listener->item(listener->data, item, frame);
    }
}

static void
tell_events(const struct listeners *listeners, const struct item *item)
{
    struct table_source *source = listeners->source;
    ca_events_note_item(source, item);
    ca_events_each(source->analysis->channels, item, listeners_tell_event, (void *)listeners);
}

void
listeners_tell_late(const struct listeners *listeners)
{
    unsigned count = 0;
    const struct late_item *late = items_late(listeners->source->analysis->items, &count);
    for (unsigned i = 0; i < count; i++)
        tell_events(listeners, &late[i].item);
    for (unsigned i = 0; i < count; i++)
        tell_item(listeners, &late[i].item, listeners->source->analysis->requests.frame);
}

void
listeners_tell_frame(const struct listeners *listeners, uint32_t frame)
{
    struct items *items = listeners->source->analysis->items;
    const struct ca_channels *channels = listeners->source->analysis->channels;
    uint32_t position;
    listeners->source->frame = frame;
    for (const struct item *item = channels->circuits > 0 ? items_first(items, frame, &position) : NULL; item;
         item = items_next(items, &position))
        tell_events(listeners, item);
    for (const struct item *item = items_first(items, frame, &position); item; item = items_next(items, &position))
        tell_item(listeners, item, frame);
}

static void
tell_end(const struct listeners *listeners, const struct late_item *late)
{
    for (unsigned i = 0; i < listeners->all->len; i++) {
        const struct listener *listener = &g_array_index(listeners->all, struct listener, i);
        if (listener->item && !listener->notes_held)
            listener->item(listener->data, &late->item, listeners->source->analysis->requests.frame);
        if (listener->event && !listener->notes_held)
            ca_events_each(listeners->source->analysis->channels, &late->item, listener->event, listener->data);
    }
}

void
listeners_tell_end(const struct listeners *listeners)
{
    unsigned count;
    const struct late_item *late = items_late(listeners->source->analysis->items, &count);
    held_frames_tell(listeners->source, late, count);
    for (unsigned i = 0; i < count; i++)
        tell_end(listeners, &late[i]);
}
