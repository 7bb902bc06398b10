/* call_tree.h
 * A request with the requests that it caused, and these in turn, as lines of text on 80 columns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CALL_TREE_H
#define LATENCY_CALL_TREE_H

#include "../core/calls/calls.h"
#include "table_source.h"

#define CALL_TREE_HEADINGS "  Frame|    Time|     Own|    From| Request\n"

/* Returns the lines of the request with this number, in whole lines below these headings; after calls_tell(). To be
 * freed with g_free(). */
char *call_tree_text(const struct calls *calls, const struct table_source *source, uint32_t number);

#endif
