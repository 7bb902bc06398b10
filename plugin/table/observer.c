/* observer.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "observer.h"

void
observer_add(struct table_source *source, const struct observer *observer)
{
    source->observers = g_slist_append(source->observers, (void *)observer);
}

void
observer_remove(struct table_source *source, const struct observer *observer)
{
    source->observers = g_slist_remove(source->observers, observer);
}

/* Calls the function of each observer that has it. */
#define TELL(source, function, ...)                                                                                    \
    for (const GSList *each = (source)->observers; each; each = each->next) {                                          \
        const struct observer *observer = each->data;                                                                  \
        if (observer->function)                                                                                        \
            observer->function(observer->data, __VA_ARGS__);                                                           \
    }

inline void
observers_frame(struct table_source *source, const int64_t *time_ns)
{
    source->has_packets = true;
    TELL(source, frame, time_ns)
}

inline void
observers_segment(struct table_source *source, const struct segment *segment, const struct connection *connection)
{
    source->has_payload |= segment->payload_bytes > 0;
    TELL(source, segment, segment, connection)
}

void
observers_event(const struct table_source *source, const struct connection *connection, const struct event *event,
                const struct segment *segment)
{
    TELL(source, event, connection, event, segment)
}

void
observers_quoted(const struct table_source *source, const struct segment *quoted, const struct connection *connection)
{
    TELL(source, quoted, quoted, connection)
}

void
observers_forget(const struct table_source *source, const struct connection *connection)
{
    TELL(source, forget, connection)
}

void
observers_end(const struct table_source *source)
{
    for (const GSList *each = source->observers; each; each = each->next) {
        const struct observer *observer = each->data;
        if (observer->end)
            observer->end(observer->data);
    }
}
