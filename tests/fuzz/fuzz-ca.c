/* fuzz-ca.c
 * Whole captures of Channel Access and pvAccess, made of the fuzzer's bytes: segments of two circuits of each, in order
 * or not, and datagrams.
 *
 * Input: as circuit_input.h says. With "pva" as the environment's FUZZ_ONLY all are of pvAccess.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "core/analysis.h"
#include "core/ca/ca_event.h"
#include "core/ca/ca_phases.h"
#include "core/ca/ca_take.h"
#include "core/pva/pva_message.h"
#include "core/pva/pva_protocol.h"
#include "core/pva/pva_search.h"
#include "circuit_input.h"
#include "mutate.h"

const struct input_shape input_shape = { 0, HEAD_BYTES, 1 };

struct fuzz {
    struct analysis *analysis;
    struct ca_channels *channels;
    uint32_t next[4][2]; /* sequence numbers, by circuit and direction */
    struct ca_arrival arrival;
};

static const struct endpoint clients[2] = { { { 10, 0, 0, 1 }, 40000, TRANSPORT_TCP }, { { 10, 0, 0, 1 }, 40001, TRANSPORT_TCP } };
static const struct endpoint servers[2] = { { { 10, 0, 0, 2 }, 5064, TRANSPORT_TCP }, { { 10, 0, 0, 2 }, 5075, TRANSPORT_TCP } };

/* What somebody would show of a message must hold together. */
static void
check(const struct fuzz *fuzz, const struct ca_event *event)
{
    const struct ca_subject *subject = &event->subject;
    const char *pv = ca_subject_pv(subject);
    unsigned command;
    g_assert(!pv || strlen(pv) <= CA_NAME_MOST);
    g_assert(ca_event_latency(event, &command) >= -1);
    if (event->kind == CA_CREATE_ASKED || event->kind == CA_CREATE_ANSWERED)
        g_assert(ca_channel_reason(fuzz->channels, subject->channel, fuzz->arrival.time_ns));
    if (event->kind == CA_CREATE_ANSWERED && subject->channel->create.outcome != CA_ORPHAN)
        g_assert(ca_request_latency(&subject->channel->create) >= 0 &&
                 ca_channel_connect(fuzz->channels, subject->channel) >= 0);
    if (event->kind == CA_REQUEST_ANSWERED)
        g_assert(ca_request_is_answered(&subject->exchange->request));
    if (event->kind == CA_UPDATED)
        g_assert(ca_update_spacing(fuzz->channels, subject->update) >= -1 && subject->exchange->updated > 0);
    if (event->kind == CA_SEARCH_ANSWERED)
        g_assert(ca_search_time(subject->search) >= 0 && ca_search_latency(subject->search) >= 0);
}

/* Each message is found where it was noted. */
static void
check_item(const struct fuzz *fuzz, const struct item *item)
{
    if (item->kind != ITEM_CIRCUIT)
        return;
    const struct ca_flow *flow = &item->circuit->flow[item->from_client];
    for (uint32_t i = 0; i < item->n_messages; i++) {
        struct ca_noted *noted = &flow->noted[item->first_message + i], *found;
        bool is_another = i > 0 && noted[-1].start == noted->start; /* channel of the same message */
        const struct ca_event event = ca_event_of_noted(fuzz->channels, item->circuit, item->from_client, noted);
        check(fuzz, &event);
        g_assert(ca_flow_place(flow, flow->origin + (uint32_t)noted->start, noted->frame, &found) == CA_NOTED);
        g_assert(found == noted || is_another);
        g_assert(ca_flow_distance(flow, flow->origin + (uint32_t)noted->start) > 0);
        if (ca_flow_place(flow, flow->origin + (uint32_t)noted->start + 1, noted->frame, &found) != CA_NOTED)
            g_assert(!found);
    }
}

static void
check_frame(const struct fuzz *fuzz)
{
    uint32_t position;
    unsigned count;
    struct items *items = fuzz->analysis->items;
    for (const struct item *item = items_first(items, fuzz->arrival.frame, &position); item;
         item = items_next(items, &position))
        check_item(fuzz, item);
    const struct late_item *late = items_late(items, &count);
    for (unsigned i = 0; i < count; i++)
        check_item(fuzz, &late[i].item);
}

static void
take_circuit(struct fuzz *fuzz, unsigned flags, uint32_t seq, const uint8_t *bytes, size_t n)
{
    unsigned number = (flags & SECOND_CIRCUIT) != 0;
    bool from_client = flags & FROM_CLIENT;
    const struct endpoint server = servers[(flags & PVA) != 0];
    struct segment segment = {
        .frame = fuzz->arrival.frame,
        .time_ns = fuzz->arrival.time_ns,
        .source = from_client ? clients[number] : server,
        .destination = from_client ? server : clients[number],
        .seq = seq,
        .ack = fuzz->next[input_circuit(flags)][!from_client],
        .flags = SEGMENT_ACK | SEGMENT_PSH | (flags & LAST ? SEGMENT_FIN : 0),
        .payload_bytes = (uint32_t)n,
        .captured_bytes = (uint32_t)n,
        .payload = n > 0 ? bytes : NULL,
        .operation = "",
    };
    analysis_take(fuzz->analysis, &segment);
    analysis_read(fuzz->analysis, &segment);
    check_frame(fuzz);
}

static void
take_datagram(struct fuzz *fuzz, const uint8_t *bytes, size_t n, bool from_client)
{
    struct ca_batch batch = { .searcher =
                                  ca_peer(&fuzz->channels->searches.peers, CA_UDP_SEARCHER, &clients[0], false) };
    struct ca_message message;
    for (size_t offset = 0; offset < n && ca_message_read(bytes + offset, n - offset, &message) == CA_COMPLETE;) {
        size_t payload = offset + message.header_bytes;
        size_t captured = MIN(n - payload, message.size);
        uint32_t reference = ca_take_datagram(fuzz->channels, &batch, &message, bytes + payload, captured,
                                              from_client ? &clients[0] : &servers[0], false, &fuzz->arrival);
        const struct ca_event event =
            ca_event_of(&circuit_of_channel_access, message.command, NULL, ca_subject(fuzz->channels, reference),
                        message.command == CA_SEARCH && message.count != 0, fuzz->arrival.frame);
        check(fuzz, &event);
        offset = payload + message.size;
    }
}

/* A message of pvAccess being taken. */
struct telling {
    const struct fuzz *fuzz;
    const struct ca_message *message;
};

static void
check_reference(void *data, uint32_t reference)
{
    const struct telling *telling = data;
    const struct fuzz *fuzz = telling->fuzz;
    const struct ca_event event =
        ca_event_of(&circuit_of_pvaccess, telling->message->command, NULL, ca_subject(fuzz->channels, reference),
                    pva_datagram_is_from_client(telling->message), fuzz->arrival.frame);
    check(fuzz, &event);
}

static void
take_pva_datagram(struct fuzz *fuzz, const uint8_t *bytes, size_t n, bool from_client)
{
    struct pva_datagram datagram = { from_client ? clients[0] : servers[1], from_client ? servers[1] : clients[0],
                                     false, fuzz->arrival, false };
    struct ca_message message;
    struct telling telling = { fuzz, &message };
    for (size_t offset = 0; offset < n && pva_message_read(bytes + offset, n - offset, &message) == CA_COMPLETE;) {
        size_t payload = offset + message.header_bytes;
        pva_datagram_take(&datagram, fuzz->channels, &message, bytes + payload, MIN(n - payload, message.size),
                          check_reference, &telling);
        offset = payload + message.size;
    }
}

static void
take(struct fuzz *fuzz, unsigned flags, const uint8_t *bytes, size_t n)
{
    bool from_client = flags & FROM_CLIENT;
    uint32_t *next = &fuzz->next[input_circuit(flags)][from_client];
    fuzz->arrival.frame++;
    fuzz->arrival.time_ns += flags & AGAIN ? -1000 : 1000;
    if (flags & DATAGRAM) {
        if (flags & PVA)
            take_pva_datagram(fuzz, bytes, n, from_client);
        else
            take_datagram(fuzz, bytes, n, from_client);
        return;
    }
    if (flags & AFTER_GAP)
        *next += 64;
    else if (flags & AGAIN)
        *next -= (uint32_t)n;
    take_circuit(fuzz, flags, *next, bytes, n);
    *next += (uint32_t)n;
}

/* Flags that every segment has. */
static unsigned
wanted_flags(void)
{
    const char *name = getenv("FUZZ_ONLY");
    if (name && *name && strcmp(name, "pva") != 0)
        g_error("FUZZ_ONLY is \"%s\", which is no protocol.", name);
    return name && *name ? PVA : 0;
}

static enum port_kind
port_kind(uint16_t port)
{
    return port == servers[0].port || port == servers[1].port ? PORT_REGISTERED : PORT_PLAIN;
}

static bool
is_channel_access(uint16_t port)
{
    return port == servers[0].port;
}

static bool
is_pvaccess(uint16_t port)
{
    return port == servers[1].port;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct settings settings = { .port_kind = port_kind,
                                              .is_channel_access = is_channel_access,
                                              .is_pvaccess = is_pvaccess };
    static wmem_allocator_t *scope;
    if (!scope) {
        wmem_init();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE); /* malloc, so that AddressSanitizer sees each record */
    }
    struct fuzz fuzz = { .analysis = analysis_new(scope, &settings), .next = { { UINT32_MAX - 100, 0 } } };
    fuzz.channels = fuzz.analysis->channels;
    items_set_keep(fuzz.analysis->items, size % 2);
    const unsigned wanted = wanted_flags();
    for (struct input_segment segment; input_next(&data, &size, &segment);) {
        uint8_t *bytes = g_memdup2(segment.bytes, segment.n); /* of its own length, for AddressSanitizer */
        take(&fuzz, segment.flags | wanted, bytes, segment.n);
        g_free(bytes);
    }
    analysis_end(fuzz.analysis);
    check_frame(&fuzz);
    analysis_free(fuzz.analysis);
    wmem_free_all(scope);
    return 0;
}
