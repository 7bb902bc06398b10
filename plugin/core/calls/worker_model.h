/* worker_model.h
 * What the workers of a host do, as far as that can be learned: how long after a moment of one kind they go on with one
 * of another kind, and over which connections.
 * A moment's kind is a number below 4 * WORKER_OPERATIONS, a start's below 2 * WORKER_OPERATIONS.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WORKER_MODEL_H
#define LATENCY_WORKER_MODEL_H

#include "calls.h"

struct worker_model;
struct worker_pair; /* kinds of two moments, the second of which may follow from the first */
struct worker_tie;  /* two connections, one of which may be used after the other */

struct worker_model *worker_model_new(void);
void worker_model_free(struct worker_model *model);

/* Returns a small number for an operation, by which kinds of moments are made. All for which there is none left have
 * the same. */
enum { WORKER_OPERATIONS = 128 };
unsigned worker_model_operation(struct worker_model *model, uint32_t operation);

/* Forgets what has been learned: pairs and ties stay where they are. */
void worker_model_forget(struct worker_model *model);

/* Learns that there was a moment of this kind, after which a worker may go on. */
void worker_model_add_trigger(struct worker_model *model, unsigned trigger_kind);

/* Forgets ties if they are too many: none that worker_model_tie() has returned may be used behind this. */
void worker_model_bound_ties(struct worker_model *model);

/* Return what lives as long as the model, a tie until worker_model_bound_ties(). */
struct worker_pair *worker_model_pair(struct worker_model *model, unsigned trigger_kind, unsigned start_kind);
struct worker_tie *worker_model_tie(struct worker_model *model, uint32_t connection, uint32_t next_connection,
                                    unsigned start_kind);

/* Returns the class of a time between two moments: two a doubling. */
unsigned worker_gap(int64_t gap_ns);

/* Learns that a worker went on so, after a time of that class; `weight`: how likely that is. */
void worker_pair_add(struct worker_pair *pair, unsigned gap, float weight);

/* To be called when something has been learned, before it is asked how likely pairs are. */
void worker_model_settle(struct worker_model *model);

/* Returns how much likelier, per nanosecond, a worker goes on so than that it does not go on. */
float worker_pair_odds(const struct worker_model *model, struct worker_pair *pair, unsigned gap);

/* Learns that a worker went on so. */
void worker_tie_add(struct worker_tie *tie, float weight);

/* Returns how much likelier that is than with any other of the `n_connections` that it may be: 1 where nothing is
 * known. `own`: what the asker itself has added. */
float worker_tie_odds(const struct worker_tie *tie, uint32_t n_connections, float own);

#endif
