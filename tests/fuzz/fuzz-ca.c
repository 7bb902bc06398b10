/* fuzz-ca.c
 * Whole captures of Channel Access, made of the fuzzer's bytes: segments of two circuits, in order or not, and
 * datagrams.
 *
 * Input: for each segment a byte of flags, two of length, and the segment's bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "core/ca_event.h"
#include "core/ca_take.h"

enum {
    FROM_CLIENT = 0x01,
    DATAGRAM = 0x02,
    SECOND_CIRCUIT = 0x04,
    AFTER_GAP = 0x08,
    AGAIN = 0x10, /* bytes that were there before */
    LAST = 0x20,  /* the circuit ends */
    HEAD_BYTES = 3
};

struct fuzz {
    struct ca_channels *channels;
    struct ca_circuit *circuits[2];
    uint32_t next[2][2]; /* sequence numbers, by circuit and direction */
    struct ca_arrival arrival;
};

/* What somebody would show of a message must hold together. */
static void
check(const struct fuzz *fuzz, const struct ca_message *message, const struct ca_circuit *circuit, uint32_t reference,
      bool from_client)
{
    struct ca_subject subject = ca_subject(fuzz->channels, reference);
    struct ca_event event = ca_event_of(message, circuit, subject, from_client, fuzz->arrival.frame);
    const char *pv = ca_subject_pv(&subject);
    g_assert(!pv || strlen(pv) <= CA_NAME_MOST);
    if (event.kind == CA_CREATE_ANSWERED && subject.channel->create.outcome != CA_ORPHAN)
        g_assert(ca_request_latency(&subject.channel->create) >= 0 &&
                 ca_channel_connect(fuzz->channels, subject.channel) >= 0);
    if (event.kind == CA_CREATE_ASKED)
        g_assert(subject.channel->create.outcome == CA_WAITING);
    if (event.kind == CA_REQUEST_ANSWERED)
        g_assert(ca_request_is_answered(&subject.exchange->request));
    if (event.kind == CA_SEARCH_ANSWERED)
        g_assert(ca_search_time(subject.search) >= 0 && ca_search_latency(subject.search) >= 0);
}

static void
take_messages(struct fuzz *fuzz, struct ca_circuit *circuit, uint32_t seq, const uint8_t *bytes, size_t n,
              bool from_client)
{
    struct ca_stream *stream = &circuit->streams[from_client];
    for (size_t offset = 0; offset < n;) {
        struct ca_message message;
        enum ca_reading reading = ca_message_read(bytes + offset, n - offset, &message);
        if (reading == CA_CUT || (reading == CA_COMPLETE && message.header_bytes + (size_t)message.size > n - offset))
            return;
        uint32_t start = seq + (uint32_t)offset;
        if (reading == CA_IMPOSSIBLE) {
            if (!ca_stream_may_wait(stream, start))
                ca_stream_take(stream, start, seq + (uint32_t)n, false);
            return;
        }
        size_t payload = offset + message.header_bytes;
        if (ca_stream_take(stream, start, start + message.header_bytes + message.size, true))
            check(
                fuzz, &message, circuit,
                ca_take(fuzz->channels, circuit, &message, bytes + payload, message.size, from_client, &fuzz->arrival),
                from_client);
        offset = payload + message.size;
    }
}

/* As ca-reader.c and ca-watch.c do it; incomplete messages wait in the backlog. */
static void
take_circuit(struct fuzz *fuzz, struct ca_circuit *circuit, uint32_t seq, const uint8_t *bytes, size_t n,
             bool from_client)
{
    struct ca_stream *stream = &circuit->streams[from_client];
    struct ca_backlog *backlog = &circuit->backlogs[from_client];
    wmem_allocator_t *scope = fuzz->channels->channels.scope;
    uint32_t start, available, missed;
    if (ca_stream_place(stream, seq) == CA_ALIGNED || ca_messages_are_plausible(bytes, n))
        take_messages(fuzz, circuit, seq, bytes, n, from_client);
    else if (!ca_stream_may_wait(stream, seq))
        ca_stream_take(stream, seq, seq + (uint32_t)n, false);
    ca_backlog_prune(backlog, scope, stream);
    if (!ca_stream_misses(stream, seq, seq + (uint32_t)n))
        return;
    ca_backlog_add(backlog, scope, seq, bytes, (uint32_t)n);
    while (ca_backlog_find(backlog, stream, &start, &available, &missed)) {
        uint8_t *gathered = g_malloc(available);
        ca_backlog_gather(backlog, start, gathered, available);
        take_messages(fuzz, circuit, start, gathered, ca_messages_whole(gathered, available, missed), from_client);
        g_free(gathered);
    }
    g_assert(backlog->bytes <= CA_BACKLOG_BYTES && backlog->chunks <= CA_BACKLOG_CHUNKS);
}

static void
take_datagram(struct fuzz *fuzz, const uint8_t *bytes, size_t n, bool from_client)
{
    const struct ca_circuit *circuit = fuzz->circuits[0];
    struct ca_batch batch = { .searcher = ca_party(&fuzz->channels->searches.parties, CA_UDP_SEARCHER, &circuit->client,
                                                   false) };
    struct ca_message message;
    for (size_t offset = 0; offset < n && ca_message_read(bytes + offset, n - offset, &message) == CA_COMPLETE;) {
        size_t payload = offset + message.header_bytes;
        size_t captured = MIN(n - payload, message.size);
        check(fuzz, &message, NULL,
              ca_take_datagram(fuzz->channels, &batch, &message, bytes + payload, captured,
                               from_client ? &circuit->client : &circuit->server, false, &fuzz->arrival),
              message.command == CA_SEARCH && message.count != 0);
        offset = payload + message.size;
    }
}

static void
take(struct fuzz *fuzz, unsigned flags, const uint8_t *bytes, size_t n)
{
    bool from_client = flags & FROM_CLIENT;
    unsigned number = (flags & SECOND_CIRCUIT) != 0;
    uint32_t *next = &fuzz->next[number][from_client];
    fuzz->arrival.frame++;
    fuzz->arrival.time_ns += flags & AGAIN ? -1000 : 1000;
    if (flags & DATAGRAM) {
        take_datagram(fuzz, bytes, n, from_client);
        return;
    }
    if (flags & AFTER_GAP)
        *next += 64;
    else if (flags & AGAIN)
        *next -= (uint32_t)n;
    take_circuit(fuzz, fuzz->circuits[number], *next, bytes, n, from_client);
    *next += (uint32_t)n;
    if (flags & LAST)
        ca_circuit_end(fuzz->circuits[number], fuzz->arrival.time_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct endpoint clients[2] = { { { 10, 0, 0, 1 }, 40000 }, { { 10, 0, 0, 1 }, 40001 } };
    static const struct endpoint server = { { 10, 0, 0, 2 }, 5064 };
    static wmem_allocator_t *scope;
    if (!scope) {
        wmem_init();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE); /* malloc, so that AddressSanitizer sees each record */
    }
    struct fuzz fuzz = { .channels = ca_channels_new(scope), .next = { { UINT32_MAX - 100, 0 }, { 0, 0 } } };
    for (unsigned i = 0; i < 2; i++)
        fuzz.circuits[i] = ca_circuit_new(fuzz.channels, &clients[i], &server, false);
    while (size > HEAD_BYTES) {
        unsigned flags = data[0];
        size_t n = MIN((size_t)data[1] << 8 | data[2], size - HEAD_BYTES);
        uint8_t *segment = g_memdup2(data + HEAD_BYTES, n); /* of its own length, for AddressSanitizer */
        take(&fuzz, flags, segment, n);
        g_free(segment);
        data += HEAD_BYTES + n;
        size -= HEAD_BYTES + n;
    }
    wmem_free_all(scope);
    return 0;
}
