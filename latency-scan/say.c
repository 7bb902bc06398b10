/* say.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "../program/program.h"

enum { FRAMES_A_LOOK = 4096, US_A_LINE = 200000, US_PER_S = 1000000, PERCENT = 100 };

/* There is one standard error. */
static int64_t begun_us, shown_us;
static bool is_shown;

/* Who takes sentences; NULL: they are printed. */
static void (*take_sentence)(void *data, const char *sentence);
static void *taking;

void
say_hold(void (*take)(void *data, const char *sentence), void *data)
{
    progress_clear();
    take_sentence = take;
    taking = data;
}

bool
progress_is_due(uint64_t frames)
{
    static int is_terminal = -1;
    if (frames % FRAMES_A_LOOK != 0)
        return false;
    if (is_terminal < 0) {
        is_terminal = isatty(STDERR_FILENO);
        begun_us = shown_us = g_get_monotonic_time();
    }
    return is_terminal && !take_sentence && g_get_monotonic_time() - shown_us >= US_A_LINE;
}

void
progress_show(uint64_t frames, int64_t done_bytes, int64_t all_bytes)
{
    shown_us = g_get_monotonic_time();
    double seconds = (double)(shown_us - begun_us) / US_PER_S;
    double rate = seconds > 0 ? (double)frames / seconds : 0;
    if (all_bytes > 0 && done_bytes > 0) {
        double share = MIN((double)done_bytes / (double)all_bytes, 1);
        fprintf(stderr, "\r%3.0f %%, %.0f packets/s, %.0f s left\033[K", share * PERCENT, rate,
                seconds * (1 - share) / share);
    } else {
        fprintf(stderr, "\r%" PRIu64 " packets, %.0f packets/s\033[K", frames, rate);
    }
    fflush(stderr);
    is_shown = true;
}

void
progress_clear(void)
{
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
}

void
say(const char *format, ...)
{
    va_list arguments;
    progress_clear();
    va_start(arguments, format);
    if (take_sentence) {
        char *sentence = g_strdup_vprintf(format, arguments);
        take_sentence(taking, sentence);
        g_free(sentence);
    } else {
        program_say_list(format, arguments);
    }
    va_end(arguments);
}
