/* scenario.h
 * Sequences of TCP segments in a readable form (README.md), for unit tests and for generated captures.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/* RFC 9293 §3.1 */
enum {
    SCENARIO_FIN = 0x01,
    SCENARIO_SYN = 0x02,
    SCENARIO_RST = 0x04,
    SCENARIO_PSH = 0x08,
    SCENARIO_ACK = 0x10,
    SCENARIO_URG = 0x20
};

enum scenario_link { SCENARIO_ETHERNET, SCENARIO_RAW, SCENARIO_NULL, SCENARIO_SLL2 };
enum scenario_tunnel { SCENARIO_NO_TUNNEL, SCENARIO_GRE, SCENARIO_VXLAN };

enum scenario_kind {
    SCENARIO_SEGMENT,
    SCENARIO_DUPLICATE,  /* the frame before once more */
    SCENARIO_ICMP_QUOTED /* inside an ICMP error; the addresses are still those of the quoted segment */
};

enum { SCENARIO_OPTIONS_BYTES = 40 };

struct scenario_endpoint {
    int family;          /* AF_INET or AF_INET6 */
    uint8_t address[16]; /* an IPv4 address fills the first 4, zeros follow */
    uint16_t port;
};

struct scenario_segment {
    enum scenario_kind kind;
    unsigned line;       /* of the scenario file, from 1 */
    unsigned connection; /* from 1, as the scenario's `use` counts them */
    int64_t time_ns;     /* as written in the scenario; captures have it as time since the epoch */
    bool from_client;
    struct scenario_endpoint source, destination;
    uint32_t seq, ack; /* absolute */
    uint8_t flags;
    uint16_t window;
    uint8_t ttl;
    bool has_ip_id; /* false for IPv6 */
    bool dont_fragment;
    uint16_t ip_id;
    uint16_t fragment_bytes; /* IP payload bytes of a fragment; 0: sent whole */
    uint16_t mss;            /* the MSS option; 0 without one */
    uint8_t options_bytes;
    uint8_t options[SCENARIO_OPTIONS_BYTES];
    uint32_t payload_len;
    const uint8_t *payload;
    GPtrArray *expectations; /* of char *: its lines that start with `?`, without the mark */
};

struct scenario {
    enum scenario_link link;
    enum scenario_tunnel tunnel;
    GArray *vlans;       /* of uint16_t, outermost first */
    uint32_t snaplen;
    unsigned connections;
    GPtrArray *segments; /* of struct scenario_segment *, in the order of the file */
    GPtrArray *settings; /* of char *: lines that start with `!`, without the mark */
};

/* Returns NULL and sets `error` to "name:line: what is wrong: 'word'" (free with g_free) if the text is not a
 * scenario. `name` is for that message only. Free the scenario with scenario_free(). */
struct scenario *scenario_parse(const char *text, const char *name, char **error);

/* The same for a file. */
struct scenario *scenario_read(const char *path, char **error);

void scenario_free(struct scenario *scenario);

#endif
