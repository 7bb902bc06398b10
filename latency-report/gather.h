/* gather.h
 * What a report is made of, added up while its files are read: a million requests come to some hundred figures each. Of
 * the file that is read, 60 bytes of each request are kept until its last line: what caused it is said there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include <glib.h>

#include "channels.h"
#include "counted.h"
#include "request_figures.h"

struct gathering {
    struct request_figures requests;
    struct channels channels;
    struct counted_list counted[COUNTED_KINDS];
};

/* Of captures from `first_ns` to `last_ns`. */
void gathering_init(struct gathering *gathering, int64_t first_ns, int64_t last_ns);
void gathering_clear(struct gathering *gathering);

/* From now on lines are those of the file of that number, from 0. */
void gathering_begin_file(struct gathering *gathering, unsigned file);

/* Adds a line of docs/json.md, of whatever type. False if a member that is wanted of it is wrong: record->wrong. */
bool gathering_take(struct gathering *gathering, struct record *record);

/* Sorts all: what kept its clients waiting longest comes first, and the slowest request. To be called last. */
void gathering_finish(struct gathering *gathering);

#endif
