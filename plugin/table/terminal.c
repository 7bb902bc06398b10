/* terminal.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "terminal.h"

#include <glib.h>

#ifdef _WIN32
#include <io.h>
#include <windows.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

/* Returns how many columns the terminal has that a file is; 0 if it is none, or the system does not say. */
static int
columns_of(FILE *file)
{
#ifdef _WIN32
    CONSOLE_SCREEN_BUFFER_INFO info;
    HANDLE console = (HANDLE)_get_osfhandle(_fileno(file));
    return GetConsoleScreenBufferInfo(console, &info) ? info.srWindow.Right - info.srWindow.Left + 1 : 0;
#else
    struct winsize size;
    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
#endif
}

/* Returns whether the terminal knows colours and the user wants them: no-color.org. */
static bool
wants_colours(void)
{
    const char *no_color = g_getenv("NO_COLOR"), *kind = g_getenv("TERM");
    return (!no_color || !*no_color) && kind && *kind && !g_str_equal(kind, "dumb");
}

struct terminal
terminal_of(FILE *file)
{
    struct terminal terminal = { .columns = columns_of(file) };
    if (terminal.columns > 0) {
        terminal.has_colours = wants_colours();
        terminal.has_unicode = g_get_charset(NULL);
    }
    return terminal;
}
