/* expect.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "expect.h"

#include <string.h>

#include "key.h"

/* Where a complaint is about, and in which run. */
struct spot {
    const char *name;
    const struct scenario_segment *segment;
    uint32_t frame;
    unsigned nth; /* of its `?` lines, from 1 */
    bool at_end, kept;
};

static void
complain(const struct spot *place, const char *key, const char *expected, const char *actual)
{
    g_test_message("%s:%u: line %u of its expectations, frame %u %s (%s): %s: expected %s, got %s", place->name,
                   place->segment->line, place->nth, place->frame, place->at_end ? "at the end" : "when taken",
                   place->kept ? "kept" : "not kept", key, expected, actual);
    g_test_fail();
}

static void
check_word(const struct spot *place, const struct view *view, const char *word)
{
    const char *equals = strchr(word, '=');
    if (equals == NULL) {
        complain(place, word, "key=value", "neither");
        return;
    }
    char *name = g_strndup(word, (gsize)(equals - word));
    const struct key *key = key_find(name);
    char *expected = key == NULL ? NULL : key_expected(key, equals + 1);
    if (key == NULL) {
        complain(place, name, "a key", "an unknown one");
    } else if (expected == NULL) {
        complain(place, name, "a value of that key", equals + 1);
    } else if (place->at_end || key_is_known(key, view)) {
        char *actual = key_read(key, view);
        if (actual == NULL)
            complain(place, name, expected, "an item that has no such key");
        else if (strcmp(expected, actual) != 0)
            complain(place, name, expected, actual);
        g_free(actual);
    }
    g_free(expected);
    g_free(name);
}

static void
check_line(const struct spot *place, const struct view *view, const char *line)
{
    static const char rest_key[] = "operation="; /* its value is the rest of the line, as it may have blanks */
    while (*line != '\0') {
        size_t length = g_str_has_prefix(line, rest_key) ? strlen(line) : strcspn(line, " ");
        char *word = g_strndup(line, length);
        check_word(place, view, word);
        g_free(word);
        line += length;
        line += strspn(line, " ");
    }
}

/* `later` is for what a frame yet to come changes. */
static bool
is_later(const char **line)
{
    static const char mark[] = "later ";
    if (!g_str_has_prefix(*line, mark))
        return false;
    *line += strlen(mark);
    return true;
}

/* `held` is for what a frame says while it is held. */
static bool
is_held(const char **line)
{
    static const char mark[] = "held";
    if (!g_str_has_prefix(*line, mark))
        return false;
    *line += strlen(mark);
    *line += strspn(*line, " ");
    return true;
}

/* When the frame is taken it is held, and shows nothing else. */
static void
check_held(const struct spot *place, const struct view *view, const char *line, struct items *items, uint32_t position)
{
    if (view->item == NULL || view->item->kind != ITEM_HELD)
        complain(place, "item", "held", kind_name(view->item));
    else if (items_next(items, &position))
        complain(place, "item", "none after held", "another");
    else
        check_line(place, view, line);
}

/* The frame's next item that shows something. */
static struct item *
skip_amended(struct items *items, struct item *item, uint32_t *position)
{
    while (item != NULL && item->kind == ITEM_UPDATED)
        item = items_next(items, position);
    return item;
}

void
expect_check(const struct analysis *analysis, const struct scenario_segment *segment, uint32_t frame, bool at_end,
             const char *name)
{
    const GPtrArray *lines = segment->expectations;
    if (lines->len == 0)
        return;
    struct spot place = {
        .name = name,
        .segment = segment,
        .frame = frame,
        .at_end = at_end,
        .kept = items_are_kept(analysis->items),
    };
    uint32_t position;
    struct item *item = skip_amended(analysis->items, items_first(analysis->items, frame, &position), &position);
    const char *first = g_ptr_array_index(lines, 0);
    bool held = is_held(&first);
    place.nth = 1;
    if (held && !at_end) {
        const struct view view = view_of(analysis, item, frame, segment->time_ns);
        check_held(&place, &view, first, analysis->items, position);
        return;
    }
    for (guint i = held ? 1 : 0; i < lines->len; i++) {
        const char *line = g_ptr_array_index(lines, i);
        struct view view = view_of(analysis, item, frame, segment->time_ns);
        place.nth = i + 1;
        if (!is_later(&line) || at_end)
            check_line(&place, &view, line);
        if (item != NULL)
            item = skip_amended(analysis->items, items_next(analysis->items, &position), &position);
    }
    if (item != NULL)
        complain(&place, "item", "none after these", kind_name(item));
}
