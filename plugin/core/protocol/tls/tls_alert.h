/* tls_alert.h
 * The names of TLS alerts: IANA's registry, RFC 8446 §6.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TLS_ALERT_H
#define LATENCY_TLS_ALERT_H

#include <stdbool.h>
#include <stdint.h>

/* "unknown" for one without a name. */
const char *tls_alert_name(uint8_t description);

/* Whether an alert of this level ends the connection: a fatal one, and close_notify. */
bool tls_alert_ends(uint8_t level, uint8_t description);

#endif
