/* test-pva-message.c
 * Messages of pvAccess in a stream: long ones, parts, losses within them, and operations whose ids are used again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "pva-written.h"
#include "unit.h"

/* The written message with so many bytes more. */
static struct written
longer(struct written written, size_t bytes)
{
    written.n += bytes;
    return finish(written);
}

/* The head of an answer is missing: nobody can say whose it was. */
static void
test_head_lost(void)
{
    static const struct {
        size_t at;
        const char *right;
    } rows[] = {
        { 8, "CREATE_CHANNEL PV 17/17 , GET PV 17 lost" },
        { 13, "CREATE_CHANNEL PV 17/17 , GET PV 17 lost" },
        { 14, "CREATE_CHANNEL PV 17/17 , GET PV 17/14 " },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct scene scene;
        const struct written said = longer(answer(0, PVA_GET, IOID, 0, 0xFF), 100);
        open_channel(&scene, 0);
        say_this(&scene, ask(0, PVA_GET, IOID, 0));
        say_without(&scene, &said, rows[i].at, 100);
        scene_give_up(&scene);
        g_assert_cmpuint(scene.connection->tcp->circuit->losses[false], ==, i < 2);
        GString *text = g_string_new(rows[i].right);
        if (i == 2) /* what there is of it */
            g_string_overwrite(text, text->len - 3, "14");
        scene_check(&scene, text->str);
        g_string_free(text, TRUE);
    }
}

/* A client's request says in its first 64 bytes what it asks, an answer that is all right in six: what a gap takes of
 * the rest does not matter. */
static void
test_values_lost(void)
{
    struct scene scene;
    const struct written asked = longer(ask(0, PVA_PUT, IOID, 0), 1000);
    const struct written said = longer(answer(0, PVA_PUT, IOID, 0, 0xFF), 1000);
    open_channel(&scene, 0);
    say_without(&scene, &asked, 80, 200);
    say_without(&scene, &said, 14, 200);
    scene_give_up(&scene);
    g_assert_cmpint(exchange(&scene, 1)->request.outcome, ==, CA_OK);
    g_assert_cmpuint(scene.connection->tcp->circuit->losses[false] + scene.connection->tcp->circuit->losses[true], ==, 0);
    scene_close(&scene);
}

static void
check_noted(struct scene *scene, const char *right)
{
    char *text = noted_text(scene, false);
    g_assert_cmpstr(text, ==, right);
    g_free(text);
}

/* Each part is noted where it begins, and what is between two; the last is the message. All are about its channel. */
static void
test_parts_noted(void)
{
    struct scene scene;
    struct written parts = answer(0, PVA_GET, IOID, 0, 0xFF);
    parts.bytes[2] = SERVER | CA_FIRST_PART << PVA_PART_SHIFT;
    put_header(&parts, SERVER | CA_MIDDLE_PART << PVA_PART_SHIFT, PVA_GET, 0);
    put_header(&parts, SERVER | PVA_FLAG_CONTROL, PVA_SET_MARKER - PVA_CONTROL, 1234);
    put_header(&parts, SERVER | CA_LAST_PART << PVA_PART_SHIFT, PVA_GET, 0);
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    say(&scene, &parts);
    say_this(&scene, message(SERVER, PVA_MESSAGE));
    check_noted(&scene, "CREATE_CHANNEL@0, part@17, part@31, SET_MARKER@39, GET@47, MESSAGE@55");
    g_assert_true(about(&scene, false, 1).exchange == exchange(&scene, 1));
    g_assert_null(about(&scene, false, 2).channel);
    g_assert_true(about(&scene, false, 3).channel == channel(&scene, 1));
    g_assert_true(about(&scene, false, 4).channel == channel(&scene, 1));
    struct written asked = ask(0, PVA_PUT, IOID, 0);
    asked.bytes[2] = CA_FIRST_PART << PVA_PART_SHIFT;
    put_header(&asked, CA_LAST_PART << PVA_PART_SHIFT, PVA_PUT, 0);
    say(&scene, &asked);
    g_assert_true(about(&scene, true, 1).channel == channel(&scene, 1));
    g_assert_true(about(&scene, true, 0).exchange == exchange(&scene, 2));
    scene_close(&scene);
}

/* The snap length hides the head of an answer's next part: nobody can say where it ends. */
static void
test_parts_snapped(void)
{
    for (unsigned part = CA_WHOLE; part <= CA_FIRST_PART; part++) {
        struct scene scene;
        struct written said = longer(answer(0, PVA_GET, IOID, 0, 0xFF), 100);
        said.bytes[2] = (uint8_t)(SERVER | part << PVA_PART_SHIFT);
        put_header(&said, SERVER | CA_LAST_PART << PVA_PART_SHIFT, PVA_GET, 0);
        open_begun(&scene);
        say_this(&scene, ask(0, PVA_GET, IOID, 0));
        scene_send(&scene, false, (const char *)said.bytes, said.n, 50);
        g_assert_cmpuint(scene.connection->requests[0]->cut, ==, part == CA_FIRST_PART);
        scene_check(&scene, "GET 17/114 ");
    }
}

/* What follows a part and is not the next makes no sense; one that begins a segment is found again. */
static void
test_parts_broken(void)
{
    static const struct {
        unsigned part, command;
    } rows[] = { { CA_LAST_PART, PVA_PUT }, { CA_WHOLE, PVA_GET }, { CA_FIRST_PART, PVA_GET } };
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct scene scene;
        struct written first = answer(0, PVA_GET, IOID, 0, 0xFF);
        first.bytes[2] = SERVER | CA_FIRST_PART << PVA_PART_SHIFT;
        put_header(&first, SERVER | rows[i].part << PVA_PART_SHIFT, rows[i].command, 0);
        open_begun(&scene);
        say_this(&scene, ask(0, PVA_GET, IOID, 0));
        say(&scene, &first);
        g_assert_cmpuint(scene.connection->tcp->circuit->losses[false], ==, 1);
        say_this(&scene, message(SERVER, PVA_MESSAGE));
        check_noted(&scene, "SET_BYTE_ORDER@0, part@8, MESSAGE@30");
        scene_close(&scene);
    }
}

/* The first part is missing: the others are shown as parts, and answer nothing. */
static void
test_rest_of_parts(void)
{
    struct scene scene;
    struct written rest = { .n = 0 };
    put_header(&rest, SERVER | CA_MIDDLE_PART << PVA_PART_SHIFT, PVA_GET, 8);
    put(&rest, IOID, 8);
    put_header(&rest, SERVER | CA_LAST_PART << PVA_PART_SHIFT, PVA_GET, 0);
    open_begun(&scene);
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    say(&scene, &rest);
    check_noted(&scene, "SET_BYTE_ORDER@0, part@8, part@24");
    g_assert_cmpint(exchange(&scene, 1)->request.outcome, ==, CA_WAITING);
    g_assert_cmpuint(scene.connection->tcp->circuit->losses[false], ==, 1);
    rest = (struct written){ .n = 0 };
    put_header(&rest, SERVER | CA_LAST_PART << PVA_PART_SHIFT, PVA_GET, 8);
    put(&rest, IOID, 8);
    say(&scene, &rest);
    check_noted(&scene, "SET_BYTE_ORDER@0, part@8, part@24, part@32");
    g_assert_cmpuint(scene.connection->tcp->circuit->losses[false], ==, 2);
    scene_check(&scene, "GET 17 lost");
}

/* Answers in another order than the requests: each has its own. */
static void
test_keys(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    for (uint32_t i = 0; i < 2; i++) {
        say_this(&scene, ask(0, PVA_GET, IOID + i, 0));
        say_this(&scene, pair_of(CLIENT, PVA_DESTROY_CHANNEL, SID, CID + i));
    }
    for (uint32_t i = 2; i-- > 0;) {
        const struct written said = longer(answer(0, PVA_GET, IOID + i, 0, 0xFF), i);
        const struct written destroyed = longer(pair_of(SERVER, PVA_DESTROY_CHANNEL, SID, CID + i), i);
        say(&scene, &said);
        say(&scene, &destroyed);
    }
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , GET PV 17/14 , DESTROY_CHANNEL PV 16/16 , "
                        "GET PV 17/15 , DESTROY_CHANNEL PV 16/17 ");
}

/* An operation that begins anew with an id is another one: what waited for the first will get no answer. */
static void
test_begun_again(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_GET, IOID, PVA_SUB_INIT));
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    say_this(&scene, ask(0, PVA_GET, IOID, PVA_SUB_INIT));
    say_this(&scene, answer(0, PVA_GET, IOID, 0, 0xFF));
    for (unsigned i = 1; i <= 3; i++)
        g_assert_cmpint(exchange(&scene, i)->request.outcome, ==, CA_WAITING);
    g_assert_true(about(&scene, false, 0).channel == channel(&scene, 1));
    scene_close(&scene);
}

/* A MONITOR that is started again while it waits asks no more than once; later it asks again. */
static void
test_started_again(void)
{
    struct scene scene;
    const unsigned start = PVA_SUB_CONTROL | PVA_SUB_GET;
    open_channel(&scene, 0);
    for (unsigned i = 0; i < 2; i++)
        say_this(&scene, ask(0, PVA_MONITOR, IOID, start));
    g_assert_cmpuint(scene.analysis->channels->exchanges.count, ==, 1);
    g_assert_null(about(&scene, true, 0).exchange);
    g_assert_true(about(&scene, true, 0).channel == channel(&scene, 1));
    say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    say_this(&scene, ask(0, PVA_MONITOR, IOID, PVA_SUB_CONTROL)); /* stops */
    g_assert_cmpuint(scene.analysis->channels->exchanges.count, ==, 1);
    say_this(&scene, ask(0, PVA_MONITOR, IOID, start));
    g_assert_cmpuint(scene.analysis->channels->exchanges.count, ==, 2);
    scene_close(&scene);
}

/* A loss before the start tells nothing of it, and the first update has none before it. */
static void
test_started_behind_loss(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    scene.seq[false] += 14;
    say_this(&scene, answer(0, PVA_MONITOR, IOID + 1, 0, 0));
    scene_give_up(&scene);
    say_this(&scene, ask(0, PVA_MONITOR, IOID, PVA_SUB_CONTROL | PVA_SUB_GET));
    say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    const struct ca_exchange *monitor = exchange(&scene, 2);
    g_assert_cmpint(monitor->request.outcome, ==, CA_OK);
    g_assert_cmpuint(monitor->updated, ==, 2);
    g_assert_cmpint(spacing(&scene, 2), ==, -1);
    g_assert_cmpint(exchange(&scene, 1)->request.outcome, ==, CA_ORPHAN);
    g_assert_cmpuint(exchange(&scene, 1)->request.request_frame, ==, 0);
    scene_close(&scene);
}

/* Updates of a monitor that was begun in the capture, but not started, are about its channel. */
static void
test_start_missing(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_MONITOR, IOID, PVA_SUB_INIT));
    say_this(&scene, answer(0, PVA_MONITOR, IOID, PVA_SUB_INIT, 0xFF));
    say_this(&scene, answer(0, PVA_MONITOR, IOID, 0, 0));
    g_assert_cmpuint(about(&scene, false, 0).exchange->channel, ==, 1);
    scene_close(&scene);
}

/* A server that acknowledges what the capture does not have may answer that: what has the same id is nobody's. */
static void
test_requests_lost(void)
{
    for (unsigned lost = 0; lost < 2; lost++) {
        struct scene scene;
        open_channel(&scene, 0);
        say_this(&scene, ask(0, PVA_GET, IOID, 0));
        scene.seq[true] += 17 * lost;
        scene.seq[false] += 14 * lost;
        say_this(&scene, answer(0, PVA_GET, IOID, 0, 0xFF));
        scene_give_up(&scene);
        g_assert_cmpint(exchange(&scene, 1)->request.outcome, ==, lost ? CA_WAITING : CA_OK);
        scene_check(&scene, lost ? "CREATE_CHANNEL PV 17/17 , GET PV 17 lost" : "CREATE_CHANNEL PV 17/17 , GET PV 17/14 ");
    }
}

/* The name is of the channel with the sid, and the status the server's; DESTROY_REQUEST, CANCEL_REQUEST and MESSAGE
 * have an operation's id. */
static void
test_commands(void)
{
    struct scene scene;
    open_channel(&scene, 0);
    say_this(&scene, pair_of(CLIENT, PVA_GET_FIELD, SID, IOID));
    struct written field = message(SERVER, PVA_GET_FIELD);
    put(&field, IOID, 4);
    put(&field, PVA_ERROR, 1);
    put_text(&field, "no field");
    put_text(&field, "");
    say_this(&scene, finish(field));
    say_this(&scene, ask(0, PVA_RPC, IOID, PVA_SUB_INIT));
    say_this(&scene, answer(0, PVA_RPC, IOID, PVA_SUB_INIT, 0xFF));
    static const unsigned ends[] = { PVA_DESTROY_REQUEST, PVA_CANCEL_REQUEST };
    for (unsigned i = 0; i < G_N_ELEMENTS(ends); i++) {
        say_this(&scene, pair_of(CLIENT, ends[i], SID, IOID));
        g_assert_true(about(&scene, true, 0).channel == channel(&scene, 1));
    }
    for (uint32_t ioid = IOID; ioid < IOID + 2; ioid++) {
        struct written said = message(SERVER, PVA_MESSAGE);
        put(&said, ioid, 4);
        say_this(&scene, finish(said));
        g_assert_true(about(&scene, false, 0).channel == (ioid == IOID ? channel(&scene, 1) : NULL));
    }
    say_this(&scene, pair_of(CLIENT, PVA_AUTHNZ, SID, SID));
    g_assert_cmpuint(about(&scene, true, 0).number, ==, 0);
    scene_check(&scene, "CREATE_CHANNEL PV 17/17 , GET_FIELD PV 16/23 ERROR!, RPC_INIT PV 17/14 ");
}

/* An answer without a status that its sender cut short: whose it is cannot be told, nor what comes behind it. */
static void
test_answer_short(void)
{
    struct scene scene;
    struct written cut = message(SERVER, PVA_GET);
    put(&cut, IOID, 4);
    open_channel(&scene, 0);
    say_this(&scene, ask(0, PVA_GET, IOID, 0));
    say_this(&scene, finish(cut));
    g_assert_cmpuint(scene.connection->tcp->circuit->losses[false], ==, 1);
    g_assert_cmpuint(about(&scene, false, 0).number, ==, 0);
    g_assert_cmpint(exchange(&scene, 1)->request.outcome, ==, CA_WAITING);
    scene_close(&scene);
}

enum { PLAUSIBLE = 1, OPENS = 2, DATAGRAM = 4 };

/* What bytes can be: magic number, version, flags, command and size, and so many times. */
static void
test_headers(void)
{
    static const struct {
        uint8_t header[4];
        uint32_t size;
        unsigned times;
        enum ca_reading reading;
        unsigned right;
    } rows[] = {
        { { 0xCA, 1, 0, PVA_SEARCH }, 0, 1, CA_COMPLETE, PLAUSIBLE | DATAGRAM },
        { { 0xCA, 2, SERVER | BIG, PVA_BEACON }, 0, 3, CA_COMPLETE, PLAUSIBLE | DATAGRAM },
        { { 0xCA, 2, SERVER, PVA_SEARCH_RESPONSE }, 0, 1, CA_COMPLETE, PLAUSIBLE | DATAGRAM },
        { { 0xCA, 2, SERVER, PVA_ORIGIN_TAG }, 0, 1, CA_COMPLETE, PLAUSIBLE | DATAGRAM },
        { { 0xCA, 2, SERVER | CA_FIRST_PART << PVA_PART_SHIFT, PVA_SEARCH }, 0, 1, CA_COMPLETE, PLAUSIBLE },
        { { 0xCA, 2, SERVER, PVA_GET }, 0, 1, CA_COMPLETE, PLAUSIBLE },
        { { 0xCA, 2, SERVER, PVA_ORIGIN_TAG + 1 }, 0, 1, CA_IMPOSSIBLE, 0 },
        { { 0xCA, 8, SERVER, PVA_SEARCH }, 0, 1, CA_COMPLETE, PLAUSIBLE | DATAGRAM },
        { { 0xCA, 9, SERVER, PVA_SEARCH }, 0, 1, CA_COMPLETE, 0 },
        { { 0xCA, 2, SERVER | 0x02, PVA_SEARCH }, 0, 1, CA_COMPLETE, 0 },
        { { 0xCA, 0, SERVER, PVA_SEARCH }, 0, 1, CA_IMPOSSIBLE, 0 },
        { { 0xCB, 2, SERVER, PVA_SEARCH }, 0, 1, CA_IMPOSSIBLE, 0 },
        { { 0xCA, 2, SERVER, PVA_GET }, CA_SIZE_MOST, 1, CA_COMPLETE, PLAUSIBLE },
        { { 0xCA, 2, SERVER, PVA_GET }, CA_SIZE_MOST + 1, 1, CA_IMPOSSIBLE, 0 },
        { { 0xCA, 2, SERVER, PVA_CONNECTION_VALIDATION }, 0, 1, CA_COMPLETE, PLAUSIBLE | OPENS },
        { { 0xCA, 2, SERVER, PVA_CONNECTION_VALIDATED }, 0, 1, CA_COMPLETE, PLAUSIBLE },
        { { 0xCA, 2, SERVER | 1, 2 }, UINT32_MAX, 2, CA_COMPLETE, PLAUSIBLE | OPENS },
        { { 0xCA, 9, SERVER | 1, 2 }, 0, 1, CA_COMPLETE, 0 },
        { { 0xCA, 2, SERVER | 1, 3 }, 0, 1, CA_COMPLETE, PLAUSIBLE },
        { { 0xCA, 2, SERVER | 1, 4 }, 0, 1, CA_COMPLETE, PLAUSIBLE },
        { { 0xCA, 2, SERVER | 1, 5 }, 0, 1, CA_IMPOSSIBLE, 0 },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct ca_message header;
        struct written written = { .n = 0 };
        for (unsigned j = 0; j < rows[i].times; j++) {
            put_header(&written, rows[i].header[2], rows[i].header[3], rows[i].size);
            memcpy(written.bytes + written.n - PVA_HEADER_BYTES, rows[i].header, sizeof rows[i].header);
        }
        const uint8_t *bytes = written.bytes;
        g_assert_cmpint(pva_message_read(bytes, written.n, &header), ==, rows[i].reading);
        g_assert_cmpint(pva_message_read(bytes, 7, &header), ==, bytes[0] == 0xCA ? CA_CUT : CA_IMPOSSIBLE);
        const unsigned is = (pva_messages_are_plausible(bytes, written.n) ? PLAUSIBLE : 0) +
                            (pva_messages_open_circuit(bytes, written.n) ? OPENS : 0) +
                            (pva_is_datagram(bytes, written.n) ? DATAGRAM : 0);
        g_assert_cmpuint(is, ==, rows[i].right);
        written.n += 8; /* nonsense behind it */
        if (rows[i].size == 0)
            g_assert_false(pva_messages_are_plausible(written.bytes, written.n) ||
                           pva_messages_open_circuit(written.bytes, written.n) ||
                           pva_is_datagram(written.bytes, written.n));
    }
}

/* Nothing is nothing; of a header alone nobody can say who sent it until it is whole. */
static void
test_bare(void)
{
    const struct written asked = message(CLIENT, PVA_SEARCH), said = message(SERVER, PVA_SEARCH_RESPONSE);
    struct ca_message header;
    g_assert_cmpint(pva_message_read(asked.bytes, 0, &header), ==, CA_CUT);
    g_assert_false(pva_messages_are_plausible(asked.bytes, 0) || pva_is_datagram(asked.bytes, 0));
    g_assert_cmpint(pva_messages_sender(asked.bytes, 7), ==, CA_UNKNOWN_SENDER);
    g_assert_cmpint(pva_messages_sender(asked.bytes, 8), ==, CA_CLIENT);
    g_assert_cmpint(pva_messages_sender(said.bytes, 8), ==, CA_SERVER);
    g_assert_true(pva_messages_are_plausible(said.bytes, 8) && pva_is_datagram(said.bytes, 8));
}

/* Sizes of one byte and of five, and none; texts that are not there, names that are cut, by a zero or at their most. */
static void
test_cursor(void)
{
    static const uint8_t sizes[] = { 3, 254, 1, 2, 0, 0, 255, 253 };
    struct pva_cursor cursor = pva_cursor_of(sizes, sizeof sizes, false);
    static const uint32_t right[] = { 3, 0x201, PVA_NULL_SIZE, 253 };
    for (unsigned i = 0; i < G_N_ELEMENTS(right); i++)
        g_assert_cmpuint(pva_read_size(&cursor), ==, right[i]);
    g_assert_false(cursor.failed);
    g_assert_cmpuint(pva_read_size(&cursor), ==, 0);
    g_assert_true(cursor.failed);
    static const uint8_t texts[] = { 255, 0, 2, 'a', 'b', 9, 'c' };
    cursor = pva_cursor_of(texts, sizeof texts, false);
    g_assert_null(pva_read_text(&cursor).bytes);
    g_assert_null(pva_read_text(&cursor).bytes);
    const struct pva_text ab = pva_read_text(&cursor);
    g_assert_true(ab.length == 2 && memcmp(ab.bytes, "ab", 2) == 0);
    g_assert_false(cursor.failed);
    g_assert_null(pva_read_text(&cursor).bytes);
    g_assert_true(cursor.failed);
    static const struct {
        const char *bytes, *name;
        size_t there, left;
    } names[] = {
        { "\3abcX", "abc", 5, 1 }, { "\3a\0cX", "a", 5, 1 },    { "\5abc", "abc…", 4, 0 },
        { "\5a\0c", "a", 4, 0 },   { "\5", "", 1, 0 },         { "\xFFX", "", 2, 1 },
        { "", "", 0, 0 },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        char name[PVA_NAME_ROOM];
        uint8_t *bytes = g_memdup2(names[i].bytes, names[i].there);
        cursor = pva_cursor_of(bytes, names[i].there, false);
        g_assert_cmpuint(pva_read_name(&cursor, name), ==, strlen(names[i].name));
        g_assert_cmpstr(name, ==, names[i].name);
        g_assert_true(cursor.failed || cursor.available - cursor.at == names[i].left);
        g_free(bytes);
    }
    uint8_t longest[PVA_NAME_MOST + 6] = { 254, (PVA_NAME_MOST + 1) & 0xFF, (PVA_NAME_MOST + 1) >> 8 };
    memset(longest + 5, 'x', PVA_NAME_MOST + 1);
    char name[PVA_NAME_ROOM];
    cursor = pva_cursor_of(longest, sizeof longest, false);
    g_assert_cmpuint(pva_read_name(&cursor, name), ==, PVA_NAME_MOST);
    g_assert_cmpuint(cursor.at, ==, sizeof longest);
    static const uint8_t statuses[] = { 0xFF, 1, 1, 'w', 1, 't', 3, 0, 0 };
    static const unsigned types[] = { PVA_OK_ALONE, PVA_WARNING, PVA_FATAL };
    cursor = pva_cursor_of(statuses, sizeof statuses, false);
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
        const struct pva_status status = pva_read_status(&cursor);
        g_assert_cmpuint(status.type, ==, types[i]);
        g_assert_true(pva_status_failed(&status) == (i == 2));
        g_assert_cmpuint(status.call_tree.length, ==, i == 1);
    }
    g_assert_true(!cursor.failed && cursor.at == sizeof statuses);
}

void
pva_message_tests_add(void)
{
    g_test_add_func("/pva_message/headers", test_headers);
    g_test_add_func("/pva_message/bare", test_bare);
    g_test_add_func("/pva_message/cursor", test_cursor);
    g_test_add_func("/pva_message/head_lost", test_head_lost);
    g_test_add_func("/pva_message/values_lost", test_values_lost);
    g_test_add_func("/pva_message/parts_noted", test_parts_noted);
    g_test_add_func("/pva_message/parts_snapped", test_parts_snapped);
    g_test_add_func("/pva_message/parts_broken", test_parts_broken);
    g_test_add_func("/pva_message/rest_of_parts", test_rest_of_parts);
    g_test_add_func("/pva_message/keys", test_keys);
    g_test_add_func("/pva_message/begun_again", test_begun_again);
    g_test_add_func("/pva_message/started_again", test_started_again);
    g_test_add_func("/pva_message/started_behind_loss", test_started_behind_loss);
    g_test_add_func("/pva_message/start_missing", test_start_missing);
    g_test_add_func("/pva_message/requests_lost", test_requests_lost);
    g_test_add_func("/pva_message/commands", test_commands);
    g_test_add_func("/pva_message/answer_short", test_answer_short);
}
