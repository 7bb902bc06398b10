/* counted.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "counted.h"

#include "json/export_line.h"

enum { PATHS_SHOWN = 20, NAMES_SHOWN = 100 };

const struct counted_members counted_members[COUNTED_KINDS] = {
    [COUNTED_ATTEMPTS] = { "attempts",
                           { NULL },
                           true,
                           { "attempts", "accepted", "refused", "unreachable", "unanswered" },
                           0,
                           0,
                           PATHS_SHOWN },
    [COUNTED_PATHS] = { "paths",
                        { "sender" },
                        true,
                        { "payload_frames", "retransmitted", "out_of_order", "gaps" },
                        1,
                        3,
                        PATHS_SHOWN },
    [COUNTED_SEARCHES] = { "searches", { "name" }, false, { "attempts", "searches", "unanswered" }, 0, 0, NAMES_SHOWN },
    [COUNTED_OUTCOMES] = { "outcomes", { "type", "outcome", "reason" }, false, { "channels" }, 0, 0, NAMES_SHOWN },
};

static void
free_counted(void *data)
{
    struct counted *counted = data;
    for (unsigned i = 0; i < TEXTS_MOST; i++)
        g_free(counted->texts[i]);
    g_free(counted->server);
    g_free(counted);
}

void
counted_init(struct counted_list *list, enum counted_kind kind)
{
    list->kind = kind;
    list->all = g_ptr_array_new_with_free_func(free_counted);
    list->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void
counted_clear(struct counted_list *list)
{
    g_ptr_array_free(list->all, TRUE);
    g_hash_table_destroy(list->by_name);
}

/* The server that the line names. */
static char *
read_server(struct record *record)
{
    struct endpoint server;
    bool ipv6;
    record_endpoint(record, "server", "server_port", &server, &ipv6);
    return endpoint_text(&server, ipv6);
}

static struct counted *
counted_at(struct counted_list *list, struct record *record)
{
    const struct counted_members *members = &counted_members[list->kind];
    struct counted *counted = g_new0(struct counted, 1);
    counted->server = members->has_server ? read_server(record) : NULL;
    GString *name = g_string_new(counted->server);
    for (unsigned i = 0; i < TEXTS_MOST && members->texts[i]; i++) {
        counted->texts[i] = g_strdup(record_optional_text(record, members->texts[i], ""));
        g_string_append_printf(name, "\n%s", counted->texts[i]);
    }
    struct counted *before = g_hash_table_lookup(list->by_name, name->str);
    if (before) {
        free_counted(counted);
        g_string_free(name, TRUE);
        return before;
    }
    g_hash_table_insert(list->by_name, g_string_free(name, FALSE), counted);
    g_ptr_array_add(list->all, counted);
    return counted;
}

void
counted_take(struct counted_list *list, struct record *record)
{
    const struct counted_members *members = &counted_members[list->kind];
    struct counted *counted = counted_at(list, record);
    for (unsigned i = 0; i < COUNTS_MOST && members->counts[i]; i++)
        counted->counts[i] += list->kind == COUNTED_OUTCOMES ? 1 : record_uint(record, members->counts[i], INT64_MAX);
}

static uint64_t
weight(const struct counted_members *members, const struct counted *counted)
{
    uint64_t sum = 0;
    for (unsigned i = members->first_weighs; i <= members->last_weighs; i++)
        sum += counted->counts[i];
    return sum;
}

static int
compare(const void *a, const void *b, void *data)
{
    uint64_t first = weight(data, *(struct counted *const *)a), second = weight(data, *(struct counted *const *)b);
    return (first < second) - (first > second);
}

void
counted_sort(struct counted_list *list)
{
    g_ptr_array_sort_with_data(list->all, compare, (void *)&counted_members[list->kind]);
}
