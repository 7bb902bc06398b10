/* marks.h
 * Numbers noted for frames, some for each, to be read again when a frame is visited again.
 *
 * 4 bytes a number and 8 a frame that has any.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MARKS_H
#define LATENCY_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

struct marks {
    GArray *numbers; /* of uint32_t */
    GArray *frames;  /* of struct marked_frame, ascending */
};

struct marked_frame {
    uint32_t frame;
    uint32_t first; /* position of its first number */
};

/* Call marks_clear() when done with it. */
void marks_init(struct marks *marks);
void marks_clear(struct marks *marks);

/* `frame` is not lower than in any call before. */
void marks_add(struct marks *marks, uint32_t frame, uint32_t number);

/* Drops the numbers of the last frame, if that is `frame`. */
void marks_drop(struct marks *marks, uint32_t frame);

/* Forgets everything. */
void marks_forget(struct marks *marks);

/* The frame's numbers in the order they were added; NULL and 0 if it has none. Valid until the next is added. */
const uint32_t *marks_of(const struct marks *marks, uint32_t frame, uint32_t *count);

#endif
