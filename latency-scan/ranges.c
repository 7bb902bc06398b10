/* ranges.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ranges.h"

/* A number, or else `otherwise` where there is none; false if it is above `most`. */
static bool
read_number(const char **at, uint32_t otherwise, uint32_t most, uint32_t *number)
{
    char *end;
    if (!g_ascii_isdigit(**at)) {
        *number = otherwise;
        return true;
    }
    guint64 value = g_ascii_strtoull(*at, &end, 10);
    *at = end;
    *number = (uint32_t)MIN(value, UINT32_MAX);
    return value <= most;
}

/* "80", "80-90", "-90" or "80-": up to the most. */
static bool
read_range(const char **at, uint32_t most, struct range *range)
{
    bool begins = g_ascii_isdigit(**at);
    if ((!begins && **at != '-') || !read_number(at, 1, most, &range->low))
        return false;
    range->high = range->low;
    if (**at != '-')
        return true;
    ++*at;
    if (!read_number(at, most, most, &range->high))
        return false;
    if (range->low > range->high)
        *range = (struct range){ range->high, range->low };
    return true;
}

GArray *
ranges_read(const char *text, uint32_t most)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(struct range));
    while (*text) {
        struct range range;
        if (*text == ' ' || *text == ',') {
            text++;
            continue;
        }
        if (!read_range(&text, most, &range) || (*text && *text != ',' && *text != ' ')) {
            g_array_free(ranges, TRUE);
            return NULL;
        }
        g_array_append_val(ranges, range);
    }
    return ranges;
}

bool
ranges_have(const GArray *ranges, uint32_t number)
{
    for (unsigned i = 0; i < ranges->len; i++) {
        const struct range *range = &g_array_index(ranges, struct range, i);
        if (range->low <= number && number <= range->high)
            return true;
    }
    return false;
}

char *
ranges_text(const GArray *ranges)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < ranges->len; i++) {
        const struct range *range = &g_array_index(ranges, struct range, i);
        g_string_append_printf(text, range->low == range->high ? "%s%u" : "%s%u-%u", i ? "," : "", range->low,
                               range->high);
    }
    return g_string_free(text, FALSE);
}
