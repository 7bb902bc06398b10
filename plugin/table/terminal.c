/* terminal.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "terminal.h"

#ifdef _WIN32

#include <io.h>
#include <windows.h>

int
terminal_columns(FILE *file)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    HANDLE console = (HANDLE)_get_osfhandle(_fileno(file));
    return GetConsoleScreenBufferInfo(console, &info) ? info.srWindow.Right - info.srWindow.Left + 1 : 0;
}

#else

#include <sys/ioctl.h>
#include <unistd.h>

int
terminal_columns(FILE *file)
{
    struct winsize size;
    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

#endif
