/* interrupt.h
 * Ctrl-C ends reading, not the program: what has been read is printed. A second one ends it, and so does SIGTERM.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_INTERRUPT_H
#define SCAN_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
bool interrupt_has_come(void);

#endif
