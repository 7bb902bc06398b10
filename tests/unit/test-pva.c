/* test-pva.c
 * pvAccess in streams and datagrams: both byte orders, messages cut, in parts, missing, and ids used again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/ca/ca_phases.h"
#include "core/pva/pva_message.h"
#include "core/pva/pva_protocol.h"
#include "core/pva/pva_search.h"
#include "scene.h"
#include "unit.h"

enum { ROOM = 600, CLIENT = 0, SERVER = PVA_FLAG_SERVER, BIG = PVA_FLAG_BIG_ENDIAN, CID = 7, SID = 70, IOID = 700 };

/* A message as it is written. */
struct written {
    uint8_t bytes[ROOM];
    size_t n;
    bool big_endian;
};

static void
put(struct written *written, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        written->bytes[written->n++] = (uint8_t)(number >> 8 * (written->big_endian ? bytes - 1 - i : i));
}

static void
put_text(struct written *written, const char *text)
{
    put(written, strlen(text), 1);
    memcpy(written->bytes + written->n, text, strlen(text));
    written->n += strlen(text);
}

static void
put_header(struct written *written, unsigned flags, unsigned command, uint32_t size)
{
    written->big_endian = flags & BIG;
    put(written, PVA_MAGIC, 1);
    put(written, 2, 1);
    put(written, flags, 1);
    put(written, command, 1);
    put(written, size, 4);
}

static struct written
message(unsigned flags, unsigned command)
{
    struct written written = { .n = 0 };
    put_header(&written, flags, command, 0);
    return written;
}

/* Its size is that of what stands behind its header. */
static struct written
finish(struct written written)
{
    size_t n = written.n;
    written.n = 4;
    put(&written, n - PVA_HEADER_BYTES, 4);
    written.n = n;
    return written;
}

static struct written
ask_create(unsigned order, uint32_t cid, const char *name)
{
    struct written written = message(order | CLIENT, PVA_CREATE_CHANNEL);
    put(&written, 1, 2);
    put(&written, cid, 4);
    put_text(&written, name);
    return finish(written);
}

/* `reason`: NULL for a channel. */
static struct written
say_create(unsigned order, uint32_t cid, uint32_t sid, const char *reason)
{
    struct written written = message(order | SERVER, PVA_CREATE_CHANNEL);
    put(&written, cid, 4);
    put(&written, sid, 4);
    put(&written, reason ? 2 : 0xFF, 1);
    if (reason) {
        put_text(&written, reason);
        put_text(&written, "");
    }
    return finish(written);
}

static struct written
ask(unsigned order, unsigned command, uint32_t ioid, unsigned subcommand)
{
    struct written written = message(order | CLIENT, command);
    put(&written, SID, 4);
    put(&written, ioid, 4);
    put(&written, subcommand, 1);
    return finish(written);
}

static struct written
answer(unsigned order, unsigned command, uint32_t ioid, unsigned subcommand, unsigned status)
{
    struct written written = message(order | SERVER, command);
    put(&written, ioid, 4);
    put(&written, subcommand, 1);
    put(&written, status, 1);
    return finish(written);
}

static void
say(struct scene *scene, const struct written *written)
{
    bool from_client = !(written->bytes[2] & SERVER);
    scene_send(scene, from_client, (const char *)written->bytes, written->n, written->n);
}

static void
say_this(struct scene *scene, struct written written)
{
    say(scene, &written);
}

static bool
is_server(uint16_t port)
{
    return port == 5075;
}

static void
open_circuit(struct scene *scene)
{
    scene_open(scene, 5075, 1000);
    scene->settings.is_pvaccess = is_server;
}

/* Both have said something, so that it is known where their messages begin. */
static void
open_begun(struct scene *scene)
{
    open_circuit(scene);
    say_this(scene, message(SERVER | PVA_FLAG_CONTROL, PVA_SET_BYTE_ORDER - PVA_CONTROL));
    say_this(scene, message(CLIENT | PVA_FLAG_CONTROL, PVA_ACK_MARKER - PVA_CONTROL));
}

/* With a channel "PV". */
static void
open_channel(struct scene *scene, unsigned order)
{
    open_circuit(scene);
    say_this(scene, ask_create(order, CID, "PV"));
    say_this(scene, say_create(order, CID, SID, NULL));
}

static const struct ca_channel *
channel(const struct scene *scene, uint32_t number)
{
    return ca_channel_at(scene->analysis->channels, number);
}

static void
say_cut(struct scene *scene, const struct written *written, size_t at)
{
    bool from_client = !(written->bytes[2] & SERVER);
    scene_send(scene, from_client, (const char *)written->bytes, at, at);
    scene_send(scene, from_client, (const char *)written->bytes + at, written->n - at, written->n - at);
}

static void
test_cut(void)
{
    for (unsigned order = 0; order <= BIG; order += BIG) {
        const struct written create = ask_create(order, CID, "LAB:A"), created = say_create(order, CID, SID, "no such");
        for (size_t asked = 1; asked < create.n; asked++)
            for (size_t said = 1; said < created.n; said++) {
                struct scene scene;
                open_begun(&scene);
                say_cut(&scene, &create, asked);
                say_cut(&scene, &created, said);
                g_assert_cmpstr(channel(&scene, 1)->pv, ==, "LAB:A");
                g_assert_cmpint(channel(&scene, 1)->create.outcome, ==, CA_FAILED);
                g_assert_cmpuint(channel(&scene, 1)->create.request_frame, ==, 4);
                g_assert_cmpuint(channel(&scene, 1)->create.answer_frame, ==, 6);
                g_assert_cmpstr(ca_channel_reason(scene.analysis->channels, channel(&scene, 1)), ==, "no such");
                scene_check(&scene, "CREATE_CHANNEL LAB:A 20/26 ERROR!");
            }
    }
}

/* The beginning of an operation and each time that it is carried out are requests of their own. */
static void
test_operations(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_GET, IOID, PVA_SUB_INIT));
    say_this(&scene, answer(0, PVA_GET, IOID, PVA_SUB_INIT, 0xFF));
    for (unsigned i = 0; i < 2; i++) {
        say_this(&scene, ask(0, PVA_GET, IOID, 0));
        say_this(&scene, answer(0, PVA_GET, IOID, 0, 0xFF));
    }
    g_assert_cmpint(channel(&scene, 1)->first_value_ns, ==, 3000); /* from GET_INIT to the first answer */
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , GET_INIT PV 17/14 , GET PV 17/14 , GET PV 17/14 ");
}

/* The first update answers the start; others answer nothing, nor does what says how many more are welcome ask. */
static void
test_monitor(void)
{
    struct scene scene;
    open_channel(&scene, BIG);
    say_this(&scene, ask(BIG, PVA_MONITOR, IOID, PVA_SUB_INIT | PVA_SUB_PIPELINE));
    say_this(&scene, answer(BIG, PVA_MONITOR, IOID, PVA_SUB_INIT, 0xFF));
    say_this(&scene, ask(BIG, PVA_MONITOR, IOID, PVA_SUB_CONTROL | PVA_SUB_GET));
    for (unsigned i = 0; i < 3; i++) {
        say_this(&scene, answer(BIG, PVA_MONITOR, IOID, 0, 0));
        say_this(&scene, ask(BIG, PVA_MONITOR, IOID, PVA_SUB_PIPELINE));
    }
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , MONITOR_INIT PV 17/14 , MONITOR PV 17/14 ");
}

/* From the update before, in nanoseconds, of the update with this number; -1 if that is not known. */
static int64_t
spacing(const struct scene *scene, uint32_t number)
{
    const struct ca_channels *channels = scene->analysis->channels;
    return ca_update_spacing(channels, pool_at(&channels->updates, number));
}

/* Each update but the first is so long after the one before; one that answers a start again has none before. Other
 * monitors and operations between them do not matter. */
static void
test_spacing(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    for (uint32_t ioid = IOID; ioid < IOID + 2; ioid++) {
        say_this(&scene, ask(0, PVA_MONITOR, ioid, PVA_SUB_INIT));
        say_this(&scene, answer(0, PVA_MONITOR, ioid, PVA_SUB_INIT, 0xFF));
        say_this(&scene, ask(0, PVA_MONITOR, ioid, PVA_SUB_CONTROL | PVA_SUB_GET));
    }
    for (unsigned i = 0; i < 3; i++)
        for (uint32_t ioid = IOID; ioid < IOID + 2; ioid++)
            say_this(&scene, answer(0, PVA_MONITOR, ioid, 0, 0));
    say_this(&scene, ask(0, PVA_MONITOR, IOID, PVA_SUB_CONTROL));
    say_this(&scene, ask(0, PVA_MONITOR, IOID, PVA_SUB_CONTROL | PVA_SUB_GET));
    for (unsigned i = 0; i < 2; i++)
        say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    g_assert_cmpuint(scene.analysis->channels->updates.count, ==, 8);
    for (uint32_t number = 1; number <= 8; number++)
        g_assert_cmpint(spacing(&scene, number), ==, number <= 2 || number == 7 ? -1 : number == 8 ? 1000 : 2000);
    /* What ends a monitor is no update. */
    say_this(&scene, answer(0, PVA_MONITOR, IOID, PVA_SUB_DESTROY, 0xFF));
    g_assert_cmpuint(scene.analysis->channels->updates.count, ==, 8);
    scene_close(&scene);
}

/* Of a monitor that was started before the capture, too; but not where an update may be missing. */
static void
test_spacing_unknown(void)
{
    struct scene scene;
    open_begun(&scene);
    for (unsigned i = 0; i < 2; i++)
        say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    scene.seq[false] += 14;
    for (unsigned i = 0; i < 2; i++)
        say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    scene_give_up(&scene);
    g_assert_cmpuint(scene.analysis->channels->updates.count, ==, 4);
    static const int64_t right[] = { -1, 1000, -1, 1000 };
    for (uint32_t number = 1; number <= 4; number++)
        g_assert_cmpint(spacing(&scene, number), ==, right[number - 1]);
    scene_close(&scene);
}

/* The client gets updates in order: what came before the one before it is there with that one. */
static void
test_spacing_out_of_order(void)
{
    struct scene scene;
    const struct written update = answer(0, PVA_MONITOR, IOID, 0, 0);
    const char *bytes = (const char *)update.bytes;
    open_begun(&scene);
    say(&scene, &update);
    scene.seq[false] += (uint32_t)update.n;
    say(&scene, &update);
    scene_send_late(&scene, false, 2 * update.n, bytes, update.n, update.n);
    say(&scene, &update);
    static const int64_t right[] = { -1, 2000, 0, 1000 };
    for (uint32_t number = 1; number <= 4; number++)
        g_assert_cmpint(spacing(&scene, number), ==, right[number - 1]);
    scene_close(&scene);
}

/* An answer in three parts, with a control message between two of them: it ends with the last. */
static void
test_parts(void)
{
    struct written parts = answer(0, PVA_GET, IOID, 0, 0xFF);
    parts.bytes[2] = SERVER | CA_FIRST_PART << PVA_PART_SHIFT;
    put_header(&parts, SERVER | CA_MIDDLE_PART << PVA_PART_SHIFT, PVA_GET, 100);
    parts.n += 100;
    put_header(&parts, SERVER | PVA_FLAG_CONTROL, PVA_SET_MARKER - PVA_CONTROL, 1234);
    put_header(&parts, SERVER | CA_LAST_PART << PVA_PART_SHIFT, PVA_GET, 0);
    for (size_t at = 1; at < parts.n; at++) {
        struct scene scene;
        open_channel(&scene, 0);
        say_this(&scene, ask(0, PVA_GET, IOID, 0));
        say_cut(&scene, &parts, at);
        say_this(&scene, ask(0, PVA_GET, IOID, 0));
        say_this(&scene, answer(0, PVA_GET, IOID, 0, 0xFF));
        const struct ca_exchange *exchange = pool_at(&scene.analysis->channels->exchanges, 1);
        g_assert_cmpint(exchange->request.outcome, ==, CA_OK);
        g_assert_cmpuint(exchange->request.answer_frame, ==, 5);
        scene_check(&scene, "CREATE_CHANNEL PV 17/17 , GET PV 17/138 , GET PV 17/14 ");
    }
}

/* An id that begins another operation is answered for that one alone. */
static void
test_id_again(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_GET, IOID, PVA_SUB_INIT));
    say_this(&scene, ask(0, PVA_GET, IOID, PVA_SUB_INIT));
    say_this(&scene, answer(0, PVA_GET, IOID, PVA_SUB_INIT, 0xFF));
    const struct pool *exchanges = &scene.analysis->channels->exchanges;
    g_assert_cmpint(((const struct ca_exchange *)pool_at(exchanges, 1))->request.outcome, ==, CA_WAITING);
    g_assert_cmpint(((const struct ca_exchange *)pool_at(exchanges, 2))->request.outcome, ==, CA_OK);
    scene_close(&scene);
}

/* Bytes are missing in the middle of a value: the message is whole for all that is asked of it, and the next is found.
 */
static void
test_gap(void)
{
    struct scene scene;
    struct written long_answer = answer(0, PVA_GET, IOID, 0, 0xFF);
    long_answer.n += 400;
    long_answer = finish(long_answer);
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    scene_send(&scene, false, (const char *)long_answer.bytes, 100, 100);
    scene.seq[false] += 200;
    scene_send(&scene, false, (const char *)long_answer.bytes + 300, long_answer.n - 300, long_answer.n - 300);
    scene_give_up(&scene);
    const struct ca_exchange *exchange = pool_at(&scene.analysis->channels->exchanges, 1);
    g_assert_cmpint(exchange->request.outcome, ==, CA_OK);
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    say_this(&scene, answer(0, PVA_GET, IOID, 0, 0xFF));
    exchange = pool_at(&scene.analysis->channels->exchanges, 2);
    g_assert_cmpint(exchange->request.outcome, ==, CA_OK);
    scene_close(&scene);
}

/* What begins in the middle of a message is found at the next one that begins a segment; answers to nothing are
 * counted. */
static void
test_begins_in_the_middle(void)
{
    struct scene scene;
    const struct written rest = { .n = 100 };
    open_circuit(&scene);
    scene_send(&scene, false, (const char *)rest.bytes, rest.n, rest.n);
    say_this(&scene, say_create(0, CID, SID, NULL));
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    say_this(&scene, answer(0, PVA_GET, IOID, 0, 0xFF));
    g_assert_cmpuint(scene.analysis->channels->orphans, ==, 1);
    scene_check(&scene, "GET 17/14 ");
}

/* --- searches --------------------------------------------------------------------------------------------------- */

static const struct endpoint client = { { 10, 0, 0, 1 }, 40000 };
static const struct endpoint servers[2] = { { { 10, 0, 0, 2 }, 5076 }, { { 10, 0, 0, 3 }, 5076 } };

struct found {
    struct ca_channels *channels;
    int64_t time_ns;
    uint32_t references[8];
    unsigned n;
};

static void
note(void *data, uint32_t reference)
{
    struct found *found = data;
    found->references[found->n++] = reference;
}

static void
put_address(struct written *written, const struct endpoint *endpoint)
{
    memset(written->bytes + written->n, 0, PVA_ADDRESS_BYTES);
    if (endpoint) {
        memset(written->bytes + written->n + 10, 0xFF, 2);
        memcpy(written->bytes + written->n + 12, endpoint->address, 4);
    }
    written->n += PVA_ADDRESS_BYTES;
}

static struct written
search(const struct endpoint *reply_to, const char *const *names)
{
    struct written written = message(CLIENT | BIG, PVA_SEARCH);
    unsigned count = 0;
    while (names[count])
        count++;
    put(&written, 1, 4);
    put(&written, 0x80, 4);
    put_address(&written, reply_to);
    put(&written, client.port, 2);
    put(&written, 1, 1);
    put_text(&written, "tcp");
    put(&written, count, 2);
    for (unsigned i = 0; i < count; i++) {
        put(&written, 100 + i, 4);
        put_text(&written, names[i]);
    }
    return finish(written);
}

static struct written
response(uint32_t id, bool found)
{
    struct written written = message(SERVER, PVA_SEARCH_RESPONSE);
    written.n += PVA_GUID_BYTES;
    put(&written, 1, 4);
    put_address(&written, NULL);
    put(&written, 5075, 2);
    put_text(&written, "tcp");
    put(&written, found, 1);
    put(&written, 1, 2);
    put(&written, id, 4);
    return finish(written);
}

static void
take_datagram(struct found *found, const struct endpoint *from, const struct endpoint *to,
              const struct written *written, bool forwarded)
{
    struct ca_message header;
    found->time_ns += 1000;
    struct pva_datagram datagram = {
        *from, *to, false, { found->time_ns, (uint32_t)(found->time_ns / 1000) }, forwarded
    };
    g_assert_true(pva_is_datagram(written->bytes, written->n));
    g_assert_cmpint(pva_message_read(written->bytes, written->n, &header), ==, CA_COMPLETE);
    found->n = 0;
    pva_datagram_take(&datagram, found->channels, &header, written->bytes + PVA_HEADER_BYTES, header.size, note, found);
}

/* Each name of a message is a search; what a server hands on is none again; the second server counts, too. */
static void
test_searches(void)
{
    static const char *const names[] = { "A", "B", NULL };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct found found = { .channels = ca_channels_new(scope) };
    const struct written asked = search(NULL, names), handed_on = search(&client, names);
    const struct written said = response(101, true), none = response(100, false);
    take_datagram(&found, &client, &servers[0], &asked, false);
    g_assert_cmpuint(found.n, ==, 2);
    const struct ca_search *a = ca_subject(found.channels, found.references[0]).search;
    const struct ca_search *b = ca_subject(found.channels, found.references[1]).search;
    g_assert_cmpstr(a->pv, ==, "A");
    g_assert_cmpstr(b->pv, ==, "B");
    take_datagram(&found, &servers[0], &servers[1], &handed_on, true);
    g_assert_cmpuint(b->attempts, ==, 1);
    take_datagram(&found, &client, &servers[0], &asked, false);
    g_assert_cmpuint(b->attempts, ==, 2);
    take_datagram(&found, &servers[1], &client, &said, false);
    g_assert_cmpint(ca_search_time(b), ==, 3000);
    g_assert_cmpint(ca_search_time(a), ==, -1);
    g_assert_cmpuint(b->others, ==, 0);
    take_datagram(&found, &servers[0], &client, &said, false);
    g_assert_cmpuint(b->others, !=, 0);
    take_datagram(&found, &servers[0], &client, &none, false);
    g_assert_true(a->not_found);
    const struct ca_peer *server = ca_peer_at(&found.channels->searches.peers, b->server);
    g_assert_cmpuint(server->endpoint.port, ==, 5075);
    g_assert_cmpmem(server->endpoint.address, 4, servers[1].address, 4);
    wmem_destroy_allocator(scope);
}

/* Cut anywhere, nothing is read behind the end, and what is there is taken. */
static void
test_search_cut(void)
{
    static const char *const names[] = { "LONGER:NAME", "B", NULL };
    const struct written whole = search(NULL, names);
    struct ca_message header;
    for (size_t n = PVA_HEADER_BYTES; n <= whole.n; n++) {
        wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
        struct found found = { .channels = ca_channels_new(scope) };
        struct pva_datagram datagram = { client, servers[0], false, { 1, 1 }, false };
        uint8_t *bytes = g_memdup2(whole.bytes, n);
        g_assert_cmpint(pva_message_read(bytes, n, &header), ==, CA_COMPLETE);
        pva_datagram_take(&datagram, found.channels, &header, bytes + PVA_HEADER_BYTES, n - PVA_HEADER_BYTES, note,
                          &found);
        unsigned there = (n >= whole.n) + (n >= whole.n - 6);
        g_assert_cmpuint(found.channels->searches.pool.count, ==, there);
        g_free(bytes);
        wmem_destroy_allocator(scope);
    }
}

/* What servers say of failures is kept once each, up to 1000 texts of 200 bytes. */
static void
test_reasons(void)
{
    struct scene scene;
    char text[REASON_BYTES_MOST + 2], longest[REASON_BYTES_MOST + 1];
    open_circuit(&scene);
    memset(text, 'x', sizeof text - 1);
    memset(longest, 'x', sizeof longest - 1);
    text[sizeof text - 1] = longest[sizeof longest - 1] = '\0';
    for (uint32_t number = 1; number <= REASONS_MOST + 1; number++) {
        say_this(&scene, ask_create(0, number, "PV"));
        say_this(&scene, say_create(0, number, SID, text));
        const char *reason = ca_channel_reason(scene.analysis->channels, channel(&scene, number));
        g_assert_cmpint(channel(&scene, number)->create.outcome, ==, CA_FAILED);
        g_assert_cmpstr(reason, ==, number == 1 ? longest : number <= REASONS_MOST ? text : "");
        g_snprintf(text, sizeof text, "%u", number);
    }
    g_assert_cmpuint(scene.analysis->channels->reasons.count, ==, REASONS_MOST);
    scene_close(&scene);
}

/* An operation carried out again has been answered; an answer that is missing is not the next one's. */
static void
test_lost_answers(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    scene.seq[false] += 14;
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    say_this(&scene, answer(0, PVA_GET, IOID, 0, 0xFF));
    scene_give_up(&scene);
    const struct pool *exchanges = &scene.analysis->channels->exchanges;
    g_assert_cmpint(((const struct ca_exchange *)pool_at(exchanges, 1))->request.outcome, ==, CA_WAITING);
    g_assert_cmpint(((const struct ca_exchange *)pool_at(exchanges, 2))->request.outcome, ==, CA_OK);
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , GET PV 17 lost, GET PV 17/14 ");
}

/* The first update may be missing: a later one does not answer the start. */
static void
test_lost_first_update(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_MONITOR, IOID, PVA_SUB_CONTROL | PVA_SUB_GET));
    scene.seq[false] += 14;
    say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    scene_give_up(&scene);
    const struct pool *exchanges = &scene.analysis->channels->exchanges;
    g_assert_cmpint(((const struct ca_exchange *)pool_at(exchanges, 1))->request.outcome, ==, CA_WAITING);
    g_assert_cmpint(spacing(&scene, 1), ==, -1);
    g_assert_cmpint(spacing(&scene, 2), ==, 1000);
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , MONITOR PV 17 lost");
}

void
pva_tests_add(void)
{
    g_test_add_func("/pva/reasons", test_reasons);
    g_test_add_func("/pva/lost_answers", test_lost_answers);
    g_test_add_func("/pva/lost_first_update", test_lost_first_update);
    g_test_add_func("/pva/cut", test_cut);
    g_test_add_func("/pva/operations", test_operations);
    g_test_add_func("/pva/monitor", test_monitor);
    g_test_add_func("/pva/spacing", test_spacing);
    g_test_add_func("/pva/spacing_unknown", test_spacing_unknown);
    g_test_add_func("/pva/spacing_out_of_order", test_spacing_out_of_order);
    g_test_add_func("/pva/parts", test_parts);
    g_test_add_func("/pva/id_again", test_id_again);
    g_test_add_func("/pva/gap", test_gap);
    g_test_add_func("/pva/begins_in_the_middle", test_begins_in_the_middle);
    g_test_add_func("/pva/searches", test_searches);
    g_test_add_func("/pva/search_cut", test_search_cut);
}
