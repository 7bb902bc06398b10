/* tls_alert.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_alert.h"

#include <stddef.h>

enum { FATAL = 2, CLOSE_NOTIFY = 0 };

static const struct {
    uint8_t description;
    const char *name;
} alerts[] = {
    { 0, "close_notify" },
    { 10, "unexpected_message" },
    { 20, "bad_record_mac" },
    { 21, "decryption_failed" },
    { 22, "record_overflow" },
    { 30, "decompression_failure" },
    { 40, "handshake_failure" },
    { 41, "no_certificate" },
    { 42, "bad_certificate" },
    { 43, "unsupported_certificate" },
    { 44, "certificate_revoked" },
    { 45, "certificate_expired" },
    { 46, "certificate_unknown" },
    { 47, "illegal_parameter" },
    { 48, "unknown_ca" },
    { 49, "access_denied" },
    { 50, "decode_error" },
    { 51, "decrypt_error" },
    { 52, "too_many_cids_requested" },
    { 60, "export_restriction" },
    { 70, "protocol_version" },
    { 71, "insufficient_security" },
    { 80, "internal_error" },
    { 86, "inappropriate_fallback" },
    { 90, "user_canceled" },
    { 100, "no_renegotiation" },
    { 109, "missing_extension" },
    { 110, "unsupported_extension" },
    { 111, "certificate_unobtainable" },
    { 112, "unrecognized_name" },
    { 113, "bad_certificate_status_response" },
    { 114, "bad_certificate_hash_value" },
    { 115, "unknown_psk_identity" },
    { 116, "certificate_required" },
    { 120, "no_application_protocol" },
    { 121, "ech_required" },
};

const char *
tls_alert_name(uint8_t description)
{
    for (size_t i = 0; i < sizeof alerts / sizeof *alerts; i++)
        if (alerts[i].description == description)
            return alerts[i].name;
    return "unknown";
}

bool
tls_alert_ends(uint8_t level, uint8_t description)
{
    return level == FATAL || description == CLOSE_NOTIFY;
}
