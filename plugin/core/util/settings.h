/* settings.h
 * What the user may set; docs/preferences.md has the defaults.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SETTINGS_H
#define LATENCY_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* How likely a port is the server's; the higher wins. */
enum port_kind { PORT_PLAIN, PORT_REGISTERED, PORT_CONFIGURED };

struct settings {
    enum port_kind (*port_kind)(uint16_t port);
    bool (*is_channel_access)(uint16_t port);     /* whether it is a server's; NULL: none is */
    bool (*is_pvaccess)(uint16_t port);           /* likewise */
    bool (*is_full_size)(uint32_t payload_bytes); /* NULL: full sizes follow from the MSS */
    uint32_t chunk_bytes;                         /* 0: no chunk boundaries */
    const char *points;                           /* names of capture points to analyse, by commas; "" for the lowest */
    const char *id_headers;                       /* names of further fields of HTTP with ids, by commas; NULL: none */
    int64_t timeout_ns;                           /* 0: a request waits for ever */
    int64_t slow_ns;                              /* what took so long, or longer, is shown as slow; 0: nothing is */
    const char *same_hosts;                       /* addresses of one host (same_hosts.h); NULL: none are */
    uint32_t call_percent;                        /* a cause that is only likely is told from here on */
    bool fold_numbers;                            /* in kinds of operation; see operation_kind() */
    bool websocket_ids;                           /* in a WebSocket's messages pair them */
    bool by_turns;                                /* no protocol is recognised: turns everywhere */
};

#endif
