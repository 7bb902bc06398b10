/* fuzz-tcp.c
 * Whole captures of TCP made of the fuzzer's bytes: three connections whose segments have any flags, sequence numbers,
 * IP IDs, fragments and times, seen at several points or quoted by ICMP errors, with payload of any kind, cut or not.
 * Some of it is decrypted. What the tables are told of requests is checked, too: each once.
 *
 * Input: for each segment the bytes of struct head, and the segment's bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "check_request.h"
#include "core/analysis.h"
#include "core/points/preferred_point.h"
#include "core/protocol/reading.h"
#include "core/request/pending.h"
#include "mutate.h"

/* All of them bytes. */
struct head {
    uint8_t marks;
    uint8_t flags;   /* of TCP */
    int8_t seq, ack; /* from the next byte of its sender, and of the other side; times `scale` */
    uint8_t scale;   /* 2^scale, up to 31; the upper half: the connection */
    int8_t time;     /* sign, and 2^time ns */
    int8_t ip_id;    /* from the sender's last */
    uint8_t cut;     /* of 255 parts of the payload, so many are not captured */
    uint8_t point;
    uint8_t length[2];
};

enum {
    FROM_CLIENT = 0x01,
    QUOTED = 0x02,
    SIGHTED = 0x04,
    FRAGMENT = 0x08,
    HAS_IP_ID = 0x10,
    HAS_PACKET_ID = 0x20, /* if it is sighted; else its payload was decrypted, be it TLS or not */
    IPV6 = 0x40,
    KEEP = 0x80 /* of the first segment: frames are visited again */
};

enum { CONNECTIONS = 3, POINTS = 5 };

const struct input_shape input_shape = { 0, sizeof(struct head), offsetof(struct head, length) };

struct capture {
    struct analysis *analysis;
    struct pending_requests *requests;
    GHashTable *written; /* numbers of requests */
    uint32_t next[CONNECTIONS][2];
    uint16_t ip_id[2];
    int64_t now_ns;
};

static enum port_kind
port_kind(uint16_t port)
{
    return port == 80 ? PORT_CONFIGURED : port == 5064 ? PORT_REGISTERED : PORT_PLAIN;
}

/* Each request is written once, and has no negative time. */
static void
write_request(void *data, const struct pending_request *pending)
{
    struct capture *capture = data;
    const struct request *request = &pending->request;
    check_request(&capture->analysis->requests, request);
    g_assert(g_hash_table_add(capture->written, GUINT_TO_POINTER(request->number)));
    g_assert(!request->response.first_frame || request_last_byte(request) >= 0);
}

static void
take_late(struct capture *capture, uint32_t frame)
{
    unsigned late;
    const struct late_item *known = items_late(capture->analysis->items, &late);
    for (unsigned i = 0; i < late; i++)
        if (item_request(&known[i].item))
            pending_requests_take(capture->requests, &known[i].item, frame);
}

static void
take_items(struct capture *capture, uint32_t frame)
{
    struct items *items = capture->analysis->items;
    uint32_t at;
    take_late(capture, frame);
    for (struct item *item = items_first(items, frame, &at); item; item = items_next(items, &at)) {
        g_assert(item->spacing_ns >= -1);
        if (item_request(item))
            pending_requests_take(capture->requests, item, frame);
    }
}

static struct segment
segment_of(struct capture *capture, const struct head *head, uint32_t frame, const uint8_t *bytes, uint32_t n)
{
    static const uint16_t ports[CONNECTIONS] = { 80, 5064, 40001 };
    unsigned connection = head->scale / 32 % CONNECTIONS, scale = head->scale % 32;
    const struct endpoint ends[2] = { { { 10, 0, 0, 2 }, ports[connection], TRANSPORT_TCP },
                                      { { 10, 0, 0, 1 }, 40000, TRANSPORT_TCP } };
    bool from_client = head->marks & FROM_CLIENT;
    uint32_t *next = capture->next[connection];
    int64_t step_ns = INT64_C(1) << MIN(ABS((int)head->time), 55);
    capture->now_ns =
        CLAMP(capture->now_ns + (head->time < 0 ? -step_ns : step_ns), -(INT64_C(1) << 61), INT64_C(1) << 61);
    capture->ip_id[from_client] = (uint16_t)(capture->ip_id[from_client] + head->ip_id);
    uint32_t seq = next[from_client] + ((uint32_t)(int32_t)head->seq << scale);
    next[from_client] = head->seq ? next[from_client] : seq + n + !!(head->flags & (SEGMENT_SYN | SEGMENT_FIN));
    return (struct segment){
        .frame = frame,
        .time_ns = capture->now_ns,
        .source = ends[from_client],
        .destination = ends[!from_client],
        .ipv6 = head->marks & IPV6,
        .seq = seq,
        .ack = next[!from_client] + ((uint32_t)(int32_t)head->ack << scale),
        .flags = head->flags,
        .fragmented = head->marks & FRAGMENT,
        .has_ip_id = head->marks & HAS_IP_ID,
        .ip_id = capture->ip_id[from_client],
        .payload_bytes = n,
        .captured_bytes = n - n * head->cut / 255,
        .payload = bytes,
    };
}

/* Whether the segment counts at its point. */
static bool
sight(struct capture *capture, const struct head *head, const struct segment *segment)
{
    static const char *const names[POINTS] = { "eth0", "tx:driver", "rx:ip", "any:2", "app:recv" };
    struct fingerprint fingerprint = { .has_packet_id = head->marks & HAS_PACKET_ID, .packet_id = head->point / 32 };
    struct sighting seen = {
        .frame = segment->frame,
        .time_ns = segment->time_ns,
        .point = points_number(capture->analysis->points, names[head->point % POINTS]),
        .heading = (uint8_t)(head->point % HEADINGS),
    };
    struct process process = { .pid = head->point / 16, .has_pid = head->point & 8, .tid = head->point / 64 };
    if (!(head->marks & SIGHTED))
        return true;
    if (process_is_known(&process))
        seen.process = process_table_put(capture->analysis->processes, &process);
    fingerprint_take_segment(&fingerprint, segment, 0);
    return analysis_sight(capture->analysis, &fingerprint, &seen, segment);
}

/* What Wireshark has decrypted, or says that it has: any part of the payload, as one record, and empty ones. */
static void
read_segment(struct capture *capture, const struct head *head, const struct segment *segment)
{
    uint32_t from = MIN(head->point % 8U, segment->captured_bytes);
    const bool is_hidden = head->marks & HAS_PACKET_ID;
    const uint32_t lengths[4] = { segment->captured_bytes - from };
    const struct decrypted decrypted = {
        .bytes = segment->payload + from,
        .length = is_hidden ? lengths[0] : 0,
        .lengths = lengths,
        .records = is_hidden ? 1 + head->point / 64U : 0,
        .any = head->point & 16,
    };
    if (analysis_wants_decrypted(capture->analysis))
        analysis_read_decrypted(capture->analysis, segment, &decrypted);
    else
        analysis_read(capture->analysis, segment);
}

static void
take(struct capture *capture, const struct head *head, uint32_t frame, const uint8_t *bytes, uint32_t n)
{
    struct segment segment = segment_of(capture, head, frame, bytes, n);
    if (head->marks & QUOTED) {
        analysis_take_quoted(capture->analysis, &segment);
    } else if (sight(capture, head, &segment)) {
        const struct connection *connection = analysis_take(capture->analysis, &segment);
        read_segment(capture, head, &segment);
        g_assert(connection->n_requests == 0 ||
                 connection->requests[connection->n_requests - 1] == connection->request);
    }
    take_items(capture, frame);
}

static void
end(struct capture *capture, uint32_t frame)
{
    analysis_end(capture->analysis);
    take_late(capture, frame); /* of the last frame's own, which have been taken, the requests may be forgotten */
    pending_requests_flush(capture->requests);
    g_assert(g_hash_table_size(capture->written) <= capture->analysis->requests.count);
    pending_requests_free(capture->requests);
    analysis_free(capture->analysis);
    g_hash_table_destroy(capture->written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct settings settings = { .port_kind = port_kind,
                                       .timeout_ns = size > 2 && data[2] & 1 ? 1000000000 : 0,
                                       .points = size > 3 && data[3] & 1 ? "rx:ip, eth0" : "" };
    static wmem_allocator_t *scope;
    if (!scope) {
        wmem_init();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE); /* malloc, so that AddressSanitizer sees each record */
    }
    struct capture capture = { .analysis = analysis_new(scope, &settings), .next = { { UINT32_MAX - 100, 7 } } };
    struct head head;
    uint32_t frame = 0;
    capture.written = g_hash_table_new(NULL, NULL);
    capture.requests = pending_requests_new(NULL, write_request, &capture);
    items_set_keep(capture.analysis->items, size > 0 && data[0] & KEEP);
    while (size > sizeof head) {
        memcpy(&head, data, sizeof head);
        data += sizeof head;
        size -= sizeof head;
        size_t n = MIN((size_t)head.length[0] << 8 | head.length[1], size);
        uint8_t *payload = g_malloc(MAX(n, 1)); /* of its own length, for AddressSanitizer */
        memcpy(payload, data, n);
        take(&capture, &head, ++frame, payload, (uint32_t)n);
        g_free(payload);
        data += n;
        size -= n;
    }
    end(&capture, frame);
    wmem_free_all(scope);
    return 0;
}
