/* test-random.c
 * Random segments of few connections: whatever a capture holds, the core must neither fail nor contradict itself.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "core/analysis.h"

enum { CONNECTIONS = 3, FRAMES = 400, ROUNDS = 300, MOST_PAYLOAD = 3000, MAX_ITEMS = 4 };

struct side {
    uint32_t isn, next;
    uint16_t id;
};

/* Both ends of each connection, and the segment before, which may come again. */
struct traffic {
    GRand *random;
    struct side side[CONNECTIONS][2];
    struct segment last;
    int64_t time_ns;
    uint8_t payload[MOST_PAYLOAD];
};

static unsigned
below(struct traffic *traffic, unsigned n)
{
    return (unsigned)g_rand_int_range(traffic->random, 0, (gint32)n);
}

static bool
one_in(struct traffic *traffic, unsigned n)
{
    return below(traffic, n) == 0;
}

static uint8_t
random_flags(struct traffic *traffic)
{
    static const uint8_t often[] = { SEGMENT_ACK, SEGMENT_ACK, SEGMENT_ACK | SEGMENT_PSH, SEGMENT_ACK | SEGMENT_PSH };
    static const uint8_t seldom[] = {
        SEGMENT_SYN, SEGMENT_SYN | SEGMENT_ACK, SEGMENT_RST, SEGMENT_RST | SEGMENT_ACK, SEGMENT_FIN | SEGMENT_ACK, 0,
        0xff
    };
    return one_in(traffic, 12) ? seldom[below(traffic, G_N_ELEMENTS(seldom))]
                               : often[below(traffic, G_N_ELEMENTS(often))];
}

static struct endpoint
endpoint_of(unsigned connection, unsigned side)
{
    uint16_t port = (uint16_t)(side == 0 ? 40000 + connection : 80);
    return (struct endpoint){ .address = { 10, 0, 0, (uint8_t)side }, .port = port };
}

static struct segment
next_segment(struct traffic *traffic, uint32_t frame)
{
    if (frame > 1 && one_in(traffic, 15)) { /* seen twice */
        traffic->last.frame = frame;
        return traffic->last;
    }
    unsigned c = below(traffic, CONNECTIONS), from = below(traffic, 2);
    struct side *sender = &traffic->side[c][from], *receiver = &traffic->side[c][1 - from];
    traffic->time_ns += (int64_t)below(traffic, 4000) * 1000000 - (one_in(traffic, 10) ? 4000000 : 0);
    struct segment segment = { .frame = frame, .time_ns = traffic->time_ns, .ipv6 = c == 2, .has_ip_id = c != 2 };
    segment.source = endpoint_of(c, from);
    segment.destination = endpoint_of(c, 1 - from);
    segment.flags = random_flags(traffic);
    segment.payload_bytes = one_in(traffic, 2) ? below(traffic, MOST_PAYLOAD) : below(traffic, 2);
    segment.captured_bytes = one_in(traffic, 8) ? segment.payload_bytes / 2 : segment.payload_bytes;
    segment.payload = traffic->payload;
    segment.options_captured = true;
    segment.fragmented = one_in(traffic, 30);
    segment.mss = (segment.flags & SEGMENT_SYN) != 0 ? (uint16_t)below(traffic, 1500) : 0;
    segment.options_bytes = one_in(traffic, 2) ? 12 : 0;
    segment.ip_id = sender->id++;
    segment.checksum = (uint16_t)below(traffic, 2);
    bool syn = (segment.flags & SEGMENT_SYN) != 0;
    segment.seq = syn && !one_in(traffic, 4) ? sender->isn : sender->next;
    segment.ack = receiver->next;
    if (one_in(traffic, 4))
        segment.seq += below(traffic, 8000) - 4000;
    if (one_in(traffic, 6))
        segment.ack += below(traffic, 6000) - 3000;
    if (one_in(traffic, 200)) /* anything */
        segment.seq = g_rand_int(traffic->random);
    uint32_t end = segment.seq + segment.payload_bytes + (syn ? 1 : 0);
    if ((int32_t)(end - sender->next) > 0)
        sender->next = end;
    traffic->last = segment;
    return segment;
}

static void
take(struct analysis *analysis, const struct segment *segment, bool quoted)
{
    struct segment copy = *segment;
    uint8_t *payload = copy.captured_bytes == 0 ? NULL : g_memdup2(copy.payload, copy.captured_bytes);
    copy.payload = payload;
    if (quoted) {
        analysis_take_quoted(analysis, &copy);
    } else {
        analysis_take(analysis, &copy);
        analysis_read(analysis, &copy);
    }
    g_free(payload);
}

/* In the end the figures of a request agree with each other. */
static void
check_request(const struct analysis *analysis, const struct request *request)
{
    g_assert_cmpuint(request->number, >=, 1);
    g_assert_cmpuint(request->number, <=, analysis->requests.count);
    g_assert_cmpuint(request->first_frame, >=, 1);
    g_assert_true(g_utf8_validate(request->operation, -1, NULL));
    g_assert_cmpuint(request->request_bytes, >=, 1);
    g_assert_cmpint(request_outcome(&analysis->requests, request) == OUTCOME_ANSWERED, ==,
                    request->response.first_frame != 0);
    if (request->response.first_frame == 0) {
        g_assert_cmpuint(request->response.bytes, ==, 0);
        return;
    }
    g_assert_cmpuint(request->response.bytes, >=, 1);
    g_assert_cmpuint(request->response.first_frame, <=, request->response.last_frame);
    g_assert_cmpint(request_first_byte(request), >=, 0);
    g_assert_cmpint(request_service(request), >=, 0);
    g_assert_cmpint(request_service(request), <=, request_first_byte(request));
    g_assert_cmpint(request_last_byte(request), >=, request_first_byte(request));
    g_assert_cmpint(request_server_time(request), >=, -1);
    g_assert_cmpint(request_server_time(request), <=, request_service(request));
}

static void
check_item(const struct analysis *analysis, const struct item *item)
{
    bool of_request = item->kind == ITEM_REQUEST || item->kind == ITEM_RESPONSE || item->kind == ITEM_UPDATED;
    g_assert_cmpint(item->spacing_ns, >=, item->kind == ITEM_UNSOLICITED ? -1 : 0);
    if (!of_request)
        g_assert_nonnull(item->connection);
    else
        check_request(analysis, item->request);
}

/* What must be the same whether or not frames are kept. Where they are not, old requests are forgotten, and whose a
 * retransmission is (request.h): then only that it is one. */
struct kinds {
    unsigned n;
    unsigned kind[MAX_ITEMS], flags[MAX_ITEMS], request[MAX_ITEMS];
};

static struct kinds
kinds_of(struct analysis *analysis, uint32_t frame)
{
    struct kinds kinds = { 0 };
    uint32_t position;
    for (struct item *item = items_first(analysis->items, frame, &position); item != NULL && kinds.n < MAX_ITEMS;
         item = items_next(analysis->items, &position), kinds.n++) {
        bool payload = item->kind == ITEM_REQUEST || item->kind == ITEM_RESPONSE;
        check_item(analysis, item);
        if (item->kind == ITEM_UNREQUESTED || (payload && (item->flags & ITEM_RETRANSMISSION) != 0)) {
            kinds.kind[kinds.n] = ITEM_UNREQUESTED;
            continue;
        }
        kinds.kind[kinds.n] = item->kind;
        kinds.flags[kinds.n] = item->flags;
        kinds.request[kinds.n] = payload || item->kind == ITEM_UPDATED ? item->request->number : 0;
    }
    return kinds;
}

static enum port_kind
port_kind(uint16_t port)
{
    return port == 80 ? PORT_REGISTERED : PORT_PLAIN;
}

static void
play(uint32_t seed)
{
    const struct settings settings = { .port_kind = port_kind,
                                       .chunk_bytes = 1000,
                                       .timeout_ns = seed % 2 == 0 ? 0 : INT64_C(20000000000) };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct traffic *traffic = g_new0(struct traffic, 1);
    traffic->random = g_rand_new_with_seed(seed);
    memset(traffic->payload, 'x', sizeof traffic->payload);
    for (unsigned c = 0; c < CONNECTIONS; c++)
        for (unsigned from = 0; from < 2; from++) {
            uint32_t isn = one_in(traffic, 2) ? g_rand_int(traffic->random) : UINT32_MAX - below(traffic, 10000);
            traffic->side[c][from] = (struct side){ .isn = isn, .next = isn + 1 };
        }
    struct analysis *kept = analysis_new(scope, &settings), *passing = analysis_new(scope, &settings);
    items_set_keep(kept->items, true);
    items_set_keep(passing->items, false);
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        struct segment segment = next_segment(traffic, frame);
        bool quoted = one_in(traffic, 20);
        take(kept, &segment, quoted);
        take(passing, &segment, quoted);
        struct kinds left = kinds_of(kept, frame), right = kinds_of(passing, frame);
        g_assert_true(memcmp(&left, &right, sizeof left) == 0);
        if (g_test_failed()) {
            g_test_message("seed %u, frame %u", seed, frame);
            break;
        }
    }
    for (uint32_t frame = 1; frame <= FRAMES; frame++)
        kinds_of(kept, frame);
    g_assert_cmpuint(kept->requests.count, ==, passing->requests.count);
    analysis_free(kept);
    analysis_free(passing);
    g_rand_free(traffic->random);
    g_free(traffic);
    wmem_destroy_allocator(scope);
}

static void
test_random(void)
{
    for (uint32_t seed = 0; seed < ROUNDS && !g_test_failed(); seed++)
        play(seed);
}

void
random_tests_add(void)
{
    g_test_add_func("/random/segments", test_random);
}
