/* calls-told.c
 * calls-told CAPTURE [PREFERENCE…]: what core/calls tells of each request, a line each, for tests.
 *
 * number, frame of its first packet, and of the cause's (0: none is told), rule, candidates, then calls, their time and
 * its own, in ns; r of a retry; the threads that sent and read its first packet, 0 if unknown; with tabs between.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <glib.h>

#include "core/calls/calls_host.h"
#include "lazy_wiretap.h"
#include "preferences.h"
#include "reading.h"
#include "report.h"
#include "say.h"
#include "scan.h"
#include "table/call_source.h"

void
say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    putc('\n', stderr);
}

static void
print(const struct calls *calls, uint32_t number)
{
    const struct call *call = calls_find(calls, number);
    const struct call *cause = call ? calls_find(calls, call->cause) : NULL;
    if (!call)
        return;
    const struct call_times times = calls_times(calls, number);
    printf("%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%s\t%u\t%" PRIu32 "\t%" PRId64 "\t%" PRId64 "\t%s\t%" PRIu32
           "\t%" PRIu32 "\n",
           number, call->frame, cause ? cause->frame : 0, call->is_call ? call_rule_name(call->rule) : "",
           call->candidates, times.calls, times.call_ns, times.own_ns, call->is_retry ? "r" : "",
           calls_threads_of(calls->threads.sent, call->frame), calls_threads_of(calls->threads.read, call->frame));
}

static void
run(struct reading *reading)
{
    struct scan *scan = scan_new(preferences_settings(), preferences_texts());
    struct frame *frame;
    call_source_want(scan_source(scan));
    while ((frame = reading_next(reading)))
        scan_take(scan, frame);
    scan_end(scan);
    const struct calls *calls = call_source_told(scan_source(scan));
    for (uint32_t number = 1; number <= calls_last(calls); number++)
        print(calls, number);
    scan_free(scan);
}

int
main(int argc, char **argv)
{
    char *paths[] = { argc > 1 ? argv[1] : "-", NULL };
    bool failed = false;
    report_begin();
    preferences_begin();
    for (int i = 2; i < argc; i++) {
        char *wrong = preferences_set(argv[i]);
        if (wrong) {
            fprintf(stderr, "%s\n", wrong);
            return 2;
        }
    }
    struct reading *reading = reading_open(paths, false, &failed);
    if (!reading)
        return 2;
    run(reading);
    reading_close(reading);
    preferences_end();
    wiretap_end();
    return failed;
}
