/* request_filter.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "request_filter.h"

#include <epan/packet.h>

#include <epan/conversation_filter.h> /* after packet.h, whose types it names */

#include "../../compat.h"
#include "../../core/item_subject.h"
#include "../intake/intake.h"
#include "calls_fields.h"

/* A filter with more numbers than these nobody could look through. */
enum { REQUESTS_MOST = 200 };

/* The first of the frame's; NULL if it has none. */
static const struct request *
request_of(const packet_info *pinfo)
{
    uint32_t position;
    if (!intake_analysis())
        return NULL;
    struct items *items = intake_analysis()->items;
    for (const struct item *item = items_first(items, pinfo->num, &position); item; item = items_next(items, &position))
        if (item->kind == ITEM_REQUEST || item->kind == ITEM_RESPONSE)
            return item->request;
    return NULL;
}

static wireshark_bool
has_request(packet_info *pinfo COMPAT_FILTER_DATA)
{
    return request_of(pinfo) != NULL;
}

static char *
filter_of_request(packet_info *pinfo COMPAT_FILTER_DATA)
{
    const struct request *request = request_of(pinfo);
    return request ? g_strdup_printf("latency.request == %u", request->number) : NULL;
}

static void
append_number(void *numbers, uint32_t number)
{
    GArray *all = numbers;
    if (all->len < REQUESTS_MOST)
        g_array_append_val(all, number);
}

static int
compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns "latency.request in {3, 5..9}", to be freed with g_free(). */
static char *
filter_of_numbers(GArray *numbers)
{
    GString *filter = g_string_new("latency.request in {");
    g_array_sort(numbers, compare_numbers);
    for (unsigned from = 0, to; from < numbers->len; from = to) {
        const uint32_t first = g_array_index(numbers, uint32_t, from);
        for (to = from + 1; to < numbers->len && g_array_index(numbers, uint32_t, to) - first == to - from;)
            to++;
        g_string_append_printf(filter, from > 0 ? ", %u" : "%u", first);
        if (to - from > 1)
            g_string_append_printf(filter, "..%u", first + (to - from) - 1);
    }
    g_string_append_c(filter, '}');
    return g_string_free(filter, FALSE);
}

static wireshark_bool
has_calls(packet_info *pinfo COMPAT_FILTER_DATA)
{
    return request_of(pinfo) && calls_fields_told();
}

static char *
filter_of_calls(packet_info *pinfo COMPAT_FILTER_DATA)
{
    const struct request *request = request_of(pinfo);
    const struct calls *calls = calls_fields_told();
    if (!request || !calls)
        return NULL;
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    append_number(numbers, request->number);
    for (unsigned i = 0; i < numbers->len && numbers->len < REQUESTS_MOST; i++)
        calls_each(calls, g_array_index(numbers, uint32_t, i), append_number, numbers);
    char *filter = filter_of_numbers(numbers);
    g_array_free(numbers, TRUE);
    return filter;
}

void
request_filter_register(void)
{
    compat_register_filter("latency", "Latency: request", has_request, filter_of_request);
    compat_register_filter("latency", "Latency: request and its calls (at most 200)", has_calls, filter_of_calls);
}
