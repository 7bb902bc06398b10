/* test-pva.c
 * pvAccess in streams: both byte orders, messages cut, in parts, missing, and ids used again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/ca/ca_phases.h"
#include "pva-written.h"
#include "unit.h"

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
                g_assert_cmpstr(ca_channel_reason(scene.analysis->channels, channel(&scene, 1), 0), ==, "no such");
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
    g_assert_cmpint(ca_channel_first_value(channel(&scene, 1)), ==, 3000); /* from GET_INIT to the first answer */
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

/* One that is started again before its first update still waits for that, from its first start on. */
static void
test_started_again(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    for (unsigned i = 0; i < 2; i++)
        say_this(&scene, ask(0, PVA_MONITOR, IOID, PVA_SUB_CONTROL | PVA_SUB_GET));
    say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    g_assert_cmpuint(exchange(&scene, 1)->request.answer_frame, ==, exchange(&scene, 1)->request.request_frame + 2);
    g_assert_cmpuint(scene.analysis->channels->exchanges.count, ==, 1);
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , MONITOR PV 34/14 ");
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

/* Likewise what carries out the operation that had the id before: its answer, if it comes, may be the other one's. */
static void
test_id_of_another(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    say_this(&scene, ask(0, PVA_GET, IOID, PVA_SUB_INIT));
    say_this(&scene, answer(0, PVA_GET, IOID, 0, 0xFF));
    say_this(&scene, answer(0, PVA_GET, IOID, PVA_SUB_INIT, 0xFF));
    g_assert_cmpint(exchange(&scene, 1)->request.outcome, ==, CA_WAITING);
    g_assert_cmpint(exchange(&scene, 2)->request.outcome, ==, CA_OK);
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , GET PV 17 lost, GET_INIT PV 17/14 ");
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
        const char *reason = ca_channel_reason(scene.analysis->channels, channel(&scene, number), 0);
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
    g_test_add_func("/pva/started_again", test_started_again);
    g_test_add_func("/pva/id_of_another", test_id_of_another);
    g_test_add_func("/pva/spacing", test_spacing);
    g_test_add_func("/pva/spacing_unknown", test_spacing_unknown);
    g_test_add_func("/pva/spacing_out_of_order", test_spacing_out_of_order);
    g_test_add_func("/pva/parts", test_parts);
    g_test_add_func("/pva/id_again", test_id_again);
    g_test_add_func("/pva/gap", test_gap);
    g_test_add_func("/pva/begins_in_the_middle", test_begins_in_the_middle);
}
