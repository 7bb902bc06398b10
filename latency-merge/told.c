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
read_event(struct record *record, const char *name, JsonArray *columns)
{
    struct told *told = g_new0(struct told, 1);
    struct event_row row = {
        .kind = (enum row_kind)record_element(record, name, columns, MESSAGE_KIND, 0, ROW_KINDS - 1),
        .marks = (uint16_t)record_element(record, name, columns, MESSAGE_MARKS, 0, MARKS_MOST),
        .key = (uint64_t)record_element(record, name, columns, MESSAGE_KEY, INT64_MIN + 1, INT64_MAX),
        .bytes = (uint64_t)record_element(record, name, columns, MESSAGE_BYTES, 0, INT64_MAX),
        .rest = (uint32_t)record_element(record, name, columns, MESSAGE_REST, 0, UINT32_MAX),
    };
    told->seq = (uint32_t)record_element(record, name, columns, MESSAGE_SEQ, 0, UINT32_MAX);
    const bool has_text = columns && json_array_get_length(columns) > MESSAGE_OPERATION;
    row.text = told->text = g_strdup(has_text ? record_operation_element(record, name, columns, MESSAGE_OPERATION) : "");
    told->event = event_row_read(&row);
    return told;
}

void
told_read(struct told_queue *queue, struct record *record, JsonArray *messages)
{
    static const char name[] = "segments";
    if (!messages) {
        record->wrong = name;
        return;
    }
    for (unsigned i = 0; i < json_array_get_length(messages) && !record->wrong; i++) {
        struct told *told = read_event(record, name, record_array_element(record, name, messages, i));
        if (told->event.kind == EVENT_KEPT) {
            told_free(told);
            continue;
        }
        g_queue_push_tail(&queue->events, told);
        count(queue, told->seq, 1);
    }
}

void
told_note_kept(struct record *record, JsonArray *messages, GHashTable *until_it, GHashTable *until_end)
{
    for (unsigned i = 0; messages && i < json_array_get_length(messages) && !record->wrong; i++) {
        struct told *told = read_event(record, "segments", record_array_element(record, "segments", messages, i));
        if (told->event.kind == EVENT_KEPT)
            g_hash_table_add(told->event.kept.until_end ? until_end : until_it, GUINT_TO_POINTER(told->seq));
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

bool
told_waits(const struct told_queue *queue)
{
    return queue->events.length > 0;
}
