/* say.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

#include "progress.h"

void
say(const char *format, ...)
{
    va_list arguments;
    progress_clear();
    fputs("latency-scan: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
