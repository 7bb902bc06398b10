/* printable.h
 * What a stranger wrote, on its way to a terminal: it has no character there that a terminal would obey.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PRINTABLE_H
#define LATENCY_PRINTABLE_H

#include <stdbool.h>

#include <wsutil/wmem/wmem.h>

/* Whether the text is UTF-8 without control characters, be they of ASCII or U+0080 to U+009F. */
bool is_printable(const char *text);

/* The text, with '?' for each control character, and for each byte above 0x7f if it is no UTF-8. Allocated in `scope`.
 */
char *printable_text(wmem_allocator_t *scope, const char *text);

#endif
