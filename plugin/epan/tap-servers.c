/* tap-servers.c
 * -z latency,servers: how fast each server answered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tap-servers.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

#include "../core/describe.h"
#include "../core/request.h"
#include "intake.h"
#include "names.h"
#include "stat-table.h"

enum column {
    SERVER,
    REQUESTS,
    UNANSWERED,
    MEAN,
    STD,
    MIN,
    P25,
    P50,
    P75,
    P95,
    P99,
    LONGEST,
    SERVER_TIME,
    LAST_BYTE,
    BYTES,
    N_COLUMNS
};

static const struct stat_column columns[N_COLUMNS] = {
    [SERVER] = { "Server", STAT_TEXT },
    [REQUESTS] = { "Requests", STAT_COUNT },
    [UNANSWERED] = { "Unanswered", STAT_COUNT },
    [MEAN] = { "Mean", STAT_TIME },
    [STD] = { "Std", STAT_TIME },
    [MIN] = { "Min", STAT_TIME },
    [P25] = { "25%", STAT_TIME },
    [P50] = { "50%", STAT_TIME },
    [P75] = { "75%", STAT_TIME },
    [P95] = { "95%", STAT_TIME },
    [P99] = { "99%", STAT_TIME },
    [LONGEST] = { "Max", STAT_TIME },
    [SERVER_TIME] = { "Server time", STAT_TIME },
    [LAST_BYTE] = { "Last byte", STAT_TIME },
    [BYTES] = { "Bytes", STAT_BYTES },
};

struct server {
    struct endpoint endpoint;
    bool ipv6;
    char *name;
    unsigned row;
    uint64_t requests;
    struct sample first_byte; /* one value per answered request */
    uint64_t server_times;
    double server_time_ns; /* sums */
    double last_byte_ns;
    uint64_t bytes;
};

/* What a request has added to its server's sums so far: it adds the difference as it goes on. */
struct share {
    int64_t last_byte_ns;
    uint64_t bytes;
    bool counted;
    bool answered;
};

struct servers {
    GHashTable *by_endpoint;
    GPtrArray *rows;  /* of struct server */
    GArray *shares;   /* by request number */
    uint32_t capture; /* whose requests they are */
    uint64_t unsolicited_frames;
    uint64_t duplicate_frames;
};

static unsigned
hash_server(const void *key)
{
    const struct server *server = key;
    return wmem_strong_hash((const uint8_t *)&server->endpoint, sizeof server->endpoint);
}

static int
equal_servers(const void *a, const void *b)
{
    const struct server *x = a;
    const struct server *y = b;
    return x->ipv6 == y->ipv6 && x->endpoint.port == y->endpoint.port &&
           memcmp(x->endpoint.address, y->endpoint.address, ADDRESS_BYTES) == 0;
}

static void
free_server(void *data)
{
    struct server *server = data;
    sample_clear(&server->first_byte);
    g_free(server->name);
    g_free(server);
}

static void *
open_servers(void)
{
    struct servers *servers = g_new(struct servers, 1);
    *servers = (struct servers){
        .by_endpoint = g_hash_table_new(hash_server, equal_servers),
        .rows = g_ptr_array_new_with_free_func(free_server),
        .shares = g_array_new(FALSE, TRUE, sizeof(struct share)),
    };
    return servers;
}

static void
close_servers(void *rows)
{
    struct servers *servers = rows;
    g_hash_table_destroy(servers->by_endpoint);
    g_ptr_array_free(servers->rows, TRUE);
    g_array_free(servers->shares, TRUE);
    g_free(servers);
}

static struct server *
server_of(struct servers *servers, const struct connection *connection)
{
    struct server key = { .endpoint = *connection_server(connection), .ipv6 = connection->ipv6 };
    struct server *server = g_hash_table_lookup(servers->by_endpoint, &key);
    if (!server) {
        server = g_new(struct server, 1);
        *server = key;
        server->row = servers->rows->len;
        server->name = endpoint_name(NULL, &key.endpoint, key.ipv6);
        sample_init(&server->first_byte);
        g_hash_table_add(servers->by_endpoint, server);
        g_ptr_array_add(servers->rows, server);
    }
    return server;
}

static struct share *
share_of(struct servers *servers, const struct request *request)
{
    /* tshark can go on to another capture, and counts on. */
    if (servers->capture != intake_capture())
        g_array_set_size(servers->shares, 0);
    servers->capture = intake_capture();
    if (servers->shares->len <= request->number)
        g_array_set_size(servers->shares, request->number + 1);
    return &g_array_index(servers->shares, struct share, request->number);
}

static int
take_item(void *rows, const struct item *item)
{
    struct servers *servers = rows;
    servers->unsolicited_frames += item->kind == ITEM_UNSOLICITED;
    servers->duplicate_frames += item->kind == ITEM_DUPLICATE;
    if (item->kind != ITEM_REQUEST && item->kind != ITEM_RESPONSE && item->kind != ITEM_AMENDED)
        return -1;
    const struct request *request = item->request;
    if (!request)
        return -1;
    struct server *server = server_of(servers, request->connection);
    struct share *share = share_of(servers, request);
    if (!share->counted) {
        share->counted = true;
        server->requests++;
        /* In one pass they came before their request. */
        if (item->kind == ITEM_REQUEST)
            servers->unsolicited_frames -= MIN(servers->unsolicited_frames, request->unasked_frames);
    }
    if (request->p0_frame) {
        int64_t last_byte_ns = request_last_byte(request);
        if (!share->answered) {
            int64_t server_ns = request_server_time(request);
            share->answered = true;
            sample_add(&server->first_byte, request_first_byte(request));
            server->server_times += server_ns >= 0;
            server->server_time_ns += (double)MAX(server_ns, 0);
        }
        server->last_byte_ns += (double)(last_byte_ns - share->last_byte_ns);
        server->bytes += request->response_bytes - share->bytes;
        share->last_byte_ns = last_byte_ns;
        share->bytes = request->response_bytes;
    }
    return (int)server->row;
}

static unsigned
count_rows(void *rows)
{
    return ((struct servers *)rows)->rows->len;
}

static void
fill_row(void *rows, unsigned row, union stat_cell *cells)
{
    struct server *server = g_ptr_array_index(((struct servers *)rows)->rows, row);
    struct description first_byte;
    sample_describe(&server->first_byte, &first_byte);
    cells[SERVER].text = server->name;
    cells[REQUESTS].number = (double)server->requests;
    cells[UNANSWERED].number = (double)(server->requests - first_byte.count);
    cells[MEAN].number = first_byte.mean;
    cells[STD].number = first_byte.std;
    cells[MIN].number = first_byte.min;
    cells[P25].number = first_byte.p25;
    cells[P50].number = first_byte.p50;
    cells[P75].number = first_byte.p75;
    cells[P95].number = first_byte.p95;
    cells[P99].number = first_byte.p99;
    cells[LONGEST].number = first_byte.max;
    cells[SERVER_TIME].number = server->server_times ? server->server_time_ns / (double)server->server_times : NAN;
    cells[LAST_BYTE].number = first_byte.count ? server->last_byte_ns / (double)first_byte.count : NAN;
    cells[BYTES].number = (double)server->bytes;
}

/* The server that kept its clients waiting longest, all in all, comes first. */
static double
weigh_row(void *rows, unsigned row)
{
    const struct server *server = g_ptr_array_index(((struct servers *)rows)->rows, row);
    return server->first_byte.mean * (double)(sample_count(&server->first_byte));
}

static void
summarize(void *rows, GString *text)
{
    struct servers *servers = rows;
    uint64_t requests = 0;
    uint64_t answered = 0;
    for (unsigned i = 0; i < servers->rows->len; i++) {
        const struct server *server = g_ptr_array_index(servers->rows, i);
        requests += server->requests;
        answered += sample_count(&server->first_byte);
    }
    g_string_append_printf(text, "%" PRIu64 " request%s to %u server%s, %" PRIu64 " of them unanswered.", requests,
                           plurality(requests, "", "s"), servers->rows->len, plurality(servers->rows->len, "", "s"),
                           requests - answered);
    if (servers->unsolicited_frames)
        g_string_append_printf(text, " Left out: %" PRIu64 " frame%s that a server sent unasked.",
                               servers->unsolicited_frames, plurality(servers->unsolicited_frames, "", "s"));
    if (servers->duplicate_frames)
        g_string_append_printf(text, " Left out: %" PRIu64 " second cop%s of a frame.", servers->duplicate_frames,
                               plurality(servers->duplicate_frames, "y", "ies"));
}

void
register_tap_servers(void)
{
    static const struct stat_definition definition = {
        .title = "Latency: Servers",
        .argument = "latency,servers",
        .heading = "from a request's first byte to its response's first byte",
        .columns = columns,
        .n_columns = N_COLUMNS,
        .open = open_servers,
        .close = close_servers,
        .take = take_item,
        .count = count_rows,
        .fill = fill_row,
        .weight = weigh_row,
        .summarize = summarize,
    };
    stat_table_register(&definition);
}
