/* live_ui.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "live_ui.h"

#include <string.h>

#define CONTROL(letter) ((letter)-64)

enum { ENTERED_MOST = 200 };

void
live_ui_open(struct live_ui *ui, enum live_window window, bool is_folded)
{
    *ui = (struct live_ui){
        .question = { .by = is_folded ? LIVE_BY_FOLDED : LIVE_BY_OPERATION, .window = window, .sort = LIVE_SHARE },
        .is_folded = is_folded,
        .filter = g_string_new(NULL),
        .entered = g_string_new(NULL),
        .file = g_string_new("latency-live.jsonl"),
    };
    ui->question.filter = ui->filter->str;
}

void
live_ui_close(struct live_ui *ui)
{
    g_string_free(ui->filter, TRUE);
    g_string_free(ui->entered, TRUE);
    g_string_free(ui->file, TRUE);
    g_free((char *)ui->opened.kind);
    g_free(ui->message);
}

void
live_ui_say(struct live_ui *ui, char *message)
{
    g_free(ui->message);
    ui->message = message;
}

void
live_ui_settle(struct live_ui *ui, const struct live_view *view, unsigned rows)
{
    const unsigned n = view->order->len;
    ui->selected = MIN(ui->selected, n > 0 ? n - 1 : 0);
    if (ui->selected < ui->from)
        ui->from = ui->selected;
    if (ui->selected >= ui->from + rows)
        ui->from = ui->selected - rows + 1;
    ui->from = MIN(ui->from, n > rows ? n - rows : 0);
}

static void
set_filter(struct live_ui *ui, const char *text)
{
    g_string_assign(ui->filter, text);
    ui->question.filter = ui->filter->str;
    ui->selected = 0;
}

static void
begin_entering(struct live_ui *ui, enum live_entering entering, const char *text)
{
    ui->entering = entering;
    g_string_assign(ui->entered, text);
}

/* Takes off the last character. */
static void
erase_last(GString *text)
{
    if (text->len > 0)
        g_string_truncate(text, (gsize)(g_utf8_find_prev_char(text->str, text->str + text->len) - text->str));
}

/* The filter takes effect while it is entered. */
static enum live_action
take_entered(struct live_ui *ui, int key)
{
    const enum live_entering entering = ui->entering;
    if (key == LIVE_KEY_ESCAPE || key == CONTROL('C') || key == CONTROL('G')) {
        ui->entering = ENTERING_NOTHING;
        if (entering == ENTERING_FILTER)
            set_filter(ui, "");
        return LIVE_DO_NOTHING;
    }
    if (key == LIVE_KEY_ENTER) {
        ui->entering = ENTERING_NOTHING;
        if (entering == ENTERING_FILE)
            g_string_assign(ui->file, ui->entered->str);
        return entering == ENTERING_FILE && ui->entered->len > 0 ? LIVE_DO_WRITE : LIVE_DO_NOTHING;
    }
    if (key == LIVE_KEY_BACKSPACE)
        erase_last(ui->entered);
    else if (key == CONTROL('U'))
        g_string_truncate(ui->entered, 0);
    else if (key >= ' ' && key < LIVE_KEY_UP && ui->entered->len < ENTERED_MOST)
        g_string_append_c(ui->entered, (char)key);
    if (entering == ENTERING_FILTER && g_utf8_validate(ui->entered->str, -1, NULL))
        set_filter(ui, ui->entered->str);
    return LIVE_DO_NOTHING;
}

static void
move(unsigned *at, int key, unsigned page, unsigned last)
{
    switch (key) {
    case LIVE_KEY_UP:
        *at -= *at > 0;
        break;
    case LIVE_KEY_DOWN:
        *at = MIN(*at + 1, last);
        break;
    case LIVE_KEY_PAGE_UP:
        *at -= MIN(*at, page);
        break;
    case LIVE_KEY_PAGE_DOWN:
        *at = MIN(*at + page, last);
        break;
    case LIVE_KEY_HOME:
        *at = 0;
        break;
    case LIVE_KEY_END:
        *at = last;
        break;
    default:
        break;
    }
}

/* What rows are of, and of which time, is not known of a view that stands still. */
static bool
may_ask(struct live_ui *ui)
{
    if (ui->is_paused)
        live_ui_say(ui, g_strdup("Paused: p goes on."));
    return !ui->is_paused;
}

static void
ask_by(struct live_ui *ui, bool servers, bool is_folded)
{
    if (!may_ask(ui))
        return;
    ui->is_folded = is_folded;
    ui->question.by = servers ? LIVE_BY_SERVER : is_folded ? LIVE_BY_FOLDED : LIVE_BY_OPERATION;
    ui->selected = 0;
}

static void
ask_window(struct live_ui *ui, enum live_window window)
{
    if (may_ask(ui))
        ui->question.window = window;
}

static void
ask_sort(struct live_ui *ui, enum live_sort sort)
{
    ui->question.sort = sort;
    ui->selected = 0;
}

static enum live_action
open_selected(struct live_ui *ui, const struct live_view *view)
{
    if (ui->selected >= view->order->len)
        return LIVE_DO_NOTHING;
    const struct live_shown *shown = live_view_row(view, ui->selected);
    g_free((char *)ui->opened.kind);
    ui->opened = shown->key;
    ui->opened.kind = g_strdup(shown->key.kind);
    ui->has_opened_others = shown->is_others;
    ui->opened_from = 0;
    ui->mode = LIVE_OPENED;
    return LIVE_DO_OPEN;
}

/* Keys that mean the same wherever they are typed; false if it is none. */
static bool
take_anywhere(struct live_ui *ui, int key, enum live_action *action)
{
    *action = LIVE_DO_NOTHING;
    if (key == CONTROL('C'))
        *action = LIVE_DO_QUIT;
    else if (key == CONTROL('Z'))
        *action = LIVE_DO_SUSPEND;
    else if (key == 'p' || key == ' ')
        ui->is_paused = !ui->is_paused;
    else if (key == '?' || key == 'h')
        ui->mode = ui->mode == LIVE_HELP ? LIVE_ROWS : LIVE_HELP;
    else if (key == '1' || key == '2' || key == '3')
        ask_window(ui, (enum live_window)(key - '1'));
    else if (key == 'w')
        ask_window(ui, (ui->question.window + 1) % LIVE_WINDOWS);
    else
        return false;
    return true;
}

static enum live_action
take_of_rows(struct live_ui *ui, int key, const struct live_view *view, unsigned rows)
{
    const unsigned n = view->order->len;
    switch (key) {
    case 'q':
        return LIVE_DO_QUIT;
    case '\t':
        ask_by(ui, ui->question.by != LIVE_BY_SERVER, ui->is_folded);
        break;
    case 'f':
        ask_by(ui, false, !ui->is_folded);
        break;
    case 's':
    case LIVE_KEY_RIGHT:
        ask_sort(ui, (ui->question.sort + 1) % LIVE_SORTS);
        break;
    case 'S':
    case LIVE_KEY_LEFT:
        ask_sort(ui, (ui->question.sort + LIVE_SORTS - 1) % LIVE_SORTS);
        break;
    case '/':
        begin_entering(ui, ENTERING_FILTER, ui->filter->str);
        break;
    case LIVE_KEY_ESCAPE:
        set_filter(ui, "");
        break;
    case 'j':
        begin_entering(ui, ENTERING_FILE, ui->file->str);
        break;
    case LIVE_KEY_ENTER:
        return open_selected(ui, view);
    default:
        move(&ui->selected, key, rows, n > 0 ? n - 1 : 0);
        break;
    }
    return LIVE_DO_NOTHING;
}

enum live_action
live_ui_take(struct live_ui *ui, int key, const struct live_view *view, unsigned rows)
{
    enum live_action action;
    live_ui_say(ui, NULL);
    if (ui->entering != ENTERING_NOTHING)
        return take_entered(ui, key);
    if (take_anywhere(ui, key, &action))
        return action;
    if (ui->mode == LIVE_ROWS)
        return take_of_rows(ui, key, view, rows);
    if (key == 'q' || key == LIVE_KEY_ESCAPE || key == LIVE_KEY_ENTER || key == LIVE_KEY_BACKSPACE ||
        key == LIVE_KEY_LEFT)
        ui->mode = LIVE_ROWS;
    else
        move(&ui->opened_from, key, rows, UINT16_MAX);
    return LIVE_DO_NOTHING;
}
