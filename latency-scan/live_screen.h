/* live_screen.h
 * The terminal of the live view, by ncurses, which is loaded when it is asked for: nothing else calls it. Everything
 * but live_screen_refuse() is called by one thread.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LIVE_SCREEN_H
#define SCAN_LIVE_SCREEN_H

#include "live_page.h"

/* Returns a sentence, to be freed with g_free(), if there is no terminal that can show a full screen; else NULL. */
char *live_screen_refuse(void);

/* Takes the screen. False if that cannot be. */
bool live_screen_open(void);

/* Gives it back as it was. */
void live_screen_close(void);

/* Gives the screen back and stops the program, and takes the screen again when somebody lets the program go on. */
void live_screen_suspend(void);

int live_screen_lines(void);
int live_screen_columns(void);
bool live_screen_has_unicode(void);

void live_screen_draw(const struct page *page);

/* Waits so long for a key; LIVE_KEY_NONE if there was none. False if the terminal has gone. */
bool live_screen_key(int wait_ms, int *key);

#endif
