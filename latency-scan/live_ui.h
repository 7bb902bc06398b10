/* live_ui.h
 * What the user of the live view has typed: what is asked of the rows, which one is selected or opened, and what is
 * being entered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_UI_H
#define SCAN_LIVE_UI_H

#include "live_view.h"

/* Keys that are no character. Others are bytes of UTF-8, or characters below 32 of ASCII. */
enum live_key {
    LIVE_KEY_NONE = -1,
    LIVE_KEY_ENTER = '\n',
    LIVE_KEY_ESCAPE = 27,
    LIVE_KEY_UP = 256,
    LIVE_KEY_DOWN,
    LIVE_KEY_PAGE_UP,
    LIVE_KEY_PAGE_DOWN,
    LIVE_KEY_HOME,
    LIVE_KEY_END,
    LIVE_KEY_LEFT,
    LIVE_KEY_RIGHT,
    LIVE_KEY_BACKSPACE,
    LIVE_KEY_RESIZE
};

enum live_mode { LIVE_ROWS, LIVE_OPENED, LIVE_HELP };

/* What is being entered in the last line. */
enum live_entering { ENTERING_NOTHING, ENTERING_FILTER, ENTERING_FILE };

/* What the program is to do because of a key, beside showing what has changed. */
enum live_action { LIVE_DO_NOTHING, LIVE_DO_OPEN, LIVE_DO_WRITE, LIVE_DO_SUSPEND, LIVE_DO_QUIT };

struct live_ui {
    enum live_mode mode;
    enum live_entering entering;
    struct live_question question; /* but for its times; the filter is: */
    GString *filter, *entered, *file;
    bool is_paused, is_folded, has_opened_others;
    unsigned selected, from; /* a row, and the first that is shown */
    unsigned opened_from;    /* the first line of the opened row that is shown */
    struct group_key opened; /* with a `kind` of its own */
    char *message;           /* stands in the last line until the next key; NULL for none */
};

/* `is_folded`: operations have their numbers as {n}. */
void live_ui_open(struct live_ui *ui, enum live_window window, bool is_folded);
void live_ui_close(struct live_ui *ui);

/* Takes a key. `view`: what is shown; `rows`: how many of it fit the screen. */
enum live_action live_ui_take(struct live_ui *ui, int key, const struct live_view *view, unsigned rows);

/* Keeps what is selected within the view. */
void live_ui_settle(struct live_ui *ui, const struct live_view *view, unsigned rows);

/* Says something until the next key; takes the text, which is to be freed with g_free(). */
void live_ui_say(struct live_ui *ui, char *message);

#endif
