/* call_links.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_links.h"

#include <string.h>

#include "line_kinds.h"

/* What a line says of a request. */
struct cause {
    uint32_t request, caused_by; /* numbers; 0: none */
    uint8_t rule, probability;
    bool is_retry, is_uncaused;
    int64_t own_ns; /* -1: not known */
};

void
call_links_init(struct call_links *links)
{
    links->asked = g_array_new(FALSE, FALSE, sizeof(struct asked));
    links->causes = g_array_new(FALSE, FALSE, sizeof(struct cause));
    links->calls = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

void
call_links_clear(struct call_links *links)
{
    g_array_free(links->asked, TRUE);
    g_array_free(links->causes, TRUE);
    g_array_free(links->calls, TRUE);
}

void
call_links_begin(struct call_links *links)
{
    g_array_set_size(links->asked, 0);
    g_array_set_size(links->causes, 0);
    g_array_set_size(links->calls, 0);
}

/* Times since 1970 are within 2^62, and sums of two of them and a wait within an int64_t. */
struct asked
asked_of_line(const struct request_line *line, const struct measured *measured)
{
    const int64_t wait_ns = measured->answered ? measured_wait_ns(measured) : 0;
    const int64_t begin_ns = MAX(line->request_time, 0);
    return (struct asked){
        .begin_ns = begin_ns,
        .until_ns = begin_ns + CLAMP(wait_ns, 0, INT64_C(1) << 61),
        .number = line->number,
        .frame = line->request_frame,
        .outcome = (uint8_t)line->outcome,
        .probability = 100,
        .has_response = measured->answered,
        .has_duration = measured->answered && measured->wait == WAIT_FOR_LAST_BYTE,
        .failed = measured->failed,
        .is_pushed = line->pushed,
    };
}

void
call_links_take_request(struct call_links *links, const struct asked *asked)
{
    g_array_append_val(links->asked, *asked);
}

void
call_links_take(struct call_links *links, struct record *record)
{
    struct call_line line;
    if (!line_read(record, &call_members, &line))
        return;
    const struct cause cause = {
        .request = line.request,
        .caused_by = line.caused_by,
        .rule = (uint8_t)call_rule_find(line.cause),
        .probability = (uint8_t)MIN(line.probability, 100),
        .is_retry = line.retry,
        .is_uncaused = strcmp(line.cause, call_rule_name(CALL_NONE)) == 0,
        .own_ns = line.own_time,
    };
    g_array_append_val(links->causes, cause);
}

const struct asked *
call_links_at(const struct call_links *links, uint32_t place)
{
    return &g_array_index(links->asked, struct asked, place);
}

uint32_t
call_links_call(const struct call_links *links, const struct asked *cause, uint32_t i)
{
    return g_array_index(links->calls, uint32_t, cause->calls_at + i);
}

static int
compare_asked(const void *a, const void *b)
{
    const struct asked *x = a;
    const struct asked *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int
compare_causes(const void *a, const void *b)
{
    const struct cause *x = a;
    const struct cause *y = b;
    return (x->request > y->request) - (x->request < y->request);
}

/* Returns the last request of that number; NULL if there is none. */
static struct asked *
find_asked(const struct call_links *links, uint32_t number)
{
    unsigned low = 0, high = links->asked->len; /* the first above it */
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (call_links_at(links, middle)->number <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && call_links_at(links, low - 1)->number == number
               ? &g_array_index(links->asked, struct asked, low - 1)
               : NULL;
}

static int
compare_begins(const struct asked *x, const struct asked *y)
{
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return compare_asked(x, y);
}

static int
compare_calls(const void *a, const void *b, void *data)
{
    const struct asked *x = call_links_at(data, *(const uint32_t *)a);
    const struct asked *y = call_links_at(data, *(const uint32_t *)b);
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    return compare_begins(x, y);
}

/* Notes what one line says. A cause begins before its call, so that none leads back to itself, whatever a file says. */
static void
join_one(struct call_links *links, const struct cause *cause)
{
    struct asked *asked = find_asked(links, cause->request);
    if (!asked || asked->has_cause)
        return;
    asked->is_uncaused = cause->is_uncaused;
    if (cause->caused_by == 0 && cause->rule != CALL_SEVERAL)
        return;
    asked->rule = cause->rule;
    asked->probability = cause->rule == CALL_WORKER ? cause->probability : 100;
    asked->has_cause = cause->caused_by != 0;
    asked->is_retry = cause->is_retry;
    const struct asked *by = asked->has_cause ? find_asked(links, cause->caused_by) : NULL;
    if (!by || compare_begins(by, asked) >= 0)
        return;
    const uint32_t place = (uint32_t)(asked - call_links_at(links, 0));
    asked->cause = (uint32_t)(by - call_links_at(links, 0)) + 1;
    g_array_append_val(links->calls, place);
}

bool
call_links_are_told(const struct call_links *links)
{
    return links->causes->len > 0;
}

bool
call_links_join(struct call_links *links)
{
    if (links->causes->len == 0)
        return false;
    g_array_sort(links->asked, compare_asked);
    g_array_sort(links->causes, compare_causes);
    for (unsigned i = 0; i < links->causes->len; i++)
        join_one(links, &g_array_index(links->causes, struct cause, i));
    g_array_sort_with_data(links->calls, compare_calls, links);
    for (unsigned i = 0; i < links->calls->len; i++) {
        const uint32_t cause = call_links_at(links, g_array_index(links->calls, uint32_t, i))->cause;
        struct asked *by = &g_array_index(links->asked, struct asked, cause - 1);
        if (by->calls++ == 0)
            by->calls_at = i;
    }
    return true;
}

int64_t
call_links_own_ns(const struct call_links *links, const struct asked *asked)
{
    const struct cause wanted = { .request = asked->number };
    unsigned place;
    if (!asked->has_duration)
        return -1;
    if (g_array_binary_search(links->causes, &wanted, compare_causes, &place))
        return g_array_index(links->causes, struct cause, place).own_ns;
    return asked->until_ns - asked->begin_ns;
}
