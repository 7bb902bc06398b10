/* live_screen.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "live_screen.h"

/* before term.h, which calls what are its members something else */
#include "table/terminal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

/* What is called of ncurses. */
#define CALLS(X)                                                                                                       \
    X(curs_set)                                                                                                        \
    X(def_prog_mode)                                                                                                   \
    X(delscreen)                                                                                                       \
    X(endwin)                                                                                                          \
    X(getmaxx)                                                                                                         \
    X(getmaxy)                                                                                                         \
    X(has_colors)                                                                                                      \
    X(init_pair)                                                                                                       \
    X(keypad)                                                                                                          \
    X(newterm)                                                                                                         \
    X(noecho)                                                                                                          \
    X(nodelay)                                                                                                         \
    X(raw)                                                                                                             \
    X(set_escdelay)                                                                                                    \
    X(setupterm)                                                                                                       \
    X(start_color)                                                                                                     \
    X(tigetstr)                                                                                                        \
    X(use_default_colors)                                                                                              \
    X(waddnstr)                                                                                                        \
    X(wattr_set)                                                                                                       \
    X(werase)                                                                                                          \
    X(wgetch)                                                                                                          \
    X(wmove)                                                                                                           \
    X(wrefresh)

#define POINTER(name) __typeof__(name) *name;
static struct {
    CALLS(POINTER)
    WINDOW **screen; /* stdscr, which is no function */
} curses;

static struct {
    FILE *keys;
    SCREEN *screen;
    bool has_colours, has_unicode;
} opened;

enum { ESCAPE_MS = 50, PAUSE_US = 100000 };

/* Returns a sentence if the library cannot be loaded. */
static char *
load_curses(void)
{
    void *library = dlopen(LIBNCURSES, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) curses.name = library ? (__typeof__(name) *)dlsym(library, #name) : NULL;
    CALLS(FIND)
    curses.screen = library ? dlsym(library, "stdscr") : NULL;
#define LACKS(name) || !curses.name
    if (!library || !curses.screen CALLS(LACKS))
        return g_strdup_printf("--live needs ncurses: %s.", dlerror());
    return NULL;
}

/* Where keys come from: the standard input may be the capture, or become it. NULL: from nowhere. */
static FILE *
open_keys(void)
{
    const int descriptor = isatty(STDIN_FILENO) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                                : open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    return descriptor < 0 ? NULL : fdopen(descriptor, "r");
}

/* Returns a sentence if a full screen cannot be shown by a terminal of this kind. */
static char *
refuse_kind(void)
{
    const char *kind = g_getenv("TERM");
    int error = 0;
    if (!kind || !*kind)
        return g_strdup("--live needs to know what kind of terminal this is: TERM is not set.");
    if (curses.setupterm(NULL, STDOUT_FILENO, &error) != OK || error != 1)
        return g_strdup_printf("--live does not know the terminal \"%s\".", kind);
    if (!curses.tigetstr("cup"))
        return g_strdup_printf(
            "--live needs a full screen, which the terminal \"%s\" has not: --every 1 prints tables.", kind);
    return NULL;
}

char *
live_screen_refuse(void)
{
    if (!isatty(STDOUT_FILENO))
        return g_strdup("--live needs a terminal; --every 1 prints tables to whatever there is.");
    opened.keys = open_keys();
    if (!opened.keys)
        return g_strdup_printf("--live needs a terminal for its keys: %s.", g_strerror(errno));
    char *wrong = load_curses();
    return wrong ? wrong : refuse_kind();
}

static void
begin_colours(void)
{
    static const short colours[PAGE_STYLES] = {
        [PAGE_PLAIN] = -1,      [PAGE_TITLE] = -1,          [PAGE_HEAD] = -1,  [PAGE_SELECTED] = -1,
        [PAGE_BAD] = COLOR_RED, [PAGE_SLOW] = COLOR_YELLOW, [PAGE_FAINT] = -1,
    };
    opened.has_colours = terminal_of(stdout).has_colours && curses.has_colors() && curses.start_color() == OK &&
                         curses.use_default_colors() == OK;
    for (short i = 0; opened.has_colours && i < PAGE_STYLES; i++)
        curses.init_pair((short)(i + 1), colours[i], -1);
}

bool
live_screen_open(void)
{
    /* SIGTSTP is this file's: ncurses would draw in whatever thread gets it. */
    signal(SIGTSTP, SIG_IGN);
    opened.screen = curses.newterm(NULL, stdout, opened.keys);
    signal(SIGTSTP, SIG_DFL);
    if (!opened.screen)
        return false;
    opened.has_unicode = terminal_of(stdout).has_unicode;
    curses.raw();
    curses.noecho();
    curses.keypad(*curses.screen, TRUE);
    curses.nodelay(*curses.screen, TRUE);
    curses.set_escdelay(ESCAPE_MS);
    curses.curs_set(0);
    begin_colours();
    return true;
}

void
live_screen_close(void)
{
    curses.endwin();
    curses.delscreen(opened.screen);
    opened.screen = NULL;
}

void
live_screen_suspend(void)
{
    curses.def_prog_mode();
    curses.endwin();
    kill(0, SIGTSTP);
    g_usleep(PAUSE_US); /* another thread may be the one that gets it */
    curses.wrefresh(*curses.screen);
}

int
live_screen_lines(void)
{
    return curses.getmaxy(*curses.screen);
}

int
live_screen_columns(void)
{
    return curses.getmaxx(*curses.screen);
}

bool
live_screen_has_unicode(void)
{
    return opened.has_unicode;
}

static void
set_style(enum page_style style)
{
    static const attr_t attributes[PAGE_STYLES] = {
        [PAGE_TITLE] = WA_REVERSE,
        [PAGE_HEAD] = WA_BOLD,
        [PAGE_SELECTED] = WA_REVERSE,
        [PAGE_BAD] = WA_BOLD,
    };
    curses.wattr_set(*curses.screen, attributes[style], opened.has_colours ? (short)(style + 1) : 0, NULL);
}

void
live_screen_draw(const struct page *page)
{
    curses.werase(*curses.screen);
    for (unsigned i = 0; i < page->all->len; i++) {
        const GArray *line = g_ptr_array_index(page->all, i);
        curses.wmove(*curses.screen, (int)i, 0);
        for (unsigned k = 0; k < line->len; k++) {
            const struct page_piece *piece = &g_array_index(line, struct page_piece, k);
            set_style(piece->style);
            curses.waddnstr(*curses.screen, piece->text, -1);
        }
    }
    set_style(PAGE_PLAIN);
    curses.wrefresh(*curses.screen);
}

/* What ncurses calls a key. */
static int
key_of(int code)
{
    static const struct {
        int code, key;
    } keys[] = {
        { '\r', LIVE_KEY_ENTER },
        { KEY_ENTER, LIVE_KEY_ENTER },
        { KEY_UP, LIVE_KEY_UP },
        { KEY_DOWN, LIVE_KEY_DOWN },
        { KEY_PPAGE, LIVE_KEY_PAGE_UP },
        { KEY_NPAGE, LIVE_KEY_PAGE_DOWN },
        { KEY_HOME, LIVE_KEY_HOME },
        { KEY_END, LIVE_KEY_END },
        { KEY_LEFT, LIVE_KEY_LEFT },
        { KEY_RIGHT, LIVE_KEY_RIGHT },
        { KEY_BACKSPACE, LIVE_KEY_BACKSPACE },
        { 127, LIVE_KEY_BACKSPACE },
        { '\b', LIVE_KEY_BACKSPACE },
        { KEY_RESIZE, LIVE_KEY_RESIZE },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
        if (keys[i].code == code)
            return keys[i].key;
    return code < LIVE_KEY_UP ? code : LIVE_KEY_NONE;
}

bool
live_screen_key(int wait_ms, int *key)
{
    struct pollfd terminal = { .fd = fileno(opened.keys), .events = POLLIN };
    *key = LIVE_KEY_NONE;
    int code = curses.wgetch(*curses.screen); /* it may hold several that have been read together */
    if (code == ERR) {
        poll(&terminal, 1, wait_ms); /* a resize interrupts it */
        code = curses.wgetch(*curses.screen);
    }
    if (code == ERR && terminal.revents & POLLIN)
        g_usleep(ESCAPE_MS * 1000); /* a terminal that has gone may say so again and again */
    if (code != ERR)
        *key = key_of(code);
    return code != ERR || !(terminal.revents & (POLLHUP | POLLERR | POLLNVAL));
}
