/* test-ca-message.c
 * Headers of Channel Access in both forms, what is no header, and where a circuit may be read from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "core/ca/ca_dbr.h"
#include "core/ca/ca_message.h"
#include "core/ca/ca_names.h"

#define BYTES(literal) (const uint8_t *)(literal), sizeof(literal) - 1

/* command, size, type, count: two bytes each; the ids are 8 more */
#define NO_IDS "\0\0\0\0\0\0\0\0"

static void
test_header(void)
{
    struct ca_message message;
    g_assert_cmpint(ca_message_read(BYTES("\0\x12\0\x10\0\1\0\2\0\0\0\3\xff\0\0\4"), &message), ==, CA_COMPLETE);
    g_assert_cmpuint(message.command, ==, CA_CREATE_CHAN);
    g_assert_cmpuint(message.size, ==, 16);
    g_assert_cmpuint(message.type, ==, 1);
    g_assert_cmpuint(message.count, ==, 2);
    g_assert_cmpuint(message.p1, ==, 3);
    g_assert_cmpuint(message.p2, ==, 0xFF000004);
    g_assert_cmpuint(message.header_bytes, ==, CA_HEADER_BYTES);
}

static void
test_extended_header(void)
{
    static const uint8_t large[] = "\0\x0f\xff\xff\0\6\0\0\0\0\0\1\0\0\0\2\0\x0f\x42\x40\0\1\xe8\x48";
    static const uint8_t small[] = "\0\x12\xff\xff\0\6\0\0\0\0\0\1\0\0\0\2\0\0\0\0\0\1\xe8\x48";
    struct ca_message message;
    g_assert_cmpint(ca_message_read(large, 24, &message), ==, CA_COMPLETE);
    g_assert_cmpuint(message.size, ==, 1000000);
    g_assert_cmpuint(message.count, ==, 125000);
    g_assert_cmpuint(message.header_bytes, ==, CA_EXTENDED_HEADER_BYTES);
    g_assert_cmpint(ca_message_read(small, 24, &message), ==, CA_COMPLETE);
    g_assert_cmpuint(message.size, ==, 0);
    g_assert_cmpuint(message.count, ==, 125000);
    for (size_t available = 0; available < 24; available++)
        g_assert_cmpint(ca_message_read(large, available, &message), ==, CA_CUT);
}

static void
test_impossible(void)
{
    struct ca_message message;
    g_assert_cmpint(ca_message_read(BYTES("\0\x1c\0\0\0\0\0\0" NO_IDS), &message), ==, CA_IMPOSSIBLE); /* command 28 */
    g_assert_cmpint(ca_message_read(BYTES("\0\x12\0\5\0\0\0\0" NO_IDS), &message), ==, CA_IMPOSSIBLE); /* misaligned */
    g_assert_cmpint(ca_message_read(BYTES("\0\x0f\xff\xff\0\6\0\0" NO_IDS "\x20\0\0\0\0\0\0\0"), &message), ==,
                    CA_IMPOSSIBLE); /* 512 MiB */
    g_assert_cmpint(ca_message_read(BYTES("\0\x0f\xff\xff\0\6\0\1" NO_IDS), &message), ==, CA_IMPOSSIBLE);
}

/* The middle of arrays, which a header's checks alone would let pass. */
static void
test_implausible(void)
{
    static const struct {
        const char *name;
        const uint8_t *bytes;
        size_t n;
    } rows[] = {
        { "zeros", BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0") },
        { "shorts 1 0", BYTES("\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0") },
        { "longs 0x20000", BYTES("\0\2\0\0\0\2\0\0\0\2\0\0\0\2\0\0") },
        { "longs 0x30000", BYTES("\0\3\0\0\0\3\0\0\0\3\0\0\0\3\0\0") },
        { "shorts 8", BYTES("\0\x08\0\x08\0\x08\0\x08\0\x08\0\x08\0\x08\0\x08") },
        { "shorts 24", BYTES("\0\x18\0\x18\0\x18\0\x18\0\x18\0\x18\0\x18\0\x18") },
        { "doubles 1e-308", BYTES("\0\7\x30\0\0\0\0\0\0\7\x30\0\0\0\0\0") },
        { "text", BYTES("configure the PV") },
        { "snapshot", BYTES("\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\1") },
        { "echo with ids", BYTES("\0\x17\0\0\0\0\0\0\0\0\0\1\0\0\0\1") },
        { "read of no type", BYTES("\0\x0f\0\0\0\x27\0\1\0\0\0\1\0\0\0\1") },
        { "read of a wrong size", BYTES("\0\x0f\0\x10\0\6\0\1\0\0\0\1\0\0\0\1") },
        { "version, then zeros", BYTES("\0\0\0\0\0\0\0\x0d" NO_IDS "\0\0\0\0\0\0\0\0" NO_IDS) },
        { "cut", BYTES("\0\0\0\0\0\0\0\x0d") },
        { "nothing", BYTES("") },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_test_message("%s", rows[i].name);
        g_assert_false(ca_messages_are_plausible(rows[i].bytes, rows[i].n));
    }
}

/* Header, payload size and sender of a plausible message of each kind. */
static void
test_plausible(void)
{
    static const struct {
        const uint8_t *bytes;
        enum ca_sender sender;
    } rows[] = {
        { (const uint8_t *)"\0\0\0\0\0\0\0\x0d" NO_IDS, CA_UNKNOWN_SENDER },
        { (const uint8_t *)"\0\0\0\0\0\1\0\x0d\0\0\0\7\0\0\0\0", CA_UNKNOWN_SENDER },
        { (const uint8_t *)"\0\1\0\x10\0\x14\0\1\0\0\0\1\0\0\0\2", CA_UNKNOWN_SENDER },
        { (const uint8_t *)"\0\1\0\x18\0\x14\0\1\0\0\0\1\0\0\0\2", CA_SERVER },
        { (const uint8_t *)"\0\2\0\0\0\x14\0\1\0\0\0\1\0\0\0\2", CA_CLIENT },
        { (const uint8_t *)"\0\3\0\0\0\6\0\1\0\0\0\1\0\0\0\2", CA_CLIENT },
        { (const uint8_t *)"\0\3\0\x08\0\6\0\1\0\0\0\1\0\0\0\2", CA_SERVER },
        { (const uint8_t *)"\0\4\0\x08\0\0\0\1\0\0\0\1\0\0\0\2", CA_CLIENT }, /* a short string */
        { (const uint8_t *)"\0\6\0\x10\0\5\0\x0d\0\0\0\1\0\0\0\1", CA_CLIENT },
        { (const uint8_t *)"\0\6\0\x08\x13\xc8\0\0\xff\xff\xff\xff\0\0\0\1", CA_SERVER },
        { (const uint8_t *)"\0\x0b\0\x20\0\0\0\0\0\0\0\1\0\0\0\x8e", CA_SERVER },
        { (const uint8_t *)"\0\x0c\0\0\0\0\0\0\0\0\0\1\0\0\0\2", CA_UNKNOWN_SENDER },
        { (const uint8_t *)"\0\x0f\0\0\0\6\0\0\0\0\0\1\0\0\0\2", CA_CLIENT },
        { (const uint8_t *)"\0\x0f\0\x08\0\6\0\1\0\0\0\1\0\0\0\2", CA_SERVER },
        { (const uint8_t *)"\0\x12\0\x08\0\0\0\0\0\0\0\1\0\0\0\x0d", CA_CLIENT },
        { (const uint8_t *)"\0\x12\0\0\0\6\0\1\0\0\0\1\0\0\0\2", CA_SERVER },
        { (const uint8_t *)"\0\x13\0\0\0\6\0\1\0\0\0\1\0\0\0\2", CA_SERVER },
        { (const uint8_t *)"\0\x14\0\x08\0\0\0\0" NO_IDS, CA_CLIENT },
        { (const uint8_t *)"\0\x16\0\0\0\0\0\0\0\0\0\1\0\0\0\3", CA_SERVER },
        { (const uint8_t *)"\0\x17\0\0\0\0\0\0" NO_IDS, CA_UNKNOWN_SENDER },
        { (const uint8_t *)"\0\x1a\0\0\0\0\0\0\0\0\0\1\0\0\0\0", CA_SERVER },
        { (const uint8_t *)"\0\x1b\0\0\0\0\0\0\0\0\0\1\0\0\0\0", CA_SERVER },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct ca_message message;
        g_assert_cmpint(ca_message_read(rows[i].bytes, CA_HEADER_BYTES, &message), ==, CA_COMPLETE);
        g_test_message("%s, row %u", ca_command_name(message.command), i);
        g_assert_true(ca_message_is_plausible(&message));
        g_assert_cmpint(ca_message_sender(&message), ==, rows[i].sender);
    }
}

static void
test_opening(void)
{
    g_assert_true(ca_messages_open_circuit(BYTES("\0\0\0\0\0\0\0\x0d" NO_IDS)));
    g_assert_true(
        ca_messages_open_circuit(BYTES("\0\0\0\0\0\0\0\x0d" NO_IDS "\0\x14\0\x08\0\0\0\0" NO_IDS "root\0\0\0\0")));
    g_assert_false(ca_messages_open_circuit(BYTES("\0\x14\0\x08\0\0\0\0" NO_IDS "root\0\0\0\0")));
    g_assert_false(ca_messages_open_circuit(BYTES("\0\0\0\0\0\0\0\x0d" NO_IDS "GET / HTTP/1.1\r\n")));
}

static void
test_names(void)
{
    g_assert_cmpstr(ca_command_name(CA_SERVER_DISCONN), ==, "SERVER_DISCONN");
    g_assert_null(ca_command_name(CA_COMMANDS));
    g_assert_cmpstr(ca_status_name(1), ==, "ECA_NORMAL");
    g_assert_cmpstr(ca_status_name(0x8e), ==, "ECA_INTERNAL");
    g_assert_cmpstr(ca_status_name(0x19a), ==, "ECA_BADCHID");
    g_assert_cmpstr(ca_status_name(0x1e0), ==, "ECA_UNRESPTMO");
    g_assert_null(ca_status_name(0)); /* right number, wrong severity */
    g_assert_null(ca_status_name(0x1e8));
    g_assert_null(ca_status_name(UINT32_MAX));
    g_assert_cmpuint(ca_text_length(BYTES("PV\0junk")), ==, 2);
    g_assert_cmpuint(ca_text_length(BYTES("PV")), ==, 2);
    g_assert_cmpuint(ca_text_length(NULL, 0), ==, 0);
}

/* db_access.h's dbr_size[] and dbr_value_size[] */
static void
test_dbr(void)
{
    static const uint16_t sizes[] = { 40, 2,  4,  2,  1,   4,  8,  44, 6,  8,  6,  6,   8,  16, 52, 16, 16, 16, 16, 16,
                                      24, 44, 26, 44, 424, 20, 40, 72, 44, 30, 52, 424, 22, 48, 88, 2,  2,  48, 40 };
    g_assert_cmpuint(G_N_ELEMENTS(sizes), ==, CA_DBR_TYPES);
    for (unsigned type = 0; type < CA_DBR_TYPES; type++) {
        g_test_message("%s", ca_dbr_name(type));
        g_assert_cmpuint(ca_dbr_bytes(type, 1), ==, sizes[type]);
        g_assert_cmpuint(ca_dbr_bytes(type, 3), ==, sizes[type] + 2U * ca_dbr_shape(type)->value_bytes);
    }
    g_assert_cmpuint(ca_dbr_bytes(CA_DBR_TYPES, 1), ==, 0);
    g_assert_cmpuint(ca_dbr_bytes(CA_DOUBLE, UINT32_MAX), ==, UINT64_C(8) * UINT32_MAX);
    g_assert_null(ca_dbr_name(CA_DBR_TYPES));
}

void
ca_message_tests_add(void)
{
    g_test_add_func("/ca-message/header", test_header);
    g_test_add_func("/ca-message/extended-header", test_extended_header);
    g_test_add_func("/ca-message/impossible", test_impossible);
    g_test_add_func("/ca-message/implausible", test_implausible);
    g_test_add_func("/ca-message/plausible", test_plausible);
    g_test_add_func("/ca-message/opening", test_opening);
    g_test_add_func("/ca-message/names", test_names);
    g_test_add_func("/ca-message/dbr", test_dbr);
}
