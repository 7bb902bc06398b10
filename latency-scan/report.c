/* report.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "report.h"

#include <stdarg.h>

#include <glib.h>

#include <wsutil/report_message.h>
#include <wsutil/wslog.h>

#include "compat.h"
#include "say.h"

static void
say_failure(const char *format, va_list arguments)
{
    char *sentence = g_strdup_vprintf(format, arguments);
    say("%s", sentence);
    g_free(sentence);
}

void
report_begin(void)
{
    static const struct report_message_routines routines = {
        .vreport_failure = say_failure,
        .vreport_warning = say_failure,
    };
#if LATENCY_VERSION_AT_LEAST(4, 6)
    ws_log_init(NULL);
#else
    ws_log_init("latency-scan", NULL);
#endif
    init_report_message("latency-scan", &routines);
}
