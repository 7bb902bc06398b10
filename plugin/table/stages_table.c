/* stages_table.c
 * -z latency,stages: how long packets take from one capture point to the next.
 *
 * Sightings do not come in the order of their times: one that comes late parts the stage that the next one ended.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include "../core/analysis.h"
#include "../core/stats/sample.h"
#include "../core/tcp/item.h"
#include "../core/points/path.h"
#include "by_number.h"
#include "names.h"
#include "sighting_tally.h"
#include "table_rows.h"

#define COLUMNS(X)                                                                                                     \
    X(STAGE, TEXT, "Stage", "stage")                                                                                   \
    X(DIRECTION, TEXT, "Direction", "direction")                                                                       \
    X(PACKETS, COUNT, "Packets", "packets")                                                                            \
    DESCRIPTION_COLUMNS(X, STAGE)

static TABLE_COLUMNS(columns, COLUMNS);

struct stage {
    char *name;
    enum heading heading; /* where it ends */
    unsigned row;
    struct sample times;
};

/* What a sighting has been counted for. */
struct counted_sighting {
    uint32_t before; /* the frame where its stage began; 0 for none */
    bool is_taken;
};

struct stages {
    struct table_rows table;
    GHashTable *by_name;    /* the direction, and the name */
    GPtrArray *rows;        /* of struct stage */
    struct by_number taken; /* by frame */
    struct sighting_tally sightings;
};

static void
free_stage(void *data)
{
    struct stage *stage = data;
    sample_clear(&stage->times);
    g_free(stage->name);
    g_free(stage);
}

static void
open_stages(void *rows)
{
    struct stages *stages = rows;
    stages->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    stages->rows = g_ptr_array_new_with_free_func(free_stage);
    by_number_init(&stages->taken, stages->table.source, sizeof(struct counted_sighting));
}

static void
close_stages(void *rows)
{
    struct stages *stages = rows;
    g_hash_table_destroy(stages->by_name);
    g_ptr_array_free(stages->rows, TRUE);
    by_number_clear(&stages->taken);
}

static struct stage *
stage_of(struct stages *stages, const struct sighting *before, const struct sighting *sighting)
{
    char *name = stage_name(NULL, stages->table.source->analysis->points, before->point, sighting->point);
    char *key = g_strdup_printf("%u%s", sighting->heading, name);
    struct stage *stage = g_hash_table_lookup(stages->by_name, key);
    if (stage) {
        g_free(key);
    } else {
        stage = g_new0(struct stage, 1);
        stage->name = g_strdup(name);
        stage->heading = sighting->heading;
        stage->row = stages->rows->len;
        g_hash_table_insert(stages->by_name, key, stage);
        g_ptr_array_add(stages->rows, stage);
    }
    wmem_free(NULL, name);
    return stage;
}

/* The sighting of a frame that is in the path; NULL if there is none. */
static const struct sighting *
sighting_in(const struct path *path, uint32_t frame)
{
    for (unsigned i = 0; i < path->count; i++)
        if (path->sightings[i]->frame == frame)
            return path->sightings[i];
    return NULL;
}

/* Has the stage that ends with this sighting counted, as is known by now, and not as it was. */
static void
recount(struct stages *stages, const struct sighting *sighting, uint32_t *counted)
{
    const struct sighting *before = path_before(sighting, UINT32_MAX);
    const struct sighting *was = *counted ? sighting_in(sighting->path, *counted) : NULL;
    if (before == was)
        return;
    if (was)
        sample_remove(&stage_of(stages, was, sighting)->times, sighting->time_ns - was->time_ns);
    if (before)
        sample_add(&stage_of(stages, before, sighting)->times, sighting->time_ns - before->time_ns);
    *counted = before ? before->frame : 0;
}

static int
take_item(void *rows, const void *record)
{
    struct stages *stages = rows;
    const struct item *item = record;
    if (item->kind != ITEM_SIGHTING)
        return -1;
    const struct sighting *sighting = item->sighting;
    const struct path *path = sighting->path;
    struct counted_sighting *taken = by_number_at(&stages->taken, sighting->frame);
    sighting_tally_take(&stages->sightings, sighting);
    taken->is_taken = true;
    recount(stages, sighting, &taken->before);
    for (unsigned i = path->count; i-- > 0 && path->sightings[i] != sighting;) {
        taken = by_number_at(&stages->taken, path->sightings[i]->frame);
        if (taken->is_taken)
            recount(stages, path->sightings[i], &taken->before);
    }
    const struct sighting *before = path_before(sighting, UINT32_MAX);
    return before ? (int)stage_of(stages, before, sighting)->row : -1;
}

static unsigned
count_rows(void *rows)
{
    return ((struct stages *)rows)->rows->len;
}

static void
fill_row(void *rows, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    struct stage *stage = g_ptr_array_index(((struct stages *)rows)->rows, row);
    struct description description;
    sample_describe(&stage->times, &description);
    cells[STAGE].text = wmem_strdup(scope, stage->name);
    cells[DIRECTION].text = heading_name(stage->heading);
    cells[PACKETS].number = (double)description.count;
    description_cells_fill(&cells[MEAN], &description);
}

/* Where most of the time goes first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct stage *stage = g_ptr_array_index(((struct stages *)rows)->rows, row);
    return wide_double(stage->times.moments.sum);
}

static void
summarize(void *rows, GString *text)
{
    const struct stages *stages = rows;
    /* Stages of which a late sighting has parted all that there was. Only tshark prints, and nothing is taken after. */
    for (unsigned i = stages->rows->len; i-- > 0;)
        if (((struct stage *)g_ptr_array_index(stages->rows, i))->times.moments.count == 0)
            g_ptr_array_remove_index(stages->rows, i);
    sighting_tally_write(&stages->sightings, text);
}

const struct table_definition stages_table = {
    .shows_sightings = true,
    .title = "Latency: Stages",
    .argument = "latency,stages",
    .heading = "Stages, from one sighting of a packet to the next",
    .columns = columns,
    .bytes = sizeof(struct stages),
    .open = open_stages,
    .close = close_stages,
    .take = take_item,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .is_ranked = true,
    .adds_up = true,
    .summarize = summarize,
    .absence = absence_of_points,
};
