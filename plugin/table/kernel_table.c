/* kernel_table.c
 * -z latency,kernel: second by second, where requests spent their time inside the server's host.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tables.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/stats/describe.h"
#include "../core/stats/groups.h"
#include "../core/tcp/item.h"
#include "../core/request/request.h"
#include "../core/points/stage_times.h"
#include "absence.h"
#include "by_number.h"
#include "omitted.h"
#include "names.h"

enum { NS_PER_S = 1000000000 };

enum column { TIME, SERVER, COUNT, FIRST_PART, TOTAL = FIRST_PART + PARTS, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
    [TIME] = { "Time", CELL_TIMESTAMP, NULL },
    [SERVER] = { "Server", CELL_TEXT, NULL },
    [COUNT] = { "Count", CELL_COUNT, NULL },
    [FIRST_PART + PART_RX] = { "rx", CELL_STAGE, NULL },
    [FIRST_PART + PART_TCPIP_RX] = { "tcpip_rx", CELL_STAGE, NULL },
    [FIRST_PART + PART_EPOLL] = { "epoll", CELL_STAGE, NULL },
    [FIRST_PART + PART_WAIT] = { "wait", CELL_STAGE, NULL },
    [FIRST_PART + PART_READ] = { "read", CELL_STAGE, NULL },
    [FIRST_PART + PART_APPLICATION] = { "application", CELL_STAGE, NULL },
    [FIRST_PART + PART_TX] = { "tx", CELL_STAGE, NULL },
    [TOTAL] = { "Total", CELL_STAGE, NULL },
};

struct interval {
    int64_t begin_ns;
    struct endpoint server;
    bool ipv6;
    unsigned row;
    uint64_t count;
    wide parts_ns[PARTS]; /* sums */
    wide total_ns;
};

/* A request, as far as it is known. */
struct visit {
    struct interval *interval; /* NULL before the first */
    struct stay stay;
    bool counted;
    uint8_t tls;                       /* enum tls_turn: not counted, but as that */
    int64_t parts_ns[PARTS], total_ns; /* what it has added */
};

/* A packet whose later sightings tell of a request. */
struct role {
    uint32_t request;
    struct range range; /* its bytes of the packet */
    bool is_response;
};

struct rows {
    struct table_source *source;
    GHashTable *by_key; /* of struct interval, by begin and server */
    GPtrArray *rows;
    struct by_number visits;         /* by request */
    struct by_number roles;          /* by path */
    const struct sighting *sighting; /* of the frame whose items come; valid while they do */
    bool begun;
    int64_t start_ns; /* of the capture; of the first, if tshark goes on to another */
    uint64_t requests;
    struct omitted omitted;
};

static unsigned
hash_interval(const void *key)
{
    const struct interval *interval = key;
    return g_int64_hash(&interval->begin_ns) ^
           wmem_strong_hash((const uint8_t *)&interval->server, sizeof interval->server);
}

static int
equal_intervals(const void *a, const void *b)
{
    const struct interval *x = a;
    const struct interval *y = b;
    return x->begin_ns == y->begin_ns && x->ipv6 == y->ipv6 && endpoint_equal(&x->server, &y->server);
}

static void *
open_rows(struct table_source *source)
{
    struct rows *rows = g_new0(struct rows, 1);
    rows->source = source;
    rows->by_key = g_hash_table_new(hash_interval, equal_intervals);
    rows->rows = g_ptr_array_new_with_free_func(g_free);
    by_number_init(&rows->visits, rows->source, sizeof(struct visit));
    by_number_init(&rows->roles, rows->source, sizeof(struct role));
    return rows;
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    g_hash_table_destroy(rows->by_key);
    g_ptr_array_free(rows->rows, TRUE);
    by_number_clear(&rows->visits);
    by_number_clear(&rows->roles);
    g_free(rows);
}

static struct interval *
interval_of(struct rows *rows, const struct request *request)
{
    int64_t since = request->q0_ns - rows->start_ns;
    const struct interval key = {
        .begin_ns = request->q0_ns - (since % NS_PER_S + NS_PER_S) % NS_PER_S,
        .server = *connection_server(request->connection),
        .ipv6 = request->connection->ipv6,
    };
    struct interval *interval = g_hash_table_lookup(rows->by_key, &key);
    if (!interval) {
        interval = g_new(struct interval, 1);
        *interval = key;
        interval->row = rows->rows->len;
        g_hash_table_add(rows->by_key, interval);
        g_ptr_array_add(rows->rows, interval);
    }
    return interval;
}

/* Has the interval count the visit as it is now. Returns its row. */
static int
recount(struct visit *visit)
{
    struct interval *interval = visit->interval;
    if (visit->counted) {
        interval->count--;
        interval->total_ns -= visit->total_ns;
        for (unsigned part = 0; part < PARTS; part++)
            interval->parts_ns[part] -= visit->parts_ns[part];
    }
    visit->counted = stay_parts(&visit->stay, visit->parts_ns, &visit->total_ns);
    if (visit->counted) {
        interval->count++;
        interval->total_ns += visit->total_ns;
        for (unsigned part = 0; part < PARTS; part++)
            interval->parts_ns[part] += visit->parts_ns[part];
    }
    return (int)interval->row;
}

static int
take_role(struct rows *rows, const struct path *path, const struct role *role)
{
    const struct points *points = rows->source->analysis->points;
    struct visit *visit = by_number_at(&rows->visits, role->request);
    if (role->is_response)
        stay_take_response(&visit->stay, path, role->range, points);
    else
        stay_take_request(&visit->stay, path, role->range, points);
    return recount(visit);
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    if (!rows->begun)
        rows->start_ns = rows->source->start_ns;
    rows->begun = true;
    if (item->kind == ITEM_SIGHTING) {
        const struct role *role = by_number_at(&rows->roles, item->sighting->path->number);
        rows->sighting = item->sighting;
        return role->request ? take_role(rows, item->sighting->path, role) : -1;
    }
    if ((item->kind != ITEM_REQUEST && item->kind != ITEM_RESPONSE) || !rows->sighting ||
        (item->kind == ITEM_RESPONSE && item->request->p0_frame != rows->sighting->frame))
        return -1;
    struct visit *visit = by_number_at(&rows->visits, item->request->number);
    if (!visit->interval &&
        (visit->tls = (uint8_t)omitted_take_tls(&rows->omitted, item->request, visit->tls)) != TLS_NONE)
        return -1;
    struct role *role = by_number_at(&rows->roles, rows->sighting->path->number);
    if (!visit->interval) {
        visit->interval = interval_of(rows, item->request);
        rows->requests++;
    }
    *role = (struct role){ item->request->number, rows->sighting->range, item->kind == ITEM_RESPONSE };
    return take_role(rows, rows->sighting->path, role);
}

static unsigned
count_rows(void *rows)
{
    return ((struct rows *)rows)->rows->len;
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct interval *interval = g_ptr_array_index(rows->rows, row);
    cells[TIME].timestamp_ns = interval->begin_ns;
    cells[SERVER].text = endpoint_name(scope, rows->source, &interval->server, interval->ipv6);
    cells[COUNT].number = (double)interval->count;
    for (unsigned part = 0; part < PARTS; part++)
        cells[FIRST_PART + part].number = wide_mean(interval->parts_ns[part], interval->count);
    cells[TOTAL].number = wide_mean(interval->total_ns, interval->count);
}

/* The earliest first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct interval *interval = g_ptr_array_index(((struct rows *)rows)->rows, row);
    return -(double)interval->begin_ns;
}

static void
summarize(void *data, GString *text)
{
    const struct rows *rows = data;
    uint64_t counted = 0;
    for (unsigned i = 0; i < rows->rows->len; i++)
        counted += ((const struct interval *)g_ptr_array_index(rows->rows, i))->count;
    g_string_append_printf(text,
                           "%" PRIu64 " request%s seen from rx:driver to the response's tx:driver, %" PRIu64 " not.\n",
                           counted, plurality(counted, "", "s"), rows->requests - counted);
    omitted_write(&rows->omitted, text);
}

const struct table_definition kernel_table = {
    .title = "Latency: Kernel",
    .argument = "latency,kernel",
    .heading = "mean time of a request in each stage of the server's host, by the second in which it began",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .summarize = summarize,
    .absence = absence_of_kernel,
};
