/* paths_table.c
 * -z latency,paths: each packet's way between wire and process, or from one capture point to the next.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/points/stage_times.h"
#include "../core/util/printable.h"
#include "by_number.h"
#include "names.h"
#include "observer.h"
#include "sighting_tally.h"
#include "table_rows.h"

enum { NS_PER_US = 1000 };

#define COLUMNS(X)                                                                                                     \
    X(TIME, TIMESTAMP, "Time", "time", .wide = true)                                                                   \
    X(FRAME, NUMBER, "Frame", "frame")                                                                                 \
    X(PROCESS, TEXT, "Process", "process")                                                                             \
    X(PID, TEXT, "PID", "pid")                                                                                         \
    X(DIRECTION, TEXT, "Direction", "direction", .wide = true)                                                         \
    X(SOURCE, TEXT, "Source", "source", .wide = true)                                                                  \
    X(DESTINATION, TEXT, "Destination", "destination", .wide = true)                                                   \
    X(DRV_IP, STAGE, "drv-ip", "drv_ip")                                                                               \
    X(IP_TCP, STAGE, "ip-tcp", "ip_tcp")                                                                               \
    X(TCP_APP, STAGE, "tcp-app", "tcp_app")                                                                            \
    X(APP_TCP, STAGE, "app-tcp", "app_tcp")                                                                            \
    X(TCP_IP, STAGE, "tcp-ip", "tcp_ip")                                                                               \
    X(IP_DRV, STAGE, "ip-drv", "ip_drv")                                                                               \
    X(OTHER, TEXT, "Other stages (µs)", "other_stages", .head = "Rest")

static TABLE_COLUMNS(columns, COLUMNS);

enum { STAGES = LAYERS - 1 };

/* A packet in one direction. */
struct row {
    int64_t time_ns; /* of its first sighting there */
    uint32_t frame;
    uint32_t pid;
    uint32_t connection; /* its number; 0 without TCP */
    bool has_pid, ipv6;
    bool is_named; /* the process, by a frame of the packet's */
    uint8_t heading;
    struct endpoint source, destination;
    int64_t stages_ns[STAGES]; /* from wire to process; -1 if unknown */
    const char *process, *other;
};

/* Rows of a path, plus one, by heading; 0 for none. */
struct numbers {
    uint32_t row[HEADING_RECEIVED + 1];
};

struct rows {
    struct table_rows table;  /* a list of struct row */
    struct by_number numbers; /* by path */
    struct sighting_tally sightings;
    struct observer observer;
};

static void
append_stage(GString *text, const char *from, const char *joint, const char *to, int64_t ns)
{
    g_string_append_printf(text, "%s%s%s%s %.3f", text->len ? ", " : "", from, joint, to, (double)ns / NS_PER_US);
}

/* Where a layer was not seen its neighbours are joined. */
static void
read_passage(struct row *row, const struct passage *passage, GString *other)
{
    bool sent = row->heading == HEADING_SENT;
    for (unsigned low = 0; low < LAYERS - 1; low++) {
        unsigned high = low + 1;
        while (passage->seen[low] && high < LAYERS && !passage->seen[high])
            high++;
        if (!passage->seen[low] || high == LAYERS)
            continue;
        int64_t ns = passage->time_ns[high] - passage->time_ns[low];
        ns = MAX(sent ? -ns : ns, 0);
        if (high == low + 1)
            row->stages_ns[low] = ns;
        else
            append_stage(other, layer_names[sent ? high : low], "-", layer_names[sent ? low : high], ns);
    }
}

/* A sighting between interfaces, or where no layer is known. */
static void
read_other(const struct path *path, const struct points *points, GString *other)
{
    enum { STAGES_SHOWN = 16 };
    unsigned shown = 0;
    for (unsigned i = 1; i < path->count && shown < STAGES_SHOWN; i++) {
        const struct sighting *sighting = path->sightings[i];
        const struct sighting *before = path_before(sighting, UINT32_MAX);
        if (!before || points_at(points, sighting->point)->kind != POINT_OTHER ||
            points_at(points, before->point)->kind != POINT_OTHER)
            continue;
        char *name = stage_name(NULL, points, before->point, sighting->point);
        append_stage(other, name, "", "", sighting->time_ns - before->time_ns);
        wmem_free(NULL, name);
        shown++;
    }
}

static const struct sighting *
first_heading(const struct path *path, enum heading heading)
{
    unsigned i = 0;
    while (path->sightings[i]->heading != heading)
        i++;
    return path->sightings[i];
}

static void
read_process(struct rows *rows, struct row *row, const struct process *process)
{
    if (!process)
        return;
    row->pid = process->pid;
    row->has_pid = process->has_pid;
    char *name = printable_text(NULL, process->name);
    row->process = g_string_chunk_insert_const(rows->table.texts, name);
    wmem_free(NULL, name);
}

/* The first process that a frame of this direction names is the packet's; NULL if none does. */
static const struct process *
named_process(const struct sighting *sighting)
{
    const struct path *path = sighting->path;
    for (unsigned i = 0; i < path->count; i++)
        if (path->sightings[i]->heading == sighting->heading && path->sightings[i]->process)
            return path->sightings[i]->process;
    return NULL;
}

/* What became known of the connection after the packet. */
static void
settle_all(void *data)
{
    struct rows *rows = data;
    for (unsigned i = 0; i < table_count(data); i++) {
        struct row *row = table_row(rows, i);
        const struct connection *connection = NULL;
        if (rows->table.source->analysis && !row->is_named && row->connection)
            connection =
                connection_find(rows->table.source->analysis->connections, &row->source, &row->destination, row->ipv6);
        if (!connection || connection->number != row->connection)
            continue;
        bool sent_by_first = endpoint_equal(&connection->endpoint[0], &row->source);
        struct sighting sighting = {
            .connection = (struct connection *)connection,
            .heading = row->heading,
            .sender = !sent_by_first,
        };
        read_process(rows, row, analysis_process(&sighting));
    }
}

static void
read_row(struct rows *rows, struct row *row, const struct sighting *sighting)
{
    const struct points *points = rows->table.source->analysis->points;
    const struct path *path = sighting->path;
    const struct sighting *first = first_heading(path, sighting->heading);
    struct passage passage;
    GString *other = g_string_new(NULL);
    *row = (struct row){
        .time_ns = first->time_ns,
        .frame = first->frame,
        .heading = sighting->heading,
        .ipv6 = path->widest.ipv6,
        .source = path->widest.source,
        .destination = path->widest.destination,
        .connection = sighting->connection ? sighting->connection->number : 0,
        .stages_ns = { -1, -1, -1 },
        .process = "",
    };
    if (passage_read(&passage, path, points, sighting->heading))
        read_passage(row, &passage, other);
    read_other(path, points, other);
    const struct process *named = named_process(sighting);
    row->is_named = named != NULL;
    read_process(rows, row, named ? named : analysis_process(sighting));
    row->other = g_string_chunk_insert_const(rows->table.texts, other->str);
    g_string_free(other, TRUE);
}

static void
open_rows(void *data)
{
    struct rows *rows = data;
    rows->observer = (struct observer){ .data = rows, .end = settle_all };
    observer_add(rows->table.source, &rows->observer);
    by_number_init(&rows->numbers, rows->table.source, sizeof(struct numbers));
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    observer_remove(rows->table.source, &rows->observer);
    by_number_clear(&rows->numbers);
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    if (item->kind != ITEM_SIGHTING)
        return -1;
    const struct sighting *sighting = item->sighting;
    struct numbers *numbers = by_number_at(&rows->numbers, sighting->path->number);
    uint32_t *number = &numbers->row[sighting->heading];
    sighting_tally_take(&rows->sightings, sighting);
    read_row(rows, table_row_numbered(rows, number), sighting);
    return (int)*number - 1;
}

static const char *
end_name(wmem_allocator_t *scope, const struct rows *rows, const struct endpoint *end, bool ipv6)
{
    return end->port ? endpoint_name(scope, rows->table.source, end, ipv6)
                     : address_name(scope, rows->table.source, end, ipv6);
}

static void
fill_row(void *data, unsigned number, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct row *row = table_row(rows, number);
    unsigned first = row->heading == HEADING_SENT ? APP_TCP : DRV_IP;
    cells[TIME].timestamp_ns = row->time_ns;
    cells[FRAME].number = row->frame;
    cells[PROCESS].text = row->process;
    cells[PID].text = row->has_pid ? wmem_strdup_printf(scope, "%u", row->pid) : "";
    cells[DIRECTION].text = heading_name(row->heading);
    cells[SOURCE].text = end_name(scope, rows, &row->source, row->ipv6);
    cells[DESTINATION].text = end_name(scope, rows, &row->destination, row->ipv6);
    for (unsigned i = 0; i < STAGES; i++) {
        cells[DRV_IP + i].number = time_cell(-1);
        cells[APP_TCP + i].number = time_cell(-1);
        unsigned stage = first == APP_TCP ? STAGES - 1 - i : i;
        cells[first + i].number = time_cell(row->stages_ns[stage]);
    }
    cells[OTHER].text = row->other;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    settle_all(data);
    g_string_append_printf(text, "%u packet%s; each direction counts by itself.\n", table_count(data),
                           plurality(table_count(data), "", "s"));
    sighting_tally_write(&rows->sightings, text);
}

const struct table_definition paths_table = {
    .shows_sightings = true,
    .title = "Latency: Paths",
    .argument = "latency,paths",
    .heading = "Paths of packets, from stage to stage",
    .columns = columns,
    .bytes = sizeof(struct rows),
    .row_bytes = sizeof(struct row),
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .fill = fill_row,
    .summarize = summarize,
    .absence = absence_of_points,
};
