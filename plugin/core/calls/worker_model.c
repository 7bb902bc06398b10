/* worker_model.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "worker_model.h"

#include <math.h>
#include <string.h>

#include <glib.h>

#include "../util/hashed.h"

enum { GAPS = 48 }; /* the first up to 1.4 us, the last from 12 s on */

/* Bounds how many ties are remembered. Those that have been seen less often than this are forgotten first. */
enum { TIES = 1 << 16 };
#define RARE .5F

struct counts {
    float all, some; /* of triggers those that a start followed; of connections nothing */
};

struct worker_pair {
    struct counts *trigger;
    float all, gaps[GAPS];
    float odds[GAPS]; /* of gaps that have been asked for */
    uint64_t known;   /* these, as bits, since the model was settled so often: */
    uint32_t settled;
};
_Static_assert(GAPS <= 64, "each gap has its bit");

struct worker_tie {
    struct counts *first;
    float count;
};

/* A tie that was asked for of late. */
struct tie_memo {
    uint64_t key;
    struct worker_tie *tie; /* NULL: nothing is here */
};

/* A power of two. */
enum { TIES_RECENT = 4096 };

/* Keys are numbers of 64 bits. */
struct worker_model {
    GHashTable *operations; /* small numbers, from 1, by operation, from 1 */
    GHashTable *triggers;   /* struct counts, by kind */
    GHashTable *firsts;     /* struct counts, by connection and kind of start */
    GHashTable *pairs;      /* struct worker_pair, by both kinds */
    GHashTable *ties;       /* struct worker_tie, by both connections and kind of start */
    struct tie_memo recent[TIES_RECENT];
    uint32_t settled; /* how often: see worker_model_settle() */
};

static unsigned
hash_key(const void *key)
{
    return (unsigned)hashed_mix(*(const uint64_t *)key, UINT64_C(0x9E3779B97F4A7C15));
}

static GHashTable *
new_table(void)
{
    return g_hash_table_new_full(hash_key, g_int64_equal, g_free, g_free);
}

/* Returns the value of a key; a new one is all zero. */
static void *
value_at(GHashTable *table, uint64_t key, size_t bytes)
{
    void *value = g_hash_table_lookup(table, &key);
    if (!value) {
        value = g_malloc0(bytes);
        g_hash_table_insert(table, g_memdup2(&key, sizeof key), value);
    }
    return value;
}

struct worker_model *
worker_model_new(void)
{
    struct worker_model *model = g_new0(struct worker_model, 1);
    model->operations = g_hash_table_new(NULL, NULL);
    model->triggers = new_table();
    model->firsts = new_table();
    model->pairs = new_table();
    model->ties = new_table();
    return model;
}

void
worker_model_free(struct worker_model *model)
{
    g_hash_table_destroy(model->operations);
    g_hash_table_destroy(model->triggers);
    g_hash_table_destroy(model->firsts);
    g_hash_table_destroy(model->pairs);
    g_hash_table_destroy(model->ties);
    g_free(model);
}

unsigned
worker_model_operation(struct worker_model *model, uint32_t operation)
{
    void *key = GUINT_TO_POINTER(operation + 1), *number = g_hash_table_lookup(model->operations, key);
    if (!number) {
        number = GUINT_TO_POINTER(MIN(g_hash_table_size(model->operations) + 1, WORKER_OPERATIONS));
        g_hash_table_insert(model->operations, key, number);
    }
    return GPOINTER_TO_UINT(number) - 1;
}

static void
forget_counts(void *key G_GNUC_UNUSED, void *value, void *data G_GNUC_UNUSED)
{
    *(struct counts *)value = (struct counts){ .all = 0 };
}

static void
forget_pair(void *key G_GNUC_UNUSED, void *value, void *data G_GNUC_UNUSED)
{
    struct worker_pair *pair = value;
    *pair = (struct worker_pair){ .trigger = pair->trigger };
}

static void
forget_tie(void *key G_GNUC_UNUSED, void *value, void *data G_GNUC_UNUSED)
{
    struct worker_tie *tie = value;
    tie->count = 0;
}

void
worker_model_forget(struct worker_model *model)
{
    g_hash_table_foreach(model->triggers, forget_counts, NULL);
    g_hash_table_foreach(model->firsts, forget_counts, NULL);
    g_hash_table_foreach(model->pairs, forget_pair, NULL);
    g_hash_table_foreach(model->ties, forget_tie, NULL);
}

static gboolean
is_rare_tie(void *key G_GNUC_UNUSED, void *value, void *data G_GNUC_UNUSED)
{
    return ((const struct worker_tie *)value)->count < RARE;
}

/* What a tie counts its first connection counts, too: no tie is left without it. */
static gboolean
is_rare_first(void *key G_GNUC_UNUSED, void *value, void *data G_GNUC_UNUSED)
{
    return ((const struct counts *)value)->all < RARE;
}

void
worker_model_bound_ties(struct worker_model *model)
{
    if (g_hash_table_size(model->ties) <= TIES)
        return;
    memset(model->recent, 0, sizeof model->recent);
    g_hash_table_foreach_remove(model->ties, is_rare_tie, NULL);
    g_hash_table_foreach_remove(model->firsts, is_rare_first, NULL);
    if (g_hash_table_size(model->ties) <= TIES)
        return;
    g_hash_table_remove_all(model->ties);
    g_hash_table_remove_all(model->firsts);
}

static struct counts *
trigger_counts(const struct worker_model *model, unsigned kind)
{
    return value_at(model->triggers, kind, sizeof(struct counts));
}

void
worker_model_add_trigger(struct worker_model *model, unsigned trigger_kind)
{
    trigger_counts(model, trigger_kind)->all += 1;
}

struct worker_pair *
worker_model_pair(struct worker_model *model, unsigned trigger_kind, unsigned start_kind)
{
    struct worker_pair *pair =
        value_at(model->pairs, (uint64_t)trigger_kind << 32 | start_kind, sizeof(struct worker_pair));
    if (!pair->trigger)
        pair->trigger = trigger_counts(model, trigger_kind);
    return pair;
}

/* Connections whose numbers have the same last 28 bits share what is learned of them. */
struct worker_tie *
worker_model_tie(struct worker_model *model, uint32_t connection, uint32_t next_connection, unsigned start_kind)
{
    const uint64_t bits = 0xFFFFFFF, first = (connection & bits) << 36 | start_kind;
    const uint64_t key = first | (next_connection & bits) << 8;
    struct tie_memo *memo = &model->recent[hash_key(&key) & (TIES_RECENT - 1)];
    if (memo->tie && memo->key == key)
        return memo->tie;
    struct worker_tie *tie = value_at(model->ties, key, sizeof(struct worker_tie));
    if (!tie->first)
        tie->first = value_at(model->firsts, first, sizeof(struct counts));
    *memo = (struct tie_memo){ key, tie };
    return tie;
}

static double
gap_begin_ns(unsigned gap)
{
    return gap == 0 ? 0 : 1000 * (double)(UINT64_C(1) << gap / 2) * (gap % 2 ? M_SQRT2 : 1);
}

unsigned
worker_gap(int64_t gap_ns)
{
    const double gap = gap_ns <= 1000 ? 0 : 2 * log2((double)gap_ns / 1000);
    return (unsigned)MIN(gap, GAPS - 1);
}

void
worker_pair_add(struct worker_pair *pair, unsigned gap, float weight)
{
    pair->all += weight;
    pair->gaps[gap] += weight;
    pair->trigger->some += weight;
}

void
worker_model_settle(struct worker_model *model)
{
    model->settled++;
}

/* The numbers are how little is believed before anything has been seen. */
static float
pair_odds(const struct worker_pair *pair, unsigned gap)
{
    const double before = gap > 0 ? pair->gaps[gap - 1] : 0, behind = gap + 1 < GAPS ? pair->gaps[gap + 1] : 0;
    const double count = before / 4 + pair->gaps[gap] / 2 + behind / 4 + .02;
    const double density = count / (pair->all + .5) / (gap_begin_ns(gap + 1) - gap_begin_ns(gap));
    const double triggers = pair->trigger->all + 1;
    const double stops = MAX(pair->trigger->all - pair->trigger->some, 0) / triggers + .003;
    return (float)((pair->all + .05) / triggers * density / stops);
}

float
worker_pair_odds(const struct worker_model *model, struct worker_pair *pair, unsigned gap)
{
    const uint64_t bit = UINT64_C(1) << gap;
    if (pair->settled != model->settled)
        pair->known = 0;
    if (!(pair->known & bit))
        pair->odds[gap] = pair_odds(pair, gap);
    pair->settled = model->settled;
    pair->known |= bit;
    return pair->odds[gap];
}

void
worker_tie_add(struct worker_tie *tie, float weight)
{
    tie->count += weight;
    tie->first->all += weight;
}

float
worker_tie_odds(const struct worker_tie *tie, uint32_t n_connections, float own)
{
    return (MAX(tie->count - own, 0) * (float)n_connections + 1) / (MAX(tie->first->all - own, 0) + 1);
}
