/* passing_requests.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "passing_requests.h"

#include "../core/item_subject.h"

struct entry {
    bool passes, is_handed_over;
    uint8_t tls; /* enum tls_turn: why it is left out */
};

static void
end_capture(void *data)
{
    struct passing_requests *passing = data;
    if (passing_requests_has_new(passing))
        passing->take_capture(passing->rows);
}

void
passing_requests_open(struct passing_requests *passing, struct table_rows *rows, void (*take_capture)(void *rows))
{
    *passing = (struct passing_requests){
        .rows = rows,
        .take_capture = take_capture,
        .observer = { .data = passing, .end = end_capture },
    };
    by_number_init(&passing->entries, rows->source, sizeof(struct entry));
    observer_add(rows->source, &passing->observer);
}

void
passing_requests_close(struct passing_requests *passing)
{
    observer_remove(passing->rows->source, &passing->observer);
    by_number_clear(&passing->entries);
}

void
passing_requests_take(struct passing_requests *passing, const struct item *item)
{
    const struct request *request = item_request(item);
    omitted_take(&passing->rows->omitted, item);
    if (!request)
        return;
    struct entry *entry = by_number_at(&passing->entries, request->number);
    if (entry->passes || !omitted_counts(&passing->rows->omitted, item, &entry->tls))
        return;
    entry->passes = true;
    passing->passed++;
    passing->has_new = true;
}

bool
passing_requests_has_new(const struct passing_requests *passing)
{
    const struct table_source *source = passing->rows->source;
    return passing->has_new && source->analysis && passing->entries.capture == source->number;
}

void
passing_requests_each_new(struct passing_requests *passing, void (*take)(void *rows, uint32_t number))
{
    passing->has_new = false;
    for (uint32_t number = 0; number < by_number_count(&passing->entries); number++) {
        struct entry *entry = by_number_at(&passing->entries, number);
        if (!entry->passes || entry->is_handed_over)
            continue;
        entry->is_handed_over = true;
        take(passing->rows, number);
    }
}
