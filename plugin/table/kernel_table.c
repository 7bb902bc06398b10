/* kernel_table.c
 * -z latency,kernel: second by second, where requests spent their time inside the server's host.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "table.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/stats/describe.h"
#include "../core/stats/groups.h"
#include "../core/tcp/item.h"
#include "../core/request/request.h"
#include "by_number.h"
#include "sighting_tally.h"
#include "names.h"
#include "stays.h"
#include "table_rows.h"

enum { NS_PER_S = 1000000000 };

#define COLUMNS(X)                                                                                                     \
    X(TIME, TIMESTAMP, "Time", "time")                                                                                 \
    X(SERVER, TEXT, "Server", "server")                                                                                \
    X(COUNT, COUNT, "Count", "whole", .wide = true)                                                                    \
    X(NOT_WHOLE, COUNT, "Not whole", "not_whole", .wide = true)                                                        \
    X(LOST, COUNT, "Sightings lost", "sightings_lost", .wide = true)                                                   \
    X(RX, STAGE, "rx", "rx")                                                                                           \
    X(TCPIP_RX, STAGE, "tcpip_rx", "tcpip_rx")                                                                         \
    X(EPOLL, STAGE, "epoll", "epoll")                                                                                  \
    X(WAIT, STAGE, "wait", "wait")                                                                                     \
    X(READ, STAGE, "read", "read")                                                                                     \
    X(APPLICATION, STAGE, "application", "application", .head = "app")                                                 \
    X(TX, STAGE, "tx", "tx")                                                                                           \
    X(TOTAL, STAGE, "Total", "total")

static TABLE_COLUMNS(columns, COLUMNS);

struct interval {
    int64_t begin_ns;
    struct endpoint server;
    bool ipv6;
    bool has_server; /* without: no request began in a second in which sightings were lost */
    unsigned row;
    uint64_t requests, count; /* seen, and of them whole */
    wide parts_ns[PARTS];     /* sums */
    wide total_ns;
};

/* Whichever servers it is of. */
struct second {
    int64_t begin_ns;
    uint64_t lost;
    bool has_server;        /* a request began in it */
    struct interval *empty; /* the row without a server; NULL if there is none */
};

/* A request, as far as it is known. */
struct visit {
    struct interval *interval; /* NULL before the first */
    bool counted;
    uint8_t tls;                       /* enum tls_turn: not counted, but as that */
    int64_t parts_ns[PARTS], total_ns; /* what it has added */
};

struct rows {
    struct table_rows table;
    GHashTable *by_key;  /* of struct interval, by begin and server */
    GHashTable *seconds; /* of struct second, by begin */
    GPtrArray *rows;
    struct sighting_tally sightings;
    struct by_number visits; /* by request */
    struct stays stays;
    bool begun;
    int64_t start_ns; /* of the capture; of the first, if tshark goes on to another */
    uint64_t requests;
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

static void
open_rows(void *data)
{
    struct rows *rows = data;
    rows->by_key = g_hash_table_new(hash_interval, equal_intervals);
    rows->seconds = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    rows->rows = g_ptr_array_new_with_free_func(g_free);
    by_number_init(&rows->visits, rows->table.source, sizeof(struct visit));
    stays_init(&rows->stays, rows->table.source);
}

static void
close_rows(void *data)
{
    struct rows *rows = data;
    g_hash_table_destroy(rows->by_key);
    g_hash_table_destroy(rows->seconds);
    g_ptr_array_free(rows->rows, TRUE);
    by_number_clear(&rows->visits);
    stays_clear(&rows->stays);
}

static struct second *
second_of(struct rows *rows, int64_t time_ns)
{
    const int64_t since = time_ns - rows->start_ns;
    const int64_t begin_ns = time_ns - (since % NS_PER_S + NS_PER_S) % NS_PER_S;
    struct second *second = g_hash_table_lookup(rows->seconds, &begin_ns);
    if (!second) {
        second = g_new0(struct second, 1);
        second->begin_ns = begin_ns;
        g_hash_table_insert(rows->seconds, &second->begin_ns, second);
    }
    return second;
}

static struct interval *
add_interval(struct rows *rows, int64_t begin_ns)
{
    struct interval *interval = g_new0(struct interval, 1);
    interval->begin_ns = begin_ns;
    interval->row = rows->rows->len;
    g_ptr_array_add(rows->rows, interval);
    return interval;
}

/* The first server of a second takes over the row that lost sightings have begun. */
static struct interval *
interval_of(struct rows *rows, const struct request *request)
{
    struct second *second = second_of(rows, request->first_ns);
    const struct interval key = {
        .begin_ns = second->begin_ns,
        .server = *connection_server(request->connection),
        .ipv6 = request->connection->ipv6,
    };
    struct interval *interval = g_hash_table_lookup(rows->by_key, &key);
    if (interval)
        return interval;
    interval = second->empty ? second->empty : add_interval(rows, second->begin_ns);
    second->empty = NULL;
    second->has_server = true;
    interval->server = key.server;
    interval->ipv6 = key.ipv6;
    interval->has_server = true;
    g_hash_table_add(rows->by_key, interval);
    return interval;
}

/* Has the interval count the visit as it is now. Returns its row. */
static int
recount(struct visit *visit, const struct stay *stay)
{
    struct interval *interval = visit->interval;
    if (visit->counted) {
        interval->count--;
        wide_subtract(&interval->total_ns, wide_of(visit->total_ns));
        for (unsigned part = 0; part < PARTS; part++)
            wide_subtract(&interval->parts_ns[part], wide_of(visit->parts_ns[part]));
    }
    visit->counted = stay_parts(stay, visit->parts_ns, &visit->total_ns);
    if (visit->counted) {
        interval->count++;
        wide_add_int(&interval->total_ns, visit->total_ns);
        for (unsigned part = 0; part < PARTS; part++)
            wide_add_int(&interval->parts_ns[part], visit->parts_ns[part]);
    }
    return (int)interval->row;
}

/* Whether the request counts, whose interval is known then. */
static bool
note_request(struct rows *rows, const struct request *request)
{
    struct visit *visit = by_number_at(&rows->visits, request->number);
    if (visit->interval)
        return true;
    visit->tls = (uint8_t)omitted_take_tls(&rows->table.omitted, request, visit->tls);
    if (visit->tls != TLS_NONE)
        return false;
    visit->interval = interval_of(rows, request);
    visit->interval->requests++;
    rows->requests++;
    return true;
}

/* A second in which sightings were lost has its row, be there no request to be seen. */
static void
take_losses(struct rows *rows, const struct sighting *sighting)
{
    sighting_tally_take(&rows->sightings, sighting);
    if (!sighting->lost)
        return;
    struct second *second = second_of(rows, sighting->time_ns);
    if (!second->lost && !second->has_server)
        second->empty = add_interval(rows, second->begin_ns);
    second->lost += sighting->lost;
}

static int
take_item(void *data, const void *record)
{
    struct rows *rows = data;
    const struct item *item = record;
    if (!rows->begun)
        rows->start_ns = rows->table.source->start_ns;
    rows->begun = true;
    if (item->kind == ITEM_SIGHTING)
        take_losses(rows, item->sighting);
    if (stays_wants(&rows->stays, item) && item_request(item) && !note_request(rows, item->request))
        return -1;
    uint32_t request = stays_take(&rows->stays, item);
    return request ? recount(by_number_at(&rows->visits, request), stays_at(&rows->stays, request)) : -1;
}

static unsigned
count_rows(void *rows)
{
    return ((struct rows *)rows)->rows->len;
}

static uint64_t
second_lost(const struct rows *rows, int64_t begin_ns)
{
    const struct second *second = g_hash_table_lookup(rows->seconds, &begin_ns);
    return second ? second->lost : 0;
}

static void
fill_row(void *data, unsigned row, union table_cell *cells, wmem_allocator_t *scope)
{
    const struct rows *rows = data;
    const struct interval *interval = g_ptr_array_index(rows->rows, row);
    cells[TIME].timestamp_ns = interval->begin_ns;
    cells[SERVER].text =
        interval->has_server ? endpoint_name(scope, rows->table.source, &interval->server, interval->ipv6) : "";
    cells[COUNT].number = (double)interval->count;
    cells[NOT_WHOLE].number = (double)(interval->requests - interval->count);
    cells[LOST].number = (double)second_lost(rows, interval->begin_ns);
    for (unsigned part = 0; part < PARTS; part++)
        cells[RX + part].number = wide_mean(interval->parts_ns[part], interval->count);
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
    sighting_tally_write(&rows->sightings, text);
    omitted_write(&rows->table.omitted, rows->table.source, text);
}

const struct table_definition kernel_table = {
    .shows_sightings = true,
    .title = "Latency: Kernel",
    .argument = "latency,kernel",
    .heading = "Kernel: means of a request in the server's host, by second",
    .columns = columns,
    .bytes = sizeof(struct rows),
    .open = open_rows,
    .close = close_rows,
    .take = take_item,
    .count = count_rows,
    .fill = fill_row,
    .weight = weigh_row,
    .summarize = summarize,
    .absence = absence_of_kernel,
};
