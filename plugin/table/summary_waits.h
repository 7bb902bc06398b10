/* summary_waits.h
 * The summary's sentences on requests: how long clients waited, which operations take that time, and what failed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SUMMARY_WAITS_H
#define LATENCY_SUMMARY_WAITS_H

#include "../core/calls/causes.h"
#include "summary_lines.h"
#include "table_source.h"

/* How important paragraphs are, the most important last. */
enum summary_importance {
    SUMMARY_UNTOLD,
    SUMMARY_CAUSE_THIRD,
    SUMMARY_TAKEN,
    SUMMARY_JOINS,
    SUMMARY_NETWORK,
    SUMMARY_CAUSE_SECOND,
    SUMMARY_NOTHING_FAILED,
    SUMMARY_FAILED,
    SUMMARY_CHANNELS,
    SUMMARY_SERVED,
    SUMMARY_CAUSE_FIRST,
    SUMMARY_CLOCKS,
    SUMMARY_MUCH_UNTOLD,
    SUMMARY_WAITING,
    SUMMARY_CAPTURE
};

/* What the sentences are made of. All is borrowed. */
struct summary_waits {
    const struct table_source *source;
    const struct causes *causes;
    /* Returns the status of that number, from 0, and how many errors have it; NULL behind the last number. */
    const char *(*status)(const void *data, unsigned number, uint64_t *count);
    const void *data;
};

/* Adds a paragraph that says which table shows more; `table` NULL: none does. Frees the text. */
void summary_add(const struct table_source *source, struct summary_lines *lines, enum summary_importance importance,
                 GString *text, const char *table);

/* Appends how many requests there are of which protocol. */
void summary_waits_write_protocols(const struct causes *causes, GString *text);

/* Add what there is to say. */
void summary_waits_add_causes(const struct summary_waits *waits, struct summary_lines *lines);
void summary_waits_add_errors(const struct summary_waits *waits, struct summary_lines *lines);
void summary_waits_add_unanswered(const struct summary_waits *waits, struct summary_lines *lines);

#endif
