/* observer.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "observer.h"

static GSList *observers;

void
observer_add(const struct observer *observer)
{
    observers = g_slist_append(observers, (void *)observer);
}

void
observer_remove(const struct observer *observer)
{
    observers = g_slist_remove(observers, observer);
}

void
observers_frame(const packet_info *pinfo)
{
    for (const GSList *each = observers; each; each = each->next) {
        const struct observer *observer = each->data;
        if (observer->frame)
            observer->frame(observer->data, pinfo);
    }
}

void
observers_segment(const struct segment *segment, const struct connection *connection)
{
    for (const GSList *each = observers; each; each = each->next) {
        const struct observer *observer = each->data;
        if (observer->segment)
            observer->segment(observer->data, segment, connection);
    }
}

void
observers_message(const struct connection *connection, const struct message *message)
{
    for (const GSList *each = observers; each; each = each->next) {
        const struct observer *observer = each->data;
        if (observer->message)
            observer->message(observer->data, connection, message);
    }
}

void
observers_quoted(const struct segment *quoted, const struct connection *connection)
{
    for (const GSList *each = observers; each; each = each->next) {
        const struct observer *observer = each->data;
        if (observer->quoted)
            observer->quoted(observer->data, quoted, connection);
    }
}

void
observers_end(void)
{
    for (const GSList *each = observers; each; each = each->next) {
        const struct observer *observer = each->data;
        if (observer->end)
            observer->end(observer->data);
    }
}
