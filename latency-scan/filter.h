/* filter.h
 * A capture filter, libpcap's: frames that it does not pass are as if they had not been captured.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_FILTER_H
#define SCAN_FILTER_H

#include "reading.h"

struct filter;

/* NULL, and a sentence that says why in `error`, to be freed with g_free(), if it is none. */
struct filter *filter_new(const char *text, char **error);
void filter_free(struct filter *filter);

/* As the user typed it. */
const char *filter_text(const struct filter *filter);

/* Whether it passes the frame. Of a link layer that libpcap knows nothing of, it passes none, which is said once. */
bool filter_passes(struct filter *filter, const struct frame *frame);

#endif
