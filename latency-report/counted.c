/* counted.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "counted.h"

#include "wanted.h"

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

/* A line's members. */
struct counted_line {
    struct member texts[TEXTS_MOST], server, port, counts[COUNTS_MOST];
};

static void
read_line(const struct counted_members *members, const char *text, struct counted_line *line)
{
    struct wanted wanted[TEXTS_MOST + 2 + COUNTS_MOST] = { { "server", &line->server },
                                                           { "server_port", &line->port } };
    unsigned n = 2;
    for (unsigned i = 0; i < TEXTS_MOST && members->texts[i]; i++)
        wanted[n++] = (struct wanted){ members->texts[i], &line->texts[i] };
    for (unsigned i = 0; i < COUNTS_MOST && members->counts[i]; i++)
        wanted[n++] = (struct wanted){ members->counts[i], &line->counts[i] };
    wanted_read(text, wanted, n);
}

static struct counted *
counted_at(struct counted_list *list, const struct counted_line *line)
{
    const struct counted_members *members = &counted_members[list->kind];
    char *texts[TEXTS_MOST] = { NULL };
    char *server = members->has_server ? wanted_endpoint(&line->server, &line->port) : NULL;
    GString *name = g_string_new(server);
    for (unsigned i = 0; i < TEXTS_MOST && members->texts[i]; i++) {
        texts[i] = wanted_text(&line->texts[i]);
        g_string_append_printf(name, "\n%s", texts[i]);
    }
    struct counted *counted = g_hash_table_lookup(list->by_name, name->str);
    if (counted) {
        for (unsigned i = 0; i < TEXTS_MOST; i++)
            g_free(texts[i]);
        g_free(server);
        g_string_free(name, TRUE);
        return counted;
    }
    counted = g_new0(struct counted, 1);
    memcpy(counted->texts, texts, sizeof texts);
    counted->server = server;
    g_hash_table_insert(list->by_name, g_string_free(name, FALSE), counted);
    g_ptr_array_add(list->all, counted);
    return counted;
}

void
counted_take(struct counted_list *list, const char *text)
{
    const struct counted_members *members = &counted_members[list->kind];
    struct counted_line line = { 0 };
    read_line(members, text, &line);
    struct counted *counted = counted_at(list, &line);
    for (unsigned i = 0; i < COUNTS_MOST && members->counts[i]; i++)
        counted->counts[i] += list->kind == COUNTED_OUTCOMES ? 1 : (uint64_t)member_int(&line.counts[i]);
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
