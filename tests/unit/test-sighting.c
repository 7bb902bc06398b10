/* test-sighting.c
 * Which sightings are one packet, rule by rule, and what follows from a packet's path.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "core/points/sighting.h"
#include "core/points/stage_times.h"
#include "core/points/preferred_point.h"

enum { US = 1000, MS = 1000000 };
enum { POINT_A = 1, POINT_B, POINT_C };

static struct sightings *sightings;
static wmem_allocator_t *scope;
static uint32_t frames;

static void
begin(void)
{
    scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    sightings = sightings_new(scope);
    frames = 0;
}

static void
end(void)
{
    wmem_destroy_allocator(scope);
}

struct packet {
    struct fingerprint is;
    int64_t time_ns;
};

/* 100 bytes from 10.0.0.1:1000 to 10.0.0.2:80. */
static struct packet
packet(int64_t time_ns, uint32_t seq, uint16_t ip_id)
{
    const struct fingerprint fingerprint = {
        .tcp = true,
        .has_ip_id = ip_id != 0,
        .ip_id = ip_id,
        .flags = SEGMENT_ACK,
        .source = { .address = { 10, 0, 0, 1 }, .port = 1000 },
        .destination = { .address = { 10, 0, 0, 2 }, .port = 80 },
        .seq = seq,
        .ack = 1,
        .bytes = 100,
        .print = seq,
        .print_bytes = 64,
    };
    return (struct packet){ fingerprint, time_ns };
}

static const struct path *
see(struct packet packet, uint16_t point)
{
    const struct sighting seen = { .frame = ++frames, .time_ns = packet.time_ns, .point = point };
    return sightings_take(sightings, &packet.is, &seen, true)->path;
}

static const struct path *
see_with_id(struct packet packet, uint16_t point, uint64_t id)
{
    packet.is.has_packet_id = true;
    packet.is.packet_id = id;
    return see(packet, point);
}

static void
test_packet_id(void)
{
    begin();
    const struct path *first = see_with_id(packet(0, 1, 7), POINT_A, 5);
    g_assert_true(see_with_id(packet(50 * (int64_t)MS * 1000, 1, 7), POINT_B, 5) == first); /* a queue of 50 s */
    g_assert_true(see_with_id(packet(2 * US, 101, 8), POINT_A, 5) != first);                /* used again */
    g_assert_true(see_with_id(packet(3 * US, 1, 9), POINT_A, 6) != first);                  /* sent again */
    end();
}

static void
test_tracking_id(void)
{
    begin();
    struct packet changed = packet(0, 1, 7);
    changed.is.tracking_id = 99;
    const struct path *first = see(changed, POINT_A);
    changed.is.ip_id = 8; /* the kernel may change the packet */
    g_assert_true(see(changed, POINT_B) == first);
    changed.is.tracking_id = 98;
    g_assert_true(see(changed, POINT_B) != first);
    end();
}

/* The same packet, without IP ID, sent again and again: looking for each must not take longer and longer. */
static void
test_flood(void)
{
    enum { FLOOD = 20000 };
    begin();
    for (int64_t i = 0; i < FLOOD; i++) {
        const struct path *path = see(packet(i * 10 * US, 1, 0), POINT_A);
        g_assert_cmpuint(path->number, ==, i + 1);
        g_assert_true(see(packet(i * 10 * US + US, 1, 0), POINT_B) == path);
    }
    end();
}

static void
test_content(void)
{
    begin();
    const struct path *first = see(packet(0, 1, 7), POINT_A);
    g_assert_true(see(packet(1 * US, 1, 7), POINT_B) == first);
    g_assert_true(see(packet(2 * US, 1, 7), POINT_A) == first); /* passes A twice */
    g_assert_true(see(packet(3 * US, 1, 9), POINT_A) != first); /* sent again */
    g_assert_true(see(packet(3000 * (int64_t)MS, 1, 7), POINT_B) != first);
    end();
}

/* Without IP ID a packet that passes a point again was sent again; copies find the nearer one. */
static void
test_content_without_ip_id(void)
{
    begin();
    const struct path *first = see(packet(0, 1, 0), POINT_A);
    const struct path *again = see(packet(300 * MS, 1, 0), POINT_A);
    g_assert_true(again != first);
    g_assert_true(see(packet(10 * US, 1, 0), POINT_B) == first);
    g_assert_true(see(packet(301 * MS, 1, 0), POINT_B) == again);
    end();
}

static void
test_translated(void)
{
    begin();
    struct packet changed = packet(0, 1, 7);
    const struct path *first = see(changed, POINT_A);
    changed.is.source.port = 40000;
    changed.is.source.address[3] = 200;
    g_assert_true(see(changed, POINT_B) == first);
    changed.is.print++; /* other payload */
    g_assert_true(see(changed, POINT_C) != first);
    struct packet empty = packet(0, 9, 0);
    empty.is.bytes = 0;
    empty.is.print_bytes = 0;
    first = see(empty, POINT_A);
    empty.is.source.port = 40000;
    g_assert_true(see(empty, POINT_B) != first); /* nothing tells it from another's */
    end();
}

/* What GSO cuts and GRO merges again is one packet; each part's stage begins where the whole was last. */
static void
test_offload(void)
{
    enum { PARTS_OF_IT = 4 };
    begin();
    struct packet whole = packet(0, 1000, 50);
    whole.is.bytes = PARTS_OF_IT * 100;
    const struct path *path = see_with_id(whole, POINT_A, 1);
    for (unsigned i = 0; i < PARTS_OF_IT; i++)
        g_assert_true(see_with_id(packet((10 + i) * US, 1000 + i * 100, (uint16_t)(50 + i)), POINT_B, 2 + i) == path);
    for (unsigned i = 2; i < path->count; i++)
        g_assert_true(path_before(path->sightings[i], UINT32_MAX) == path->sightings[0]);
    whole.time_ns = 20 * US;
    g_assert_true(see_with_id(whole, POINT_C, 2) == path);
    g_assert_cmpuint(path_before(path->sightings[path->count - 1], UINT32_MAX)->frame, ==, 1 + PARTS_OF_IT);
    g_assert_true(see_with_id(packet(30 * US, 1100, 60), POINT_B, 9) != path); /* a part sent again */
    whole.is.ip_id = 70;
    g_assert_true(see_with_id(whole, POINT_A, 10) != path);
    end();
}

/* A part's whole is looked for among the latest of its sender. */
static void
test_offload_bound(void)
{
    enum { LATEST = 128 };
    for (uint32_t others = LATEST - 1; others <= LATEST; others++) {
        begin();
        struct packet whole = packet(0, 1000, 50);
        whole.is.bytes = 400;
        const struct path *path = see_with_id(whole, POINT_A, 1);
        for (uint32_t i = 1; i <= others; i++)
            see_with_id(packet(i, 1000 + i * 1000, (uint16_t)(50 + i * 10)), POINT_A, 1 + i);
        const struct path *found = see_with_id(packet(10 * US, 1000, 50), POINT_B, 1000);
        g_assert_true((found == path) == (others < LATEST));
        end();
    }
}

/* Where only the receiver is captured the whole joins its first part, and takes no other packet's in. */
static void
test_merged(void)
{
    begin();
    const struct path *first = see(packet(0, 1000, 50), POINT_A);
    const struct path *second = see(packet(1 * US, 1100, 51), POINT_A);
    const struct path *third = see(packet(2 * US, 1200, 52), POINT_A);
    g_assert_true(first != second && second != third);
    struct packet whole = packet(3 * US, 1000, 50);
    whole.is.bytes = 200;
    g_assert_true(see(whole, POINT_B) == first);
    whole.is.seq = 1100; /* crosses the packet's end */
    whole.is.ip_id = 51;
    g_assert_true(see(whole, POINT_C) == second);
    end();
}

/* By time, not by frame; what was known at a frame does not change. */
static void
test_order(void)
{
    begin();
    const struct path *path = see(packet(30 * US, 1, 7), POINT_C);
    see(packet(10 * US, 1, 7), POINT_A);
    see(packet(20 * US, 1, 7), POINT_B);
    g_assert_cmpuint(path->count, ==, 3);
    for (uint16_t i = 0; i < path->count; i++)
        g_assert_cmpuint(path->sightings[i]->point, ==, POINT_A + i);
    const struct sighting *last = path->sightings[2];
    g_assert_null(path_before(last, 1));
    g_assert_cmpuint(path_before(last, 2)->point, ==, POINT_A);
    g_assert_cmpuint(path_before(last, 3)->point, ==, POINT_B);
    g_assert_true(path_first(path, 1) == last);
    end();
}

/* The sequence wraps. */
static void
test_ranges(void)
{
    const struct range whole = { UINT32_MAX - 50, 100 }, low = { UINT32_MAX - 50, 10 }, high = { 10, 20 };
    const struct range after = { 49, 10 }, empty = { 49, 0 };
    g_assert_true(range_contains(whole, low) && range_contains(whole, high) && !range_contains(low, whole));
    g_assert_true(range_overlaps(whole, high) && range_overlaps(high, whole) && !range_overlaps(low, high));
    g_assert_false(range_overlaps(whole, after));
    g_assert_false(range_contains(whole, after));
    g_assert_true(range_overlaps(whole, empty)); /* the ACK after it */
}

/* A capture of a single instant, as long as one likes: a path and the table of paths end at their limits. */
static void
test_limits(void)
{
    enum { TIMES = 3 * PATH_SIGHTINGS, PACKETS = 70000 /* more than OPEN_PATHS */ };
    begin();
    const struct path *path = see(packet(0, 1, 7), POINT_A);
    for (unsigned i = 0; i < TIMES; i++)
        see(packet(0, 1, 7), POINT_B);
    g_assert_cmpuint(path->count, ==, PATH_SIGHTINGS);
    for (uint32_t i = 0; i < PACKETS; i++) {
        const struct packet other = packet(0, i * 100, (uint16_t)i);
        const struct sighting seen = { .frame = ++frames, .point = POINT_A };
        sightings_take(sightings, &other.is, &seen, false);
    }
    end();
}

static void
test_process(void)
{
    struct process process = { 0 };
    process_read(&process, "PID: 42\nCmd: /usr/bin/memcached\nArgs: memcached -p 1");
    process_read(&process, "ThreadId: 43\nThreadName: mc-worker");
    g_assert_cmpuint(process.pid, ==, 42);
    g_assert_cmpuint(process.tid, ==, 43);
    g_assert_cmpstr(process.name, ==, "/usr/bin/memcached");
    g_assert_false(process.bystander);
    process = (struct process){ 0 };
    process_read(&process, "PID: 8676 Cmd: my program ThreadId: 8677 dev: lo");
    g_assert_cmpuint(process.pid, ==, 8676);
    g_assert_cmpuint(process.tid, ==, 8677);
    g_assert_cmpstr(process.name, ==, "my program");
    process = (struct process){ 0 };
    process_read(&process, "Cmd: a PID: 1"); /* a name that looks like a key is one of these, and no more */
    g_assert_false(process.has_pid);
    process = (struct process){ 0 };
    process_read(&process, "PID: 99999999999");
    process_read(&process, "look at PID: 5");
    process_read(&process, "");
    g_assert_false(process_is_known(&process));
    const char *retis = "30419169061793 (6) [ping] 11330 [tp] net:net_dev_start_xmit #1baa83 (skb ffff8e95d3009100)";
    process_read(&process, retis);
    g_assert_cmpuint(process.pid, ==, 11330);
    g_assert_cmpstr(process.name, ==, "ping");
    g_assert_true(process.bystander);
    g_assert_cmpuint(tracking_read(retis), !=, 0);
    g_assert_cmpuint(tracking_read("see #1baa83"), ==, 0);
    char longest[2 * PROCESS_NAME_BYTES] = "Cmd: ";
    memset(longest + 5, 'x', sizeof longest - 6);
    longest[sizeof longest - 1] = '\0';
    process_read(&process, longest);
    g_assert_cmpuint(strlen(process.name), ==, PROCESS_NAME_BYTES - 1);
}

/* Parts add up, and a reader that was there before its data spends nothing. */
static void
test_stay(void)
{
    struct stay stay = { .arrived_ns = 1000, .has_arrived = true };
    const int64_t ends[PARTS] = { 1100, 1300, 900, 950, 1500, 2500, 2600 };
    const int64_t expected[PARTS] = { 100, 200, 0, 0, 200, 1000, 100 };
    int64_t parts[PARTS], total;
    memcpy(stay.ends_ns, ends, sizeof ends);
    g_assert_false(stay_parts(&stay, parts, &total));
    for (unsigned i = 0; i < PARTS; i++)
        stay.has_end[i] = true;
    g_assert_true(stay_parts(&stay, parts, &total));
    for (unsigned i = 0; i < PARTS; i++)
        g_assert_cmpint(parts[i], ==, expected[i]);
    g_assert_cmpint(total, ==, 1600);
    stay.has_end[PART_RX] = false; /* not captured: the next one has its time */
    g_assert_true(stay_parts(&stay, parts, &total));
    g_assert_cmpint(parts[PART_RX], ==, 0);
    g_assert_cmpint(parts[PART_TCPIP_RX], ==, 300);
    g_assert_cmpint(total, ==, 1600);
}

static struct sighting *
counted(struct preferred_point *preferred_point, struct packet packet, uint16_t point, struct points *points,
        const char *wanted)
{
    const struct sighting seen = { .frame = ++frames, .time_ns = packet.time_ns, .point = point };
    struct sighting *sighting = sightings_take(sightings, &packet.is, &seen, true);
    sighting->traffic = preferred_point_take(preferred_point, sighting, points, wanted);
    return sighting;
}

/* Packets count once; at the lower interface as soon as they are known to pass it, and where they pass one only. */
static void
test_preferred_point(void)
{
    begin();
    struct points *points = points_new(scope);
    g_assert_cmpuint(points_number(points, "eth0"), ==, POINT_A);
    g_assert_cmpuint(points_number(points, "eth1"), ==, POINT_B);
    struct preferred_point preferred_point = { 0 };
    g_assert_true(counted(&preferred_point, packet(0, 1, 1), POINT_B, points, "")->traffic);
    g_assert_true(counted(&preferred_point, packet(0, 101, 2), POINT_A, points, "")->traffic); /* the other of a bond */
    g_assert_false(counted(&preferred_point, packet(1, 1, 1), POINT_A, points, "")->traffic);
    g_assert_false(counted(&preferred_point, packet(2, 201, 3), POINT_B, points, "")->traffic);
    g_assert_true(counted(&preferred_point, packet(3, 201, 3), POINT_A, points, "")->traffic);
    preferred_point = (struct preferred_point){ 0 };
    g_assert_false(counted(&preferred_point, packet(4, 301, 4), POINT_A, points, "eth1")->traffic);
    g_assert_true(counted(&preferred_point, packet(5, 301, 4), POINT_B, points, "eth1")->traffic);
    g_assert_true(counted(&preferred_point, packet(6, 401, 5), POINT_A, points, "eth9")->traffic); /* no such point */
    end();
}

static void
test_preferred_point_of_stages(void)
{
    begin();
    struct points *points = points_new(scope);
    uint16_t ip = points_number(points, "tx:ip"), driver = points_number(points, "tx:driver");
    uint16_t up = points_number(points, "rx:driver"), gro = points_number(points, "rx:gro");
    g_assert_cmpuint(points_lowest(points, HEADING_SENT), ==, driver);
    g_assert_cmpuint(points_lowest(points, HEADING_RECEIVED), ==, up);
    struct preferred_point preferred_point = { 0 };
    g_assert_false(counted(&preferred_point, packet(0, 1, 1), ip, points, "")->traffic);
    g_assert_true(counted(&preferred_point, packet(1, 1, 1), driver, points, "")->traffic);
    g_assert_false(counted(&preferred_point, packet(2, 1, 1), gro, points, "")->traffic);
    g_assert_false(counted(&preferred_point, packet(3, 1, 1), up, points, "")->traffic);
    preferred_point = (struct preferred_point){ 0 };
    g_assert_false(counted(&preferred_point, packet(4, 101, 2), ip, points, "rx:driver, tx:driver")->traffic);
    g_assert_true(counted(&preferred_point, packet(5, 101, 2), up, points, "rx:driver, tx:driver")->traffic);
    g_assert_false(counted(&preferred_point, packet(6, 101, 2), driver, points, "rx:driver, tx:driver")->traffic);
    end();
}

/* A path of the test's own, to compare with. */
struct expected {
    uint32_t number, seq, bytes;
};

static bool
lies_within(uint32_t seq, uint32_t bytes, const struct expected *whole)
{
    const uint64_t begin = seq - whole->seq;
    return begin + bytes <= whole->bytes;
}

/* Of the latest paths: the newest in which the packet lies; else, of those that it holds, the nearest to its begin. */
static struct expected *
expect(struct expected *paths, unsigned count, uint32_t seq, uint32_t bytes)
{
    enum { LATEST = 128 };
    const struct expected here = { 0, seq, bytes };
    struct expected *found = NULL;
    for (unsigned i = count; i > 0 && count - i < LATEST; i--) {
        if (lies_within(seq, bytes, &paths[i - 1]))
            return &paths[i - 1];
        if (lies_within(paths[i - 1].seq, paths[i - 1].bytes, &here) &&
            (!found || paths[i - 1].seq - seq < found->seq - seq))
            found = &paths[i - 1];
    }
    return found;
}

/* Packets of any length, in any order, about where the sequence wraps, and now and then far from there. */
static void
test_offload_anywhere(void)
{
    enum { PACKETS = 4000, ROUNDS = 5, NEAR = 1 << 18, LONGEST = 6000, BEGIN_BITS = 31, JUMPS = 400 };
    GRand *random = g_rand_new_with_seed(7);
    struct expected *paths = g_new(struct expected, PACKETS);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned count = 0, joined = 0;
        uint32_t around = 0;
        begin();
        for (unsigned i = 0; i < PACKETS; i++) {
            if (g_rand_int_range(random, 0, JUMPS) == 0)
                around = g_rand_int_range(random, 0, 2) ? g_rand_int(random) : around + (1U << BEGIN_BITS);
            const uint32_t seq = around - NEAR / 2 + (uint32_t)g_rand_int_range(random, 0, NEAR);
            struct packet each = packet(0, seq, 0);
            each.is.bytes = (uint32_t)g_rand_int_range(random, 1, LONGEST);
            each.is.ack = i;
            struct expected *expected = expect(paths, count, seq, each.is.bytes);
            const uint32_t number = see(each, (uint16_t)(i + 1))->number;
            g_assert_cmpuint(number, ==, expected ? expected->number : count + 1);
            joined += expected != NULL;
            if (!expected)
                paths[count++] = (struct expected){ number, seq, each.is.bytes };
            else if (each.is.bytes > expected->bytes)
                *expected = (struct expected){ number, seq, each.is.bytes };
        }
        g_assert_cmpuint(joined, >, PACKETS / 10);
        end();
    }
    g_free(paths);
    g_rand_free(random);
}

void
sighting_tests_add(void)
{
    g_test_add_func("/sighting/packet id", test_packet_id);
    g_test_add_func("/sighting/tracking id", test_tracking_id);
    g_test_add_func("/sighting/content", test_content);
    g_test_add_func("/sighting/content without IP ID", test_content_without_ip_id);
    g_test_add_func("/sighting/translated", test_translated);
    g_test_add_func("/sighting/offload", test_offload);
    g_test_add_func("/sighting/offload-bound", test_offload_bound);
    g_test_add_func("/sighting/merged", test_merged);
    g_test_add_func("/sighting/order", test_order);
    g_test_add_func("/sighting/ranges", test_ranges);
    g_test_add_func("/sighting/limits", test_limits);
    g_test_add_func("/sighting/process", test_process);
    g_test_add_func("/sighting/stay", test_stay);
    g_test_add_func("/sighting/flood", test_flood);
    g_test_add_func("/sighting/vantage", test_preferred_point);
    g_test_add_func("/sighting/offload-anywhere", test_offload_anywhere);
    g_test_add_func("/sighting/vantage of stages", test_preferred_point_of_stages);
}
