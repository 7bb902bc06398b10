/* test-pending.c
 * Rows of requests: in one pass and in two; and of those whose records the core has used for other requests meanwhile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/request/pending.h"
#include "scene.h"
#include "unit.h"

#define PING "*1\r\n$4\r\nPING\r\n"
#define PONG "+PONG\r\n"

enum { REMEMBERED = 16 };

/* Of a made-up conversation: its requests, the most of them that await a response at a time, its segments; and how many
 * conversations there are, each made of a number. */
enum { ASKED = 150, AWAITED = 40, SEGMENTS = 1000, SEEDS = 200 };

/* Whose row is to come, and what it is to say. */
struct expected {
    uint32_t number;
    uint64_t response_bytes;
    unsigned rows;
};

static void
check_row(void *data, const struct pending_request *pending)
{
    struct expected *expected = data;
    if (pending->request.number != expected->number)
        return;
    expected->rows++;
    g_assert_cmpstr(pending->request.operation, ==, "PING");
    g_assert_cmpuint(pending->request.response.bytes, ==, expected->response_bytes);
}

static void
take_items(const struct scene *scene, struct pending_requests *pending)
{
    struct items *items = scene->analysis->items;
    uint32_t at;
    for (const struct item *item = items_first(items, scene->frame, &at); item; item = items_next(items, &at))
        if (item_request(item))
            pending_requests_take(pending, item, scene->frame);
}

static void
say(struct scene *scene, struct pending_requests *pending, bool from_client, const char *text)
{
    scene_say(scene, from_client, text);
    take_items(scene, pending);
}

/* The client's next request comes from another port: on a connection of its own. */
static struct connection *
ask_elsewhere(struct scene *scene, uint16_t more)
{
    static const char other[] = "GET / HTTP/1.1\r\n\r\n";
    struct segment segment = scene_segment(scene, true, sizeof other - 1);
    segment.source.port += more;
    segment.payload = (const uint8_t *)other;
    segment.captured_bytes = sizeof other - 1;
    struct connection *connection = analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
    return connection;
}

/* The row of the first request waits. Its record becomes another connection's, which is forgotten: it is nobody's. */
static void
test_recycled(void)
{
    struct scene scene;
    struct expected expected = { .number = 1, .response_bytes = sizeof PONG - 1 };
    scene_open(&scene, 637, 1000);
    items_set_keep(scene.analysis->items, false);
    struct pending_requests *pending = pending_requests_new(NULL, check_row, &expected);
    say(&scene, pending, true, PING);
    const struct request *record = scene.connection->request;
    say(&scene, pending, false, PONG);
    for (unsigned i = 1; i < REMEMBERED; i++) {
        say(&scene, pending, true, PING);
        say(&scene, pending, false, PONG);
    }
    requests_shed(&scene.analysis->requests, scene.connection);
    struct connection *others[REMEMBERED];
    unsigned used = 0;
    for (uint16_t i = 0; i < REMEMBERED; i++) {
        others[i] = ask_elsewhere(&scene, 1 + i);
        used += others[i]->request == record;
    }
    for (unsigned i = 0; i < REMEMBERED; i++)
        analysis_forget(scene.analysis, others[i]);
    g_assert_cmpuint(used, ==, 1);
    g_assert_cmpuint(record->number, ==, 0);
    g_assert_null(record->connection);
    g_assert_cmpuint(expected.rows, ==, 0);
    pending_requests_flush(pending);
    g_assert_cmpuint(expected.rows, ==, 1);
    pending_requests_free(pending);
    scene_close(&scene);
}

/* Requests or answers, which are all alike. */
struct part {
    unsigned first, count;
    unsigned acknowledged; /* of the other side */
    bool from_client;
};

static void
insert(struct part *parts, unsigned *n, unsigned at, struct part part)
{
    memmove(parts + at + 1, parts + at, (*n - at) * sizeof *parts);
    parts[at] = part;
    ++*n;
}

static unsigned
any(GRand *chance, unsigned from, unsigned below)
{
    return (unsigned)g_rand_int_range(chance, (int)from, (int)below);
}

/* Moves some, or sends them again, up to thirty places later. */
static void
distort(GRand *chance, struct part *parts, unsigned *n)
{
    for (unsigned i = 0, count = *n; i < count; i++) {
        const unsigned from = any(chance, 0, *n), further = any(chance, 1, 30), to = MIN(*n - 1, from + further);
        const double how = g_rand_double(chance);
        const struct part part = parts[from];
        if (how < 0.05) {
            memmove(parts + from, parts + from + 1, (to - from) * sizeof *parts);
            parts[to] = part;
        } else if (how < 0.15 && *n < SEGMENTS) {
            insert(parts, n, to, part);
        }
    }
}

static unsigned
converse(GRand *chance, struct part *parts)
{
    unsigned done[2] = { 0, 0 }, n = 0;
    while (done[false] < ASKED) {
        const bool from_client = g_rand_boolean(chance);
        const unsigned left = from_client ? MIN(ASKED, done[false] + AWAITED) - done[true] : done[true] - done[false];
        const unsigned most = any(chance, 1, 9), count = MIN(left, most);
        if (count > 0)
            parts[n++] = (struct part){ done[from_client], count, done[!from_client], from_client };
        done[from_client] += count;
    }
    distort(chance, parts, &n);
    return n;
}

static void
send_part(struct scene *scene, const struct part *part)
{
    static const char *const texts[] = { PONG, PING };
    const uint32_t bytes[] = { sizeof PONG - 1, sizeof PING - 1 };
    GString *text = g_string_new("");
    for (unsigned i = 0; i < part->count; i++)
        g_string_append(text, texts[part->from_client]);
    scene->seq[part->from_client] = part->first * bytes[part->from_client];
    scene->seq[!part->from_client] = part->acknowledged * bytes[!part->from_client];
    scene_say(scene, part->from_client, text->str);
    g_string_free(text, TRUE);
}

/* Rows as text, by the request's number, and what their packets go through. */
struct rows {
    struct spill_buffer *spill_buffer;
    char *texts[ASKED + 1]; /* NULL if there is none */
};

static void
write_packets(void *data, const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; at < length; at += sizeof(struct pending_packet)) {
        struct pending_packet packet;
        memcpy(&packet, bytes + at, sizeof packet);
        g_string_append_printf(data, " %u%c%x", packet.frame, packet.of_response ? 'p' : 'q',
                               packet.flags & ITEM_SHOWN);
    }
}

static void
write_row(void *data, const struct pending_request *pending)
{
    struct rows *rows = data;
    const struct request *request = &pending->request;
    GString *text = g_string_new("");
    g_assert_cmpuint(request->number, <=, ASKED);
    g_string_printf(text, "%u: q0 %u p0 %u p1 %u again %u:", request->number, request->first_frame,
                    request->response.first_frame, request->response.last_frame, pending->retransmissions);
    chain_read(rows->spill_buffer, &pending->packets, write_packets, text);
    rows->texts[request->number] = g_string_free(text, FALSE);
}

static void
take_late(const struct scene *scene, struct pending_requests *pending, uint32_t now)
{
    unsigned count;
    const struct late_item *late = items_late(scene->analysis->items, &count);
    for (unsigned i = 0; i < count; i++)
        if (item_request(&late[i].item))
            pending_requests_take(pending, &late[i].item, now);
}

/* In two passes the rows are made of what frames are known to be at the end. */
static void
make_rows(const struct part *parts, unsigned n, bool two_passes, struct rows *rows)
{
    struct scene scene;
    struct pending_requests *pending = pending_requests_new(rows->spill_buffer, write_row, rows);
    scene_open(&scene, 637, 1000);
    items_set_keep(scene.analysis->items, two_passes);
    for (unsigned i = 0; i < n; i++) {
        send_part(&scene, &parts[i]);
        if (!two_passes) {
            take_items(&scene, pending);
            take_late(&scene, pending, scene.frame);
        }
    }
    analysis_end(scene.analysis);
    if (!two_passes)
        take_late(&scene, pending, UINT32_MAX);
    for (scene.frame = 1; two_passes && scene.frame <= n; scene.frame++)
        take_items(&scene, pending);
    pending_requests_flush(pending);
    pending_requests_free(pending);
    scene_close(&scene);
}

static void
test_passes(void)
{
    for (guint32 seed = 0; seed < SEEDS; seed++) {
        struct part parts[SEGMENTS];
        struct rows rows[2] = { { 0 }, { 0 } };
        GRand *chance = g_rand_new_with_seed(seed);
        const unsigned n = converse(chance, parts);
        FILE *file = tmpfile();
        for (unsigned passes = 0; passes < 2; passes++) {
            rows[passes].spill_buffer = spill_buffer_new(file);
            make_rows(parts, n, passes, &rows[passes]);
            spill_buffer_free(rows[passes].spill_buffer);
        }
        for (unsigned i = 1; i <= ASKED; i++) {
            g_assert_cmpstr(rows[0].texts[i], ==, rows[1].texts[i]);
            g_free(rows[0].texts[i]);
            g_free(rows[1].texts[i]);
        }
        fclose(file);
        g_rand_free(chance);
    }
}

void
pending_tests_add(void)
{
    g_test_add_func("/pending/passes", test_passes);
    g_test_add_func("/pending/recycled", test_recycled);
}
