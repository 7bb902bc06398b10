/* text_shortened.h
 * Texts that are shortened to what room there is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TEXT_SHORTENED_H
#define LATENCY_TEXT_SHORTENED_H

#include <stdbool.h>

#include <wsutil/wmem/wmem.h>

/* Stands between an operation and its server in a text: "GET /report @ 10.77.0.2:80". */
#define TEXT_AT " @ "

/* Returns the text, or as much of it as `width` characters can show, with an ellipsis for what is left out ("…", or "~"
 * without Unicode). Of an operation and its server the end of the server stays: "SELECT pric… @ ….0.14:5432". Allocated
 * in `scope`. */
const char *text_shortened(wmem_allocator_t *scope, const char *text, int width, bool has_unicode);

#endif
