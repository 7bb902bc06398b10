/* unit.h
 * The unit tests of the core. Each file adds its own to the run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>

void abi_tests_add(void);
void amqp_tests_add(void);
void bounds_tests_add(void);
void bounds_points_tests_add(void);
void calls_tests_add(void);
void ca_channel_tests_add(void);
void ca_message_tests_add(void);
void ca_parser_tests_add(void);
void pva_tests_add(void);
void pva_channel_tests_add(void);
void pva_message_tests_add(void);
void pva_search_tests_add(void);
void decrypted_tests_add(void);
void event_row_tests_add(void);
void describe_tests_add(void);
void tally_tests_add(void);
void forgotten_tests_add(void);
void foreign_tests_add(const char *folder);
void framing_tests_add(void);
void ids_tests_add(void);
void datagrams_tests_add(void);
void decap_tests_add(void);
void histogram_tests_add(void);
void http2_tests_add(void);
void item_tests_add(void);
void late_tests_add(void);
void live_tests_add(void);
void operation_tests_add(void);
void parsers_tests_add(void);
void operation_texts_tests_add(void);
void pending_tests_add(void);
void random_tests_add(void);
void cut_tests_add(void);
void databases_tests_add(void);
void quic_tests_add(void);
void ends_tests_add(void);
void reading_tests_add(void);
void rest_tests_add(void);
void roles_tests_add(void);
void fastcgi_tests_add(void);
void proxied_tests_add(void);
void resync_tests_add(void);
void sequence_tests_add(void);
void sighting_tests_add(void);
void tokens_tests_add(void);
void row_sorter_tests_add(void);
void spill_buffer_tests_add(void);
void tls_handshake_tests_add(void);
void tls_cursor_tests_add(void);
void tls_turn_tests_add(void);
void waiting_tests_add(void);
void nearest_tests_add(void);
void websocket_tests_add(void);
void wide_tests_add(void);

/* One test per *.scn file of the folder; false, having said why, if there is none. */
bool scenario_tests_add(const char *folder);

#endif
