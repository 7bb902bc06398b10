/* outputs.h
 * What is printed of a capture: tables and JSON lines, as tshark's -z has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_OUTPUTS_H
#define SCAN_OUTPUTS_H

#include "scan.h"
#include "table/table.h"
#include "written.h"

struct outputs;

struct outputs *outputs_new(void);
void outputs_free(struct outputs *outputs);

/* Adds what an argument of -z names: "latency,servers", "latency,json,FILE". NULL if it does; else a sentence that says
 * why not, to be freed with g_free(). */
char *outputs_add(struct outputs *outputs, const char *argument);

/* Metrics are written to `path`, and served at `address` (metrics.h); to be called once. */
void outputs_add_metrics(struct outputs *outputs, const char *path, const char *address);

/* Requests that take so long are printed as they end (slow.h); to be called once. */
void outputs_add_slow(struct outputs *outputs, int64_t least_ns);

/* To be called before anything is read. False, having said why, if a file would replace one of the captures, or another
 * that is not of ours. */
bool outputs_check(const struct outputs *outputs, char *const *captures);

/* The files that are to be made. */
struct written *outputs_written(struct outputs *outputs);

/* Returns a sentence, to be freed with g_free(), if a table is of a whole capture and cannot be printed block by block;
 * else NULL. */
char *outputs_refuse_blocks(const struct outputs *outputs);

bool outputs_are_none(const struct outputs *outputs);

/* From now on they take what the scan tells. False, having said why, if a file cannot be written. */
bool outputs_begin(struct outputs *outputs, struct scan *scan);

/* Prints the tables, the last one first as tshark does, unless they have been, and makes the files, of these captures.
 * False, having said why, if one cannot be made. */
bool outputs_finish(struct outputs *outputs, bool are_printed, char *const *captures);

/* Prints the tables of what has come in this time, and begins them anew. */
void outputs_print_block(struct outputs *outputs, int64_t from_ns, int64_t until_ns);

/* To be called before outputs_begin(): rows are printed one by one, as they are settled. NULL; or a sentence, to be
 * freed with g_free(), if those of a table never are. */
char *outputs_stream(struct outputs *outputs);

/* Forgets rows and what has been written of JSON lines: to be called before the scan is freed. */
void outputs_end(struct outputs *outputs);

/* Whether tables of parts of a capture can be joined to those of the whole. */
bool outputs_can_join(const struct outputs *outputs);

/* The same tables, for a part of the capture. */
struct outputs *outputs_of_part(const struct outputs *outputs);

/* Takes what those of the parts have, to be called instead of outputs_finish() for them. */
void outputs_join(struct outputs *outputs, struct outputs *const *parts, unsigned n);

#endif
