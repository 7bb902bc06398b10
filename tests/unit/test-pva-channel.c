/* test-pva-channel.c
 * Channels of pvAccess: created, refused, lost and had again, destroyed; and what else is not about an operation.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/ca/ca_phases.h"
#include "pva-written.h"
#include "unit.h"

enum { MS = 1000000 };

static struct written
say_status(unsigned status, const char *text)
{
    struct written written = message(SERVER, PVA_CREATE_CHANNEL);
    put(&written, CID, 4);
    put(&written, SID, 4);
    put(&written, status, 1);
    put_text(&written, text);
    put_text(&written, "");
    return finish(written);
}

/* So many are asked for; what stands behind them is none. */
static struct written
ask_creates(unsigned count)
{
    struct written written = message(CLIENT, PVA_CREATE_CHANNEL);
    put(&written, count, 2);
    put(&written, CID, 4);
    put_text(&written, "A");
    put(&written, CID + 1, 4);
    put_text(&written, "B");
    return finish(written);
}

/* Those that the message says it asks for, as far as they are there. */
static void
test_several(void)
{
    for (unsigned count = 0; count <= 3; count++) {
        struct scene scene;
        open_begun(&scene);
        say_this(&scene, ask_creates(count));
        g_assert_cmpuint(scene.analysis->channels->channels.count, ==, MIN(count, 2));
        g_assert_cmpuint(scene.connection->tcp->circuit->flow[true].n_noted, ==, 1 + CLAMP(count, 1, 2));
        g_assert_cmpstr(count ? about(&scene, true, 0).channel->pv : NULL, ==,
                        count == 0   ? NULL
                        : count == 1 ? "A"
                                     : "B");
        scene_check(&scene, count == 0 ? "" : "CREATE_CHANNEL A 22 -");
    }
}

/* A warning is none of the reasons why a channel was not created. What has failed has no channel. */
static void
test_statuses(void)
{
    static const struct {
        unsigned status, outcome;
        const char *reason, *get;
    } rows[] = {
        { PVA_OK, CA_OK, "", "GET PV 17 -" },
        { PVA_WARNING, CA_OK, "", "GET PV 17 -" },
        { PVA_ERROR, CA_FAILED, "said", "GET 17 -" },
        { PVA_FATAL, CA_FAILED, "said", "GET 17 -" },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct scene scene;
        open_begun(&scene);
        say_this(&scene, ask_create(0, CID, "PV"));
        say_this(&scene, say_status(rows[i].status, "said"));
        g_assert_cmpint(channel(&scene, 1)->create.outcome, ==, rows[i].outcome);
        g_assert_cmpstr(ca_channel_reason(scene.analysis->channels, channel(&scene, 1), 0), ==, rows[i].reason);
        say_this(&scene, ask(0, PVA_GET, IOID, 0));
        analysis_end(scene.analysis);
        const struct request *get = scene.connection->requests[1];
        char *text = g_strdup_printf("%s %u -", get->operation, (unsigned)get->request_bytes);
        g_assert_cmpstr(text, ==, rows[i].get);
        g_free(text);
        scene_close(&scene);
    }
}

/* What nobody has answered yet is waiting as long as its circuit is open and the timeout has not passed. */
static void
test_waiting(void)
{
    static const struct {
        int64_t timeout_ns;
        bool ends;
        const char *result, *reason;
    } rows[] = {
        { 0, false, "waiting", "" },
        { 0, true, "unanswered", "connection closed" },
        { 3 * MS, false, "waiting", "" },
        { 2 * MS, false, "unanswered", "timed out" },
        { 2 * MS, true, "unanswered", "connection closed" },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct scene scene;
        open_begun(&scene);
        scene.settings.timeout_ns = rows[i].timeout_ns;
        say_this(&scene, ask_create(0, CID, "PV"));
        const struct ca_channel *asked = channel(&scene, 1);
        const int64_t now_ns = asked->create.request_ns + 3 * MS;
        if (rows[i].ends)
            ca_circuit_end(asked->create.circuit, now_ns - 2 * MS);
        g_assert_cmpstr(ca_result_name(ca_channel_result(asked, now_ns)), ==, rows[i].result);
        g_assert_cmpstr(ca_channel_reason(scene.analysis->channels, asked, now_ns), ==, rows[i].reason);
        say_this(&scene, say_create(0, CID, SID, NULL));
        g_assert_cmpstr(ca_result_name(ca_channel_result(asked, now_ns)), ==, "ok");
        scene_close(&scene);
    }
}

/* An answer alone: later messages with its ids are about it, and it has no request. */
static void
test_orphan(void)
{
    struct scene scene;
    open_begun(&scene);
    say_this(&scene, say_create(0, CID, SID, NULL));
    const struct ca_channel *orphan = channel(&scene, 1);
    g_assert_cmpint(orphan->create.outcome, ==, CA_ORPHAN);
    g_assert_cmpuint(orphan->create.request_frame, ==, 0);
    g_assert_cmpuint(orphan->create.answer_frame, ==, scene.frame);
    g_assert_cmpint(orphan->create.answer_ns, ==, orphan->create.request_ns);
    g_assert_cmpuint(scene.analysis->channels->orphans, ==, 1);
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    g_assert_true(about(&scene, true, 0).exchange->channel == 1);
    say_this(&scene, pair_of(CLIENT, PVA_DESTROY_CHANNEL, SID, CID));
    g_assert_true(about(&scene, true, 0).exchange->channel == 1);
    scene_close(&scene);
}

/* Ids that are cut are none: the answer is about nothing. */
static void
test_cut_ids(void)
{
    struct scene scene;
    struct written cut = message(SERVER, PVA_CREATE_CHANNEL);
    put(&cut, CID, 4);
    open_begun(&scene);
    say_this(&scene, ask_create(0, CID, "PV"));
    say_this(&scene, finish(cut));
    g_assert_cmpuint(about(&scene, false, 0).number, ==, 0);
    g_assert_cmpint(channel(&scene, 1)->create.outcome, ==, CA_WAITING);
    g_assert_cmpuint(scene.analysis->channels->orphans, ==, 0);
    for (unsigned sender = CLIENT; sender <= SERVER; sender += SERVER) {
        struct written destroy = message(sender, PVA_DESTROY_CHANNEL);
        put(&destroy, SID, 4);
        say_this(&scene, finish(destroy));
        g_assert_cmpuint(about(&scene, sender == CLIENT, 0).number, ==, 0);
    }
    g_assert_cmpuint(scene.analysis->channels->exchanges.count, ==, 0);
    scene_close(&scene);
}

/* The client asks for it and the server answers; one that the server destroys unasked is about the channel. */
static void
test_destroy(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, pair_of(CLIENT, PVA_DESTROY_CHANNEL, SID, CID));
    say_this(&scene, pair_of(SERVER, PVA_DESTROY_CHANNEL, SID, CID));
    g_assert_cmpint(exchange(&scene, 1)->request.outcome, ==, CA_OK);
    g_assert_true(about(&scene, false, 0).exchange == exchange(&scene, 1));
    say_this(&scene, pair_of(SERVER, PVA_DESTROY_CHANNEL, SID, CID));
    g_assert_null(about(&scene, false, 0).exchange);
    g_assert_true(about(&scene, false, 0).channel == channel(&scene, 1));
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , DESTROY_CHANNEL PV 16/16 ");
}

/* A channel that is created anew with the same id has been created before: the answer that is missing is not the
 * second one's. */
static void
test_created_again(void)
{
    struct scene scene;
    open_begun(&scene);
    say_this(&scene, ask_create(0, CID, "PV"));
    scene.seq[false] += (uint32_t)say_create(0, CID, SID, NULL).n;
    say_this(&scene, ask_create(0, CID, "PV"));
    say_this(&scene, say_create(0, CID, SID, NULL));
    scene_give_up(&scene);
    g_assert_cmpint(channel(&scene, 1)->create.outcome, ==, CA_WAITING);
    g_assert_cmpint(channel(&scene, 2)->create.outcome, ==, CA_OK);
    scene_check(&scene, "CREATE_CHANNEL PV 17 lost, CREATE_CHANNEL PV 17/17 ");
}

/* Where requests and answers are missing, the channel may have been destroyed before, and again. */
static void
test_destroyed_unseen(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, pair_of(CLIENT, PVA_DESTROY_CHANNEL, SID, CID));
    scene.seq[false] += 16;
    scene.seq[true] += 16;
    say_this(&scene, message(CLIENT, PVA_ECHO));
    say_this(&scene, pair_of(SERVER, PVA_DESTROY_CHANNEL, SID, CID));
    scene_give_up(&scene);
    g_assert_cmpint(exchange(&scene, 1)->request.outcome, ==, CA_WAITING);
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , DESTROY_CHANNEL PV 16 lost, ECHO 8 lost");
}

/* For "PV", on a circuit; and that the server has it. */
static struct written
search(void)
{
    struct written written = message(CLIENT, PVA_SEARCH);
    written.n += 8 + PVA_ADDRESS_BYTES; /* sequence, flags, any address */
    put(&written, 5076, 2);
    put(&written, 0, 1);
    put(&written, 1, 2);
    put(&written, CID, 4);
    put_text(&written, "PV");
    return finish(written);
}

static struct written
found(unsigned port)
{
    struct written written = message(SERVER, PVA_SEARCH_RESPONSE);
    written.n += PVA_GUID_BYTES + 4 + PVA_ADDRESS_BYTES;
    put(&written, port, 2);
    put_text(&written, "tcp");
    put(&written, 1, 1);
    put(&written, 1, 2);
    put(&written, CID, 4);
    return finish(written);
}

/* A channel that was searched for again is instead of the one before. A server that names no port is this one. */
static void
test_again(void)
{
    struct scene scene;
    open_begun(&scene);
    for (unsigned i = 1; i <= 3; i++) {
        say_this(&scene, search());
        g_assert_cmpstr(about(&scene, true, 0).search->pv, ==, "PV");
        say_this(&scene, found(i == 2 ? 0 : 5075));
        g_assert_true(about(&scene, false, 0).decides);
        say_this(&scene, ask_create(0, CID, "PV"));
        say_this(&scene, say_create(0, CID, SID, NULL));
        g_assert_cmpuint(channel(&scene, i)->search, ==, i);
        g_assert_cmpuint(channel(&scene, i)->before, ==, i - 1);
    }
    scene_close(&scene);
}

/* The server's first CONNECTION_VALIDATED ends the hello. */
static void
test_hello(void)
{
    struct scene scene;
    open_begun(&scene);
    const struct ca_circuit *circuit = scene.connection->tcp->circuit;
    say_this(&scene, message(CLIENT, PVA_CONNECTION_VALIDATED));
    g_assert_true(circuit->hello_ns == INT64_MIN);
    say_this(&scene, message(SERVER, PVA_CONNECTION_VALIDATED));
    const int64_t hello_ns = circuit->hello_ns;
    g_assert_true(hello_ns != INT64_MIN);
    g_assert_cmpuint(circuit->hello_frame, ==, scene.frame);
    say_this(&scene, message(SERVER, PVA_CONNECTION_VALIDATED));
    g_assert_true(circuit->hello_ns == hello_ns);
    g_assert_cmpuint(circuit->hello_frame, ==, scene.frame - 1);
    scene_close(&scene);
}

/* ECHO has no id: several wait, and are answered in their order. Where an answer is missing, none is known. */
static void
test_echo(void)
{
    struct scene scene;
    open_begun(&scene);
    for (unsigned i = 0; i < 2; i++)
        say_this(&scene, message(CLIENT, PVA_ECHO));
    for (unsigned i = 0; i < 2; i++)
        say_this(&scene, message(SERVER, PVA_ECHO));
    for (unsigned i = 1; i <= 2; i++)
        g_assert_cmpuint(exchange(&scene, i)->request.answer_frame, ==, exchange(&scene, i)->request.request_frame + 2);
    for (unsigned i = 0; i < 2; i++)
        say_this(&scene, message(CLIENT, PVA_ECHO));
    scene.seq[false] += PVA_HEADER_BYTES;
    say_this(&scene, message(SERVER, PVA_ECHO));
    scene_give_up(&scene);
    for (unsigned i = 3; i <= 4; i++)
        g_assert_cmpint(exchange(&scene, i)->request.outcome, ==, CA_WAITING);
    scene_check(&scene, "ECHO 8/8 , ECHO 8/8 , ECHO 8 lost, ECHO 8 lost");
}

void
pva_channel_tests_add(void)
{
    g_test_add_func("/pva_channel/several", test_several);
    g_test_add_func("/pva_channel/statuses", test_statuses);
    g_test_add_func("/pva_channel/waiting", test_waiting);
    g_test_add_func("/pva_channel/orphan", test_orphan);
    g_test_add_func("/pva_channel/cut_ids", test_cut_ids);
    g_test_add_func("/pva_channel/destroy", test_destroy);
    g_test_add_func("/pva_channel/again", test_again);
    g_test_add_func("/pva_channel/created_again", test_created_again);
    g_test_add_func("/pva_channel/destroyed_unseen", test_destroyed_unseen);
    g_test_add_func("/pva_channel/hello", test_hello);
    g_test_add_func("/pva_channel/echo", test_echo);
}
