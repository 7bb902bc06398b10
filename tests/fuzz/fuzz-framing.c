/* fuzz-framing.c
 * Whole captures of protocols whose messages are told apart, made of the fuzzer's bytes: segments of two connections,
 * in order or not, cut or not, decrypted or not.
 *
 * Input: for each segment a byte of flags, two of length, and the segment's bytes. With the name of a protocol in the
 * environment's FUZZ_ONLY an input ends where its connections turn out to be of another one: so its parser is fuzzed
 * alone. With "proxy" it ends where a connection does not begin with a header of the PROXY protocol.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

#include "check_request.h"
#include "core/analysis.h"
#include "core/protocol/reading_parts.h"
#include "core/request/tls_cursor.h"
#include "mutate.h"

enum {
    FROM_CLIENT = 0x01,
    SECOND = 0x02, /* connection */
    CUT = 0x04,    /* the capture has half of the payload */
    AFTER_GAP = 0x08,
    AGAIN = 0x10,  /* bytes that were there before */
    AHEAD = 0x20,  /* it acknowledges what the capture does not have */
    HIDDEN = 0x40, /* the bytes are in a TLS record, and decrypted */
    KEEP = 0x80,   /* of the first segment: frames are visited again */
    HEAD_BYTES = 3
};

const struct input_shape input_shape = { 0, HEAD_BYTES, 1 };

/* TLS, and the PROXY protocol: what is no parser's. */
static const struct fuzzed_protocol {
    const char *name;
    const struct parser *parser;
    bool behind_proxy;
} protocols[] = {
#define NAMED(name) { #name, &parser_##name, false },
    PROTOCOLS(NO_PROTOCOL, NAMED)
#undef NAMED
        { "tls", NULL, false },
    { "proxy", NULL, true },
};

/* NULL: any. */
static const struct fuzzed_protocol *
wanted_protocol(void)
{
    const char *name = getenv("FUZZ_ONLY");
    if (!name || !*name)
        return NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(protocols); i++)
        if (strcmp(name, protocols[i].name) == 0)
            return &protocols[i];
    g_error("FUZZ_ONLY is \"%s\", which is no protocol.", name);
}

/* What HTTP/1 is upgraded to is wanted, too. */
static bool
is_wanted(const struct fuzzed_protocol *wanted, const struct connection *connection)
{
    if (wanted && wanted->behind_proxy)
        return connection->tcp->proxied;
    const struct parser *parser = connection->tcp->reading ? connection->tcp->reading->parser : NULL;
    return !wanted || !parser || parser == wanted->parser ||
           (wanted->parser == &parser_http2 && parser == &parser_http);
}

static enum port_kind
port_kind(uint16_t port)
{
    return port == 80 ? PORT_CONFIGURED : PORT_PLAIN;
}

/* Ids are in the order of their requests. */
static void
check_ids(const struct requests *requests)
{
    const struct request_ids *ids = &requests->ids;
    for (uint32_t i = 0; i < ids->count; i++)
        g_assert(ids->all[i].number > 0 && ids->all[i].number <= requests->count &&
                 (i == 0 || ids->all[i - 1].number <= ids->all[i].number));
}

static struct connection *
take(struct analysis *analysis, uint32_t next[2][2], unsigned flags, uint32_t frame, const uint8_t *bytes, uint32_t n)
{
    const struct endpoint ends[2] = { { { 10, 0, 0, 2 }, 80, TRANSPORT_TCP },
                                      { { 10, 0, 0, 1 }, (uint16_t)(40000 + (flags & SECOND)), TRANSPORT_TCP } };
    bool from_client = flags & FROM_CLIENT;
    uint32_t *sent = next[(flags & SECOND) != 0];
    if (flags & AFTER_GAP)
        sent[from_client] += 30;
    else if (flags & AGAIN)
        sent[from_client] -= n / 2;
    struct segment segment = {
        .frame = frame,
        .time_ns = (int64_t)frame * 1000,
        .source = ends[from_client],
        .destination = ends[!from_client],
        .seq = sent[from_client],
        .ack = sent[!from_client] + (flags & AHEAD ? 20 : 0),
        .flags = SEGMENT_ACK | SEGMENT_PSH,
        .payload_bytes = n,
        .captured_bytes = flags & CUT ? n / 2 : n,
        .payload = bytes,
    };
    struct connection *connection = analysis_take(analysis, &segment);
    const uint32_t hidden_bytes = n - TLS_HEADER_BYTES;
    struct decrypted decrypted = { .any = n % 2 };
    if (flags & HIDDEN)
        decrypted = (struct decrypted){ bytes + TLS_HEADER_BYTES, hidden_bytes, &hidden_bytes, 1, true };
    if (analysis_wants_decrypted(analysis))
        analysis_read_decrypted(analysis, &segment, &decrypted);
    else
        analysis_read(analysis, &segment);
    sent[from_client] += n;
    return connection;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct settings settings = { .port_kind = port_kind, .websocket_ids = true };
    static wmem_allocator_t *scope;
    static const struct fuzzed_protocol *wanted;
    if (!scope) {
        wanted = wanted_protocol();
        wmem_init();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE); /* malloc, so that AddressSanitizer sees each record */
    }
    struct analysis *analysis = analysis_new(scope, &settings);
    analysis->requests.wants_ids = true;
    struct connection *connections[2] = { NULL, NULL };
    uint32_t next[2][2] = { { UINT32_MAX - 100, 0 }, { 0, 0 } };
    bool keep = size > 0 && data[0] & KEEP;
    items_set_keep(analysis->items, keep);
    bool goes_on = true;
    for (uint32_t frame = 1; goes_on && size > HEAD_BYTES; frame++) {
        unsigned flags = data[0];
        size_t n = MIN((size_t)data[1] << 8 | data[2], size - HEAD_BYTES);
        size_t before = flags & HIDDEN ? TLS_HEADER_BYTES : 0;
        uint8_t *payload = g_malloc(MAX(before + n, 1)); /* of its own length, for AddressSanitizer */
        if (before)
            memcpy(payload, (const uint8_t[]){ 23, 3, 3, (uint8_t)(n >> 8), (uint8_t)n }, before);
        memcpy(payload + before, data + HEAD_BYTES, n);
        struct connection *connection = take(analysis, next, flags, frame, payload, (uint32_t)(before + n));
        g_free(payload);
        check_requests(analysis, frame, PROTOCOL_COUNT);
        connections[(flags & SECOND) != 0] = connection;
        goes_on = is_wanted(wanted, connection);
        data += HEAD_BYTES + n;
        size -= HEAD_BYTES + n;
    }
    for (unsigned i = 0; !keep && i < 2; i++)
        if (connections[i])
            analysis_forget(analysis, connections[i]);
    check_ids(&analysis->requests);
    analysis_free(analysis);
    wmem_free_all(scope);
    return 0;
}
