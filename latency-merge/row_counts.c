/* row_counts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "row_counts.h"

#include <inttypes.h>

#include <gio/gio.h>

bool
row_counts_agree(const struct row_counts *counts, const struct capture *capture, GError **error)
{
    bool rows = capture->content != JSON_SUMMARY;
    const uint64_t channels = capture->channels + capture->pva_channels;
    const uint64_t tls = capture->tls_handshakes + capture->tls_alerts;
    const struct {
        const char *name;
        uint64_t counted, found;
    } checks[] = {
        { "requests", capture->requests, rows ? counts->requests : capture->requests },
        { "attempts", capture->attempts, rows ? counts->attempts : capture->attempts },
        { "requests to servers", capture->requests, counts->server_requests },
        { "attempts of clients", capture->attempts, counts->clients_attempts },
        { "handshakes and alerts of TLS", tls, rows ? counts->tls : tls },
        { "handshakes", capture->handshakes, rows ? counts->handshakes : capture->handshakes },
        { "channels", channels, rows ? counts->channels : channels },
        { "channels of servers", channels, counts->server_channels.channels },
        { "channels created", counts->server_channels.created,
          rows ? counts->created : counts->server_channels.created },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(checks); i++) {
        if (checks[i].counted == checks[i].found)
            continue;
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                    "\"%s\" is not whole: it has %" PRIu64 " of %" PRIu64 " %s.", capture->path, checks[i].found,
                    checks[i].counted, checks[i].name);
        return false;
    }
    return true;
}
