/* ranges.h
 * Ranges of numbers as Wireshark's preferences have them: "80,8000-8999".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_RANGES_H
#define SCAN_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

struct range {
    uint32_t low, high;
};

/* Of struct range, in the order in which they are written; empty for "". NULL if `text` is none, or goes above `most`.
 */
GArray *ranges_read(const char *text, uint32_t most);

bool ranges_have(const GArray *ranges, uint32_t number);

/* As text; to be freed with g_free(). */
char *ranges_text(const GArray *ranges);

#endif
