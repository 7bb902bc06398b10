/* test-databases.c
 * What is particular to PostgreSQL; and statements as operations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "core/protocol/mysql/mysql.h"
#include "core/protocol/sql/sql.h"
#include "core/request/operation.h"
#include "scene.h"
#include "unit.h"

#define SAY(scene, from_client, text) scene_send(scene, from_client, text, sizeof(text) - 1, sizeof(text) - 1)

#define QUERY    "Q\0\0\0\x0dSELECT 1\0"
#define ROW      "T\0\0\0\x1a\0\1a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0D\0\0\0\x0b\0\1\0\0\0\1x"
#define COMPLETE "C\0\0\0\x0dSELECT 1\0"
#define READY    "Z\0\0\0\5I"
#define PARSE    "P\0\0\0\x10\0SELECT 1\0\0\0"
#define BIND     "B\0\0\0\x0c\0\0\0\0\0\0\0\0"
#define EXECUTE  "E\0\0\0\x09\0\0\0\0\0"
#define SYNC     "S\0\0\0\4"
#define FLUSH    "H\0\0\0\4"
#define PARSED   "1\0\0\0\4"
#define BOUND    "2\0\0\0\4"
#define NOTIFY   "A\0\0\0\x0c\0\0\0\1c\0p\0"
#define FAILED                                                                                                         \
    "E\0\0\0\x0c"                                                                                                      \
    "C22012\0\0"

static void
open_scene(struct scene *scene)
{
    scene_open(scene, 80, 1000);
}

/* Encryption is refused; nothing follows that would say whose the answer is. */
static void
test_startup(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, "\0\0\0\x08\x04\xd2\x16\x2f");
    SAY(&scene, false, "N");
    SAY(&scene, true, "\0\0\0\x10\0\3\0\0user\0u\0\0");
    SAY(&scene, false, "R\0\0\0\x08\0\0\0\0" READY);
    SAY(&scene, true, "X\0\0\0\4");
    scene_check(&scene, "SSLRequest 8/1 N, startup 16/15 ");
}

/* That encryption is granted was not captured: it follows from what the client says next. */
static void
test_lost_grant(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, "\0\0\0\x08\x04\xd2\x16\x2f");
    scene.seq[false]++;
    SAY(&scene, true, "\x16\3\1\0\1\1");
    SAY(&scene, false, "\x16\3\3\0\1\2");
    scene_check(&scene, "SSLRequest 8 lost");
}

/* A password is a part of the startup; a connection that fails has no more. */
static void
test_password(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, "\0\0\0\x10\0\3\0\0user\0u\0\0");
    SAY(&scene, false, "R\0\0\0\x0c\0\0\0\5salt");
    SAY(&scene, true, "p\0\0\0\x06x\0");
    SAY(&scene, false, "E\0\0\0\x13SFATAL\0C28P01\0\0");
    scene_check(&scene, "startup 16/33 28P01!");
}

/* What a client says who wants another's query cancelled is not answered. */
static void
test_cancel(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, "\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\1\0\0\0\2");
    scene_check(&scene, "");
}

/* A Sync that comes when all has been answered is a request, and what was notified before is nobody's. */
static void
test_late_sync(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, PARSE BIND EXECUTE FLUSH);
    SAY(&scene, false, PARSED BOUND ROW COMPLETE);
    SAY(&scene, true, SYNC);
    SAY(&scene, false, READY);
    SAY(&scene, false, NOTIFY);
    SAY(&scene, true, QUERY);
    SAY(&scene, false, ROW COMPLETE READY);
    scene_check(&scene, "SELECT ? 40/63 , Sync 5/6 , SELECT ? 14/59 ");
}

/* Terminate while a query is under way asks nothing. */
static void
test_terminate(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, QUERY);
    SAY(&scene, true, "X\0\0\0\4");
    SAY(&scene, false, ROW COMPLETE READY);
    scene_check(&scene, "SELECT ? 14/59 ");
}

/* The answers of two that were in flight are missing: which are skipped after an error is not known. */
static void
test_skipped_after_gap(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, QUERY);
    SAY(&scene, false, ROW COMPLETE READY);
    SAY(&scene, true, PARSE BIND EXECUTE BIND EXECUTE BIND EXECUTE SYNC BIND EXECUTE SYNC);
    scene.seq[false] += sizeof(PARSED BOUND ROW COMPLETE) - 1;
    SAY(&scene, false, BOUND FAILED READY);
    scene_give_up(&scene);
    SAY(&scene, false, BOUND ROW COMPLETE READY);
    scene_check(&scene, "SELECT ? 14/59 , SELECT ? 40 lost, SELECT ? 23 lost, SELECT ? 23 lost, SELECT ? 23/64 ");
}

/* The bytes between two requests are missing, and with them maybe a Sync: what is skipped is not known. */
static void
test_lost_sync(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, QUERY);
    SAY(&scene, false, ROW COMPLETE READY);
    SAY(&scene, true, PARSE BIND EXECUTE);
    scene.seq[true] += sizeof SYNC - 1;
    SAY(&scene, true, BIND EXECUTE SYNC BIND EXECUTE SYNC);
    scene_give_up(&scene);
    SAY(&scene, false, PARSED BOUND FAILED READY);
    SAY(&scene, false, BOUND ROW COMPLETE READY);
    scene_check(&scene, "SELECT ? 14/59 , SELECT ? 40/29 22012!, EXECUTE 23 -, EXECUTE 23 -");
}

/* A request's end is missing, and has been answered: the answer is its own, and not the next one's. */
static void
test_lost_end_of_request(void)
{
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, QUERY);
    SAY(&scene, false, ROW COMPLETE READY);
    scene_send(&scene, true, QUERY, 8, 8);
    scene.seq[true] += 6;
    SAY(&scene, false, FAILED READY);
    SAY(&scene, true, QUERY);
    SAY(&scene, false, ROW COMPLETE READY);
    scene_check(&scene, "SELECT ? 14/59 , SEL\u2026 8/19 22012!, SELECT ? 14/59 ");
}

/* What looks like a message in the middle of a row is none: what follows makes no sense. */
static void
test_middle_of_row(void)
{
    static const char rest[] = "1\0\0\0\4abcd";
    struct scene scene;
    open_scene(&scene);
    SAY(&scene, true, QUERY);
    SAY(&scene, false, ROW COMPLETE READY);
    SAY(&scene, true, QUERY QUERY);
    scene.seq[false] += 20;
    scene_send(&scene, false, rest, sizeof rest - 1, sizeof rest - 1);
    scene_give_up(&scene);
    SAY(&scene, false, COMPLETE READY ROW COMPLETE READY);
    scene_check(&scene, "SELECT ? 14/59 , SELECT ? 14 -, SELECT ? 14 -");
}

static void
test_statements(void)
{
    static const struct {
        const char *text, *postgresql, *mysql;
    } statements[] = {
        { "select 1", "select ?", "select ?" },
        { "  SELECT\n\t1 ,-1.5e-3, .5, 0x1F, a1, t.b2 ;\n", "SELECT ? ,?, ?, ?, a1, t.b2",
          "SELECT ? ,?, ?, ?, a1, t.b2" },
        { "a - 1, b-1, (-1) = -1", "a - ?, b-?, (?) = ?", "a - ?, b-?, (?) = ?" },
        { "'it''s' 'a\\' 'b'", "? ? ?", "? ??" },
        { "E'a\\'b' x'1f' N'a'", "? ? ?", "? ? ?" },
        { "\"a b\" `c\"d`", "\"a b\" `c\"d`", "? `c\"d`" },
        { "DO $x$ a $y$ 'b $x$ LANGUAGE c", "DO ? LANGUAGE c", "DO $x$ a $y$ ?" },
        { "a = $1 AND b=$2", "a = $1 AND b=$2", "a = $1 AND b=$2" },
        { "a/* b /* c */ d */e -- f\ng", "a e g", "a d e g" },
        { "/*!40101 SET x=1 */ # y", "# y", "SET x=?" },
        { "/*M!100100 SET x=1 */; -- y", "empty query", "SET x=?" },
        { "SELECT /*M no */ /*m!1 no */ a", "SELECT a", "SELECT a" },
        { "", "empty query", "empty query" },
        { "-- only a comment", "empty query", "empty query" },
        { "'unfinished", "?", "?" },
    };
    char text[OPERATION_ROOM];
    for (unsigned i = 0; i < G_N_ELEMENTS(statements); i++) {
        const uint8_t *bytes = (const uint8_t *)statements[i].text;
        sql_operation(bytes, strlen(statements[i].text), false, SQL_POSTGRESQL, text);
        g_assert_cmpstr(text, ==, statements[i].postgresql);
        sql_operation(bytes, strlen(statements[i].text), false, SQL_MYSQL, text);
        g_assert_cmpstr(text, ==, statements[i].mysql);
    }
}

/* What is cut says so, be it short without its literals; over 200 bytes it is cut in any case. */
static void
test_long_statements(void)
{
    char text[OPERATION_ROOM];
    static const char cut[] = "INSERT INTO t VALUES (1, 'abc";
    sql_operation((const uint8_t *)cut, sizeof cut - 1, true, SQL_POSTGRESQL, text);
    g_assert_cmpstr(text, ==, "INSERT INTO t VALUES (?, ?\xE2\x80\xA6");
    uint8_t bytes[512];
    memset(bytes, 'x', sizeof bytes);
    for (size_t length = 198; length < 203; length++) {
        for (unsigned is_cut = 0; is_cut < 2; is_cut++) {
            sql_operation(bytes, length, is_cut, SQL_POSTGRESQL, text);
            g_assert_cmpuint(strlen(text), ==, MIN(length, 200) + (length > 200 || is_cut ? 3 : 0));
        }
    }
}

static void
test_names(void)
{
    struct sql_names names = { 0 };
    char name[70];
    for (unsigned i = 0; i <= SQL_NAMES_MOST; i++)
        sql_names_put(NULL, &names, name, (size_t)g_snprintf(name, sizeof name, "s%u", i), name);
    g_assert_null(sql_names_find(&names, "s0", 2));
    g_assert_cmpstr(sql_names_find(&names, "s1", 2), ==, "s1");
    sql_names_put(NULL, &names, "s1", 2, "again");
    g_assert_cmpstr(sql_names_find(&names, "s1", 2), ==, "again");
    sql_names_drop(NULL, &names, "s1", 2);
    g_assert_null(sql_names_find(&names, "s1", 2));
    memset(name, 'x', sizeof name);
    sql_names_put(NULL, &names, name, SQL_NAME_BYTES + 1, "too long");
    g_assert_null(sql_names_find(&names, name, SQL_NAME_BYTES + 1));
    sql_names_free(NULL, &names);
}

#define AS_BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

/* A byte before the numbers 21 and 250 of a file's packets they look like commands; text and what follows tell one. */
static void
test_commands_in_file(void)
{
    static const char rest[] = "1\tx\n", query[] = "\x09\0\0\0\3SELECT 1", ping[] = "\1\0\0\0\x0e";
    char bytes[64];
    g_assert_cmpuint(mysql_find(AS_BYTES("x\n\x08\0\0\x15"
                                         "1\tx\n1\tx\n\x08\0\0\x16"
                                         "1\tx\n1")),
                     ==, 0);
    g_assert_cmpuint(mysql_find(AS_BYTES("x\n\4\0\0\xfa"
                                         "1\tx\n\x40\0\0\xfb"
                                         "1\tx\n1\tx\n")),
                     ==, 0);
    memcpy(bytes, rest, 4);
    memcpy(bytes + 4, query, sizeof query - 1);
    g_assert_cmpuint(mysql_find((const uint8_t *)bytes, 4 + sizeof query - 1), ==, 4);
    memcpy(bytes + 4, ping, sizeof ping - 1);
    g_assert_cmpuint(mysql_find((const uint8_t *)bytes, 4 + sizeof ping - 1), ==, 4);
}

/* What begins as a statement does needs no answer; other commands may be another protocol's. */
static void
test_certain(void)
{
    g_assert_true(mysql_is_certain(AS_BYTES("\x09\0\0\0\3select 1"), 13));
    g_assert_true(mysql_is_certain(AS_BYTES("\1\0\0\0\x0e\x09\0\0\0\3SELECT 1"), 18));
    g_assert_true(mysql_is_certain(AS_BYTES("\x09\0\1\0\3INSERT I"), 65549));
    g_assert_false(mysql_is_certain(AS_BYTES("\1\0\0\0\x0e"), 5));
    g_assert_false(mysql_is_certain(AS_BYTES("\x09\0\0\0\3SELECTED"), 13));
    g_assert_false(mysql_is_certain(AS_BYTES("\x09\0\0\0\2SELECT 1"), 13));
    g_assert_false(mysql_is_certain(AS_BYTES("\x09\0\0\1\3SELECT 1"), 13));
    g_assert_false(mysql_is_certain(AS_BYTES("\x07\0\0\0\3SELECT 1"), 13));
}

/* More commands than an opening keeps are said before any answer. */
static void
test_burst(void)
{
    enum { COMMANDS = 40, BYTES = 2000, HEAD = 4 };
    static const char answer[] = "\7\0\0\1\0\1\0\2\0\0\0";
    struct scene scene;
    char command[HEAD + BYTES] = { (char)(BYTES & 0xff), BYTES >> 8, 0, 0, 3 };
    memset(command + HEAD + 1, 'x', BYTES - 1);
    memcpy(command + HEAD + 1, "INSERT INTO ", strlen("INSERT INTO "));
    open_scene(&scene);
    for (unsigned i = 0; i < COMMANDS; i++)
        scene_send(&scene, true, command, sizeof command, sizeof command);
    for (unsigned i = 0; i < COMMANDS; i++)
        SAY(&scene, false, answer);
    g_assert_cmpuint(scene.connection->n_requests, ==, COMMANDS);
    for (unsigned i = 0; i < COMMANDS; i++)
        g_assert_cmpuint(scene.connection->requests[i]->response.bytes, ==, sizeof answer - 1);
    scene_close(&scene);
}

/* An OK that lacks its first two bytes is none, though what there is could begin a longer one. */
static void
test_answer_after_gap(void)
{
    g_assert_false(mysql_resumes(AS_BYTES("\0\1\0\1\0\2\0\0\0"), false));
    g_assert_true(mysql_resumes(AS_BYTES("\7\0\0\1\0\1\0\2\0\0\0"), false));
    g_assert_true(mysql_resumes(AS_BYTES("\7\0\0\1\0\1\0\2\0\0\0\7\0\0\1"), false));
    g_assert_false(mysql_resumes(AS_BYTES("\7\0\0\1\0\1\0\2\0\0\0\7\0\0\5"), false));
}

void
databases_tests_add(void)
{
    g_test_add_func("/mysql/commands-in-file", test_commands_in_file);
    g_test_add_func("/mysql/certain", test_certain);
    g_test_add_func("/mysql/burst", test_burst);
    g_test_add_func("/mysql/answer-after-gap", test_answer_after_gap);
    g_test_add_func("/postgresql/startup", test_startup);
    g_test_add_func("/postgresql/lost-grant", test_lost_grant);
    g_test_add_func("/postgresql/password", test_password);
    g_test_add_func("/postgresql/cancel", test_cancel);
    g_test_add_func("/postgresql/late-sync", test_late_sync);
    g_test_add_func("/postgresql/terminate", test_terminate);
    g_test_add_func("/postgresql/skipped-after-gap", test_skipped_after_gap);
    g_test_add_func("/postgresql/lost-end-of-request", test_lost_end_of_request);
    g_test_add_func("/postgresql/lost-sync", test_lost_sync);
    g_test_add_func("/postgresql/middle-of-row", test_middle_of_row);
    g_test_add_func("/sql/statements", test_statements);
    g_test_add_func("/sql/long-statements", test_long_statements);
    g_test_add_func("/sql/names", test_names);
}
