/* results.h
 * What attempts to connect and handshakes of TLS came to, as docs/json.md says it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_RESULTS_H
#define LATENCY_MERGE_RESULTS_H

#include "core/protocol/tls/tls_handshake.h"
#include "record.h"

/* The member `result`. */
enum connect_result results_read_connect(struct record *record);
enum tls_result results_read_tls(struct record *record);

#endif
