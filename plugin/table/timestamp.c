/* timestamp.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "timestamp.h"

#include <inttypes.h>
#include <stdbool.h>

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

/* Seconds, with a sign of their own. */
static char *
seconds_text(wmem_allocator_t *scope, int64_t ns, int digits)
{
    uint64_t size = (uint64_t)(ns < 0 ? -ns : ns);
    uint64_t fraction = size % NS_PER_S / (digits == 6 ? NS_PER_US : 1);
    return wmem_strdup_printf(scope, "%s%" PRIu64 ".%0*" PRIu64, ns < 0 ? "-" : "", size / NS_PER_S, digits, fraction);
}

static char *
date_text(wmem_allocator_t *scope, int64_t ns, const char *format, bool utc)
{
    int64_t fraction = (ns % NS_PER_S + NS_PER_S) % NS_PER_S;
    int64_t seconds = (ns - fraction) / NS_PER_S;
    GDateTime *time = utc ? g_date_time_new_from_unix_utc(seconds) : g_date_time_new_from_unix_local(seconds);
    char *text = time ? g_date_time_format(time, format) : g_strdup("?");
    char *timestamp = wmem_strdup_printf(scope, "%s.%06" PRId64, text, fraction / NS_PER_US);
    g_free(text);
    if (time)
        g_date_time_unref(time);
    return timestamp;
}

/* As the packet list has them. */
char *
timestamp_text(wmem_allocator_t *scope, enum timestamp_form form, int64_t ns, int64_t start_ns)
{
    switch (form) {
    case TIMESTAMP_EPOCH:
        return seconds_text(scope, ns, 9);
    case TIMESTAMP_TIME:
        return date_text(scope, ns, "%H:%M:%S", false);
    case TIMESTAMP_DATE:
        return date_text(scope, ns, "%F %H:%M:%S", false);
    case TIMESTAMP_DAY_OF_YEAR:
        return date_text(scope, ns, "%Y/%j %H:%M:%S", false);
    case TIMESTAMP_UTC_TIME:
        return date_text(scope, ns, "%H:%M:%S", true);
    case TIMESTAMP_UTC_DATE:
        return date_text(scope, ns, "%F %H:%M:%S", true);
    case TIMESTAMP_UTC_DAY_OF_YEAR:
        return date_text(scope, ns, "%Y/%j %H:%M:%S", true);
    default:
        return seconds_text(scope, ns - start_ns, 6);
    }
}
