/* unit.c
 * `unit DIR`: runs the unit tests, those of the scenarios in DIR included. GLib's test options apply.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <glib.h>
#include <wsutil/wmem/wmem.h>

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions(); /* one failure must not hide the others */
    if (argc != 2) {
        g_printerr("usage: unit DIR\n");
        return 2;
    }
    wmem_init();
    abi_tests_add();
    amqp_tests_add();
    bounds_tests_add();
    bounds_points_tests_add();
    calls_tests_add();
    ca_channel_tests_add();
    ca_message_tests_add();
    ca_parser_tests_add();
    decrypted_tests_add();
    describe_tests_add();
    tally_tests_add();
    forgotten_tests_add();
    foreign_tests_add(argv[1]);
    framing_tests_add();
    ids_tests_add();
    datagrams_tests_add();
    decap_tests_add();
    histogram_tests_add();
    http2_tests_add();
    item_tests_add();
    late_tests_add();
    live_tests_add();
    operation_tests_add();
    parsers_tests_add();
    operation_texts_tests_add();
    event_row_tests_add();
    pending_tests_add();
    random_tests_add();
    cut_tests_add();
    ends_tests_add();
    reading_tests_add();
    rest_tests_add();
    roles_tests_add();
    fastcgi_tests_add();
    proxied_tests_add();
    pva_tests_add();
    pva_channel_tests_add();
    pva_message_tests_add();
    pva_search_tests_add();
    databases_tests_add();
    quic_tests_add();
    resync_tests_add();
    sequence_tests_add();
    sighting_tests_add();
    tokens_tests_add();
    row_sorter_tests_add();
    spill_buffer_tests_add();
    tls_handshake_tests_add();
    tls_cursor_tests_add();
    tls_turn_tests_add();
    waiting_tests_add();
    nearest_tests_add();
    websocket_tests_add();
    wide_tests_add();
    int status = scenario_tests_add(argv[1]) ? g_test_run() : 2;
    wmem_cleanup();
    return status;
}
