/* summary_texts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "summary_texts.h"

#include <math.h>

#include <glib.h>

#include "names.h"
#include "summary_lines.h"
#include "text_number.h"

enum { KIND_LONGEST = 32, SERVER_LONGEST = 48, PERCENT = 100 };

const char *
summary_time(wmem_allocator_t *scope, double ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = { { 86400e9, "days" }, { 3600e9, "h" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" } };
    enum { UNITS = G_N_ELEMENTS(units), DIGITS = 3 };
    static const double hours_from_ns = 2 * 3600e9, days_from_ns = 48 * 3600e9;
    unsigned unit = ns > days_from_ns ? 0 : ns > hours_from_ns ? 1 : 2, decimals = 0;
    /* 999.6 µs read as 1000 µs, not 1.00 ms: a unit higher from there on. */
    while (unit < UNITS - 1 && ns < units[unit].ns * (1 - 0.0005))
        unit++;
    const double number = ns / units[unit].ns;
    for (double bound = 99.95; decimals < DIGITS - 1 && number < bound; bound /= 10)
        decimals++;
    const char *digits = number >= 1000 ? number_grouped(scope, number) : number_decimal(scope, number, decimals);
    return ns > 0 ? wmem_strdup_printf(scope, "%s" SUMMARY_BLANK "%s", digits, units[unit].name)
                  : "0" SUMMARY_BLANK "s";
}

const char *
summary_share(wmem_allocator_t *scope, double part, double whole)
{
    if (whole <= 0)
        return "";
    const double percent = MIN(part / whole, 1) * PERCENT;
    if (percent > 0 && percent < 1)
        return "<1" SUMMARY_BLANK "%";
    if (percent < PERCENT && percent > PERCENT - 0.5)
        return ">99" SUMMARY_BLANK "%";
    return wmem_strdup_printf(scope, "%.0f" SUMMARY_BLANK "%%", round(percent));
}

const char *
summary_count(wmem_allocator_t *scope, uint64_t count, const char *one, const char *more)
{
    return wmem_strdup_printf(scope, "%s" SUMMARY_BLANK "%s", number_grouped(scope, (double)count),
                              count == 1 ? one : more);
}

/* Returns a text of at most `longest` characters, with an ellipsis where it is cut; without blanks at its end. */
static const char *
shorten(wmem_allocator_t *scope, const char *text, unsigned longest)
{
    if (g_utf8_strlen(text, -1) <= (glong)longest)
        return text;
    const size_t bytes = (size_t)(g_utf8_offset_to_pointer(text, longest - 1) - text);
    char *cut = g_strchomp(wmem_strndup(scope, text, bytes));
    return wmem_strdup_printf(scope, "%s…", cut);
}

const char *
summary_host(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *host, bool ipv6)
{
    return shorten(scope, address_name(scope, source, host, ipv6), SERVER_LONGEST);
}

const char *
summary_server(wmem_allocator_t *scope, const struct table_source *source, const struct endpoint *server, bool ipv6)
{
    return shorten(scope, endpoint_name(scope, source, server, ipv6), SERVER_LONGEST);
}

const char *
summary_kind(wmem_allocator_t *scope, const struct call_operation *operation)
{
    return *operation->kind ? shorten(scope, operation->kind, KIND_LONGEST) : "request";
}

const char *
summary_operation(wmem_allocator_t *scope, const struct table_source *source, const struct call_operation *operation)
{
    return wmem_strdup_printf(scope, "%s on %s", summary_kind(scope, operation),
                              summary_server(scope, source, &operation->server, operation->ipv6));
}
