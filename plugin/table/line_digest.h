/* line_digest.h
 * The SHA-256 of lines, by libgcrypt: GLib's takes several times as long as all else that is done with a line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LINE_DIGEST_H
#define LATENCY_LINE_DIGEST_H

#include <stddef.h>

enum { LINE_DIGEST_BYTES = 32, LINE_DIGEST_ROOM = 2 * LINE_DIGEST_BYTES + 1 };

struct line_digest;

/* NULL if the library has been told to have none. */
struct line_digest *line_digest_new(void);
void line_digest_free(struct line_digest *digest);

void line_digest_add(struct line_digest *digest, const void *bytes, size_t length);

/* Of all that was added, in hexadecimal digits. */
const char *line_digest_text(struct line_digest *digest, char text[LINE_DIGEST_ROOM]);

#endif
