/* worker_model.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "worker_model.h"

#include <math.h>
#include <string.h>

#include <glib.h>

#include "../util/hashed.h"
#include "../util/pool.h"

enum { TRIGGER_KINDS = 4 * WORKER_OPERATIONS, START_KINDS = 2 * WORKER_OPERATIONS };

enum { GAPS = 48 }; /* the first up to 1.4 us, the last from 12 s on */

/* Bounds how many ties are remembered. Those that have been seen less often than this are forgotten first. */
enum { TIES = 1 << 16 };
#define RARE .5F

/* How many slots a table begins with: a power of two. */
enum { SLOTS = 1024 };

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

struct key_slot {
    uint64_t key;
    void *record; /* NULL: the slot is empty */
};

/* Stands in a record that is not used any more. */
struct free_record {
    struct free_record *next;
};

/* Records by keys, each in the first slot from its hash on that was empty. */
struct key_table {
    struct key_slot *slots;
    uint32_t n_slots; /* a power of two */
    uint32_t count;
    struct pool records;
    struct free_record *free; /* of these */
};

struct worker_model {
    wmem_allocator_t *scope; /* of the tables' records */
    GHashTable *operations;  /* small numbers, from 1, by operation, from 1 */
    struct key_table firsts; /* of struct counts, by connection and kind of start */
    struct key_table ties;   /* of struct worker_tie, by both connections and kind of start */
    struct counts triggers[TRIGGER_KINDS];
    struct worker_pair *pairs[TRIGGER_KINDS][START_KINDS]; /* by both kinds; NULL: there is none */
    GPtrArray *all_pairs;                                  /* these */
    uint32_t settled;                                      /* how often: see worker_model_settle() */
};

static void
table_open(struct key_table *table, wmem_allocator_t *scope, size_t record_bytes)
{
    *table = (struct key_table){ .slots = g_new0(struct key_slot, SLOTS), .n_slots = SLOTS };
    pool_init(&table->records, scope, MAX(record_bytes, sizeof(struct free_record)));
}

/* Takes a record that is all zero. */
static void *
table_new_record(struct key_table *table)
{
    struct free_record *record = table->free;
    if (!record)
        return pool_at(&table->records, pool_add(&table->records));
    table->free = record->next;
    return memset(record, 0, table->records.record_bytes);
}

static void
table_free_record(struct key_table *table, void *record)
{
    struct free_record *unused = record;
    unused->next = table->free;
    table->free = unused;
}

/* Returns the slot of the key, or the empty one where it belongs. */
static struct key_slot *
table_slot(const struct key_table *table, uint64_t key)
{
    uint32_t place = (uint32_t)hashed_mix(key, UINT64_C(0x9E3779B97F4A7C15)) & (table->n_slots - 1);
    while (table->slots[place].record && table->slots[place].key != key)
        place = (place + 1) & (table->n_slots - 1);
    return &table->slots[place];
}

/* Moves the records for which `is_kept` into a table of `n_slots`, and forgets the others. */
static void
table_move(struct key_table *table, uint32_t n_slots, bool (*is_kept)(const void *record))
{
    struct key_slot *old = table->slots;
    const uint32_t n_old = table->n_slots;
    table->slots = g_new0(struct key_slot, n_slots);
    table->n_slots = n_slots;
    table->count = 0;
    for (uint32_t i = 0; i < n_old; i++) {
        if (!old[i].record)
            continue;
        if (!is_kept(old[i].record)) {
            table_free_record(table, old[i].record);
            continue;
        }
        *table_slot(table, old[i].key) = old[i];
        table->count++;
    }
    g_free(old);
}

static bool
is_any(const void *record G_GNUC_UNUSED)
{
    return true;
}

static bool
is_none(const void *record G_GNUC_UNUSED)
{
    return false;
}

/* Returns the record of a key; a new one is all zero. */
static void *
table_record(struct key_table *table, uint64_t key)
{
    struct key_slot *slot = table_slot(table, key);
    if (slot->record)
        return slot->record;
    if (++table->count > table->n_slots / 2) {
        table->count--;
        table_move(table, 2 * table->n_slots, is_any);
        table->count++;
        slot = table_slot(table, key);
    }
    *slot = (struct key_slot){ key, table_new_record(table) };
    return slot->record;
}

struct worker_model *
worker_model_new(void)
{
    struct worker_model *model = g_new0(struct worker_model, 1);
    model->scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    model->operations = g_hash_table_new(NULL, NULL);
    model->all_pairs = g_ptr_array_new_with_free_func(g_free);
    table_open(&model->firsts, model->scope, sizeof(struct counts));
    table_open(&model->ties, model->scope, sizeof(struct worker_tie));
    return model;
}

void
worker_model_free(struct worker_model *model)
{
    g_hash_table_destroy(model->operations);
    g_free(model->firsts.slots);
    g_ptr_array_free(model->all_pairs, TRUE);
    g_free(model->ties.slots);
    wmem_destroy_allocator(model->scope);
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
forget_pair(void *value, void *data G_GNUC_UNUSED)
{
    struct worker_pair *pair = value;
    *pair = (struct worker_pair){ .trigger = pair->trigger };
}

void
worker_model_forget(struct worker_model *model)
{
    memset(model->triggers, 0, sizeof model->triggers);
    g_ptr_array_foreach(model->all_pairs, forget_pair, NULL);
    for (uint32_t i = 0; i < model->firsts.n_slots; i++)
        if (model->firsts.slots[i].record)
            *(struct counts *)model->firsts.slots[i].record = (struct counts){ .all = 0 };
    for (uint32_t i = 0; i < model->ties.n_slots; i++)
        if (model->ties.slots[i].record)
            ((struct worker_tie *)model->ties.slots[i].record)->count = 0;
}

static bool
is_common_tie(const void *record)
{
    return ((const struct worker_tie *)record)->count >= RARE;
}

/* What a tie counts its first connection counts, too: no tie is left without it. */
static bool
is_common_first(const void *record)
{
    return ((const struct counts *)record)->all >= RARE;
}

void
worker_model_bound_ties(struct worker_model *model)
{
    if (model->ties.count <= TIES)
        return;
    table_move(&model->ties, model->ties.n_slots, is_common_tie);
    table_move(&model->firsts, model->firsts.n_slots, is_common_first);
    if (model->ties.count <= TIES)
        return;
    table_move(&model->ties, SLOTS, is_none);
    table_move(&model->firsts, SLOTS, is_none);
}

void
worker_model_add_trigger(struct worker_model *model, unsigned trigger_kind)
{
    model->triggers[trigger_kind].all += 1;
}

struct worker_pair *
worker_model_pair(struct worker_model *model, unsigned trigger_kind, unsigned start_kind)
{
    struct worker_pair **pair = &model->pairs[trigger_kind][start_kind];
    if (!*pair) {
        *pair = g_new0(struct worker_pair, 1);
        (*pair)->trigger = &model->triggers[trigger_kind];
        g_ptr_array_add(model->all_pairs, *pair);
    }
    return *pair;
}

/* Connections whose numbers have the same last 28 bits share what is learned of them. */
struct worker_tie *
worker_model_tie(struct worker_model *model, uint32_t connection, uint32_t next_connection, unsigned start_kind)
{
    const uint64_t bits = 0xFFFFFFF, first = (connection & bits) << 36 | start_kind;
    const uint64_t key = first | (next_connection & bits) << 8;
    struct worker_tie *tie = table_record(&model->ties, key);
    if (!tie->first)
        tie->first = table_record(&model->firsts, first);
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
    if (gap_ns < 1000)
        return 0;
    const unsigned gap = 2 * (63 - (unsigned)__builtin_clzll((uint64_t)gap_ns / 1000));
    return gap + 1 < GAPS ? gap + ((double)gap_ns >= gap_begin_ns(gap + 1)) : GAPS - 1;
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
