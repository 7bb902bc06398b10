/* tls_fields.h
 * What a handshake of TLS shows in its frames (docs/measuring.md, TLS).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_FIELDS_H
#define LATENCY_TLS_FIELDS_H

#include "../../core/protocol/tls/tls_handshake.h"
#include "../view.h"

void tls_fields_show(struct view *view, const struct connection *connection);

/* Shows what the spin bit of QUIC says, of an ITEM_SPIN. */
void tls_fields_show_spin(struct view *view, const struct item *item);

/* To be called once, when Wireshark registers protocols. */
void tls_fields_register(int proto);

#endif
