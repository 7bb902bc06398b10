/* merge.h
 * Captures, one after the other, added up.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_MERGE_H
#define LATENCY_MERGE_MERGE_H

#include "json/capture.h"
#include "totals.h"

struct merge;

/* The settings are those of `first`. */
struct merge *merge_new(const struct capture *first);
void merge_free(struct merge *merge);

/* Adds the next capture. False, and a sentence in `error`, if its file is wrong: the totals then are, too. */
bool merge_take(struct merge *merge, const struct capture *capture, GError **error);

/* What all captures come to; nothing can be added any more. */
struct totals *merge_finish(struct merge *merge);

/* How many connections were cut by a capture's end while a message was under way, and go on in a later one. */
uint64_t merge_cut(const struct merge *merge);

/* How many requests that were open when a capture ended have got their response from a later one. */
uint64_t merge_joined(const struct merge *merge);

#endif
