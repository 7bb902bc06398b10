/* told.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "told.h"

#include "table/event_row.h"

void
told_free(void *data)
{
    struct told *told = data;
    g_free(told->text);
    g_free(told);
}

void
told_init(struct told_queue *queue)
{
    g_queue_init(&queue->events);
    queue->count = g_hash_table_new(NULL, NULL);
}

void
told_clear(struct told_queue *queue)
{
    g_queue_clear_full(&queue->events, told_free);
    g_hash_table_destroy(queue->count);
}

static void
count(struct told_queue *queue, uint32_t seq, int difference)
{
    void *key = GUINT_TO_POINTER(seq);
    int count = GPOINTER_TO_INT(g_hash_table_lookup(queue->count, key)) + difference;
    if (count > 0)
        g_hash_table_insert(queue->count, key, GINT_TO_POINTER(count));
    else
        g_hash_table_remove(queue->count, key);
}

static struct told *
read_event(struct record *record, struct elements *messages)
{
    static const char name[] = "segments";
    struct told *told = g_new0(struct told, 1);
    struct elements columns = record_next_array(record, name, messages);
    struct event_row row = {
        .kind = (enum row_kind)record_next_int(record, name, &columns, 0, ROW_KINDS - 1),
    };
    row.marks = (uint16_t)record_next_int(record, name, &columns, 0, MARKS_MOST);
    row.key = (uint64_t)record_next_int(record, name, &columns, INT64_MIN + 1, INT64_MAX);
    row.bytes = (uint64_t)record_next_int(record, name, &columns, 0, INT64_MAX);
    row.rest = (uint32_t)record_next_int(record, name, &columns, 0, UINT32_MAX);
    told->seq = (uint32_t)record_next_int(record, name, &columns, 0, UINT32_MAX);
    row.text = told->text = g_strdup(record_next_operation(record, name, &columns));
    told->event = event_row_read(&row);
    return told;
}

void
told_read(struct told_queue *queue, struct record *record, struct elements messages)
{
    while (messages.left > 0 && !record->wrong) {
        struct told *told = read_event(record, &messages);
        if (told->event.kind == EVENT_HELD) {
            told_free(told);
            continue;
        }
        g_queue_push_tail(&queue->events, told);
        count(queue, told->seq, 1);
    }
}

void
told_note_held(struct record *record, struct elements messages, GHashTable *until_it, GHashTable *until_end)
{
    while (messages.left > 0 && !record->wrong) {
        struct told *told = read_event(record, &messages);
        if (told->event.kind == EVENT_HELD)
            g_hash_table_add(told->event.held.until_end ? until_end : until_it, GUINT_TO_POINTER(told->seq));
        told_free(told);
    }
}

struct told *
told_next(struct told_queue *queue, uint32_t seq, bool arrives)
{
    struct told *told = g_queue_peek_head(&queue->events);
    if (!g_hash_table_contains(queue->count, GUINT_TO_POINTER(seq)) || (arrives && !told->event.arrives))
        return NULL;
    count(queue, told->seq, -1);
    return g_queue_pop_head(&queue->events);
}

uint32_t
told_prelude(struct told_queue *queue, uint32_t seq)
{
    struct told *told = g_queue_peek_head(&queue->events);
    if (!told || told->seq != seq || told->event.kind != EVENT_PRELUDE)
        return 0;
    const uint32_t bytes = told->event.prelude.bytes;
    count(queue, seq, -1);
    told_free(g_queue_pop_head(&queue->events));
    return bytes;
}

bool
told_waits(const struct told_queue *queue)
{
    return queue->events.length > 0;
}
