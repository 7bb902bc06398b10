/* test-decap.c
 * Link layers and tunnels around one TCP segment: where it begins, and how long it is; and every cut of each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>
#include <wiretap/wtap.h>

#include "decap.h"

/* A TCP header without options, and two bytes. */
#define TCP       "\x9c\x40\x00\x50\x00\x00\x00\x01\x00\x00\x00\x02\x50\x18\x01\xf4\x00\x00\x00\x00hi"
#define MACS      "\0\0\0\0\0\0\0\0\0\0\0\0"
#define ADDRESSES "\x0a\0\0\1\x0a\0\0\2"
#define NOWHERE   "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2"
/* Headers of IPv4 and IPv6 with a length, a protocol; IPv4's ID is 7. */
#define IPV4(length, fragment, protocol) "\x45\0\0" length "\0\7" fragment "\x40" protocol "\0\0" ADDRESSES
#define IPV6(length, protocol)           "\x60\0\0\0\0" length protocol "\x40" NOWHERE
#define SEGMENT                          IPV4("\x2a", "\0\0", "\6") TCP
#define SEGMENT6                         IPV6("\x16", "\6") TCP

enum { TCP_BYTES = 22 };

struct framed {
    const char *name;
    int encapsulation;
    const char *bytes;
    size_t length;
    enum decap_kind kind;
    enum decap_reason reason; /* if it is not understood */
    bool ipv6, fragmented;
};

#define FRAMED(name, encapsulation, bytes, ...)                                                                        \
    {                                                                                                                  \
        name, WTAP_ENCAP_##encapsulation, bytes, sizeof bytes - 1, __VA_ARGS__                                         \
    }

static const struct framed frames[] = {
    FRAMED("ethernet", ETHERNET, MACS "\x08\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("ethernet6", ETHERNET, MACS "\x86\xdd" SEGMENT6, DECAP_TCP, 0, true, false),
    FRAMED("vlan", ETHERNET, MACS "\x81\0\0\1\x08\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("qinq", ETHERNET, MACS "\x88\xa8\0\1\x81\0\0\2\x86\xdd" SEGMENT6, DECAP_TCP, 0, true, false),
    FRAMED("snap", ETHERNET, MACS "\0\x32\xaa\xaa\3\0\0\0\x08\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("raw", RAW_IP, SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("raw6", RAW_IP, SEGMENT6, DECAP_TCP, 0, true, false),
    FRAMED("null", NULL, "\2\0\0\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("null, the other order", NULL, "\0\0\0\x1e" SEGMENT6, DECAP_TCP, 0, true, false),
    FRAMED("loop", LOOP, "\0\0\0\2" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("sll", SLL, MACS "\0\0\x08\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("sll2", SLL2, "\x08\0" MACS "\0\0\0\0\0\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("ppp", PPP, "\xff\3\0\x21" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("ppp, compressed", PPP, "\x57" SEGMENT6, DECAP_TCP, 0, true, false),
    FRAMED("pppoe", ETHERNET, MACS "\x88\x64\x11\0\0\1\0\x2c\0\x21" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("chdlc", CHDLC, "\x0f\0\x08\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("mpls", ETHERNET, MACS "\x88\x47\0\1\0\x40\0\2\1\x40" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("gre", RAW_IP, IPV4("\x46", "\0\0", "\x2f") "\x20\0\x08\0\0\0\0\1" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("ip in ip", RAW_IP, IPV4("\x3e", "\0\0", "\4") SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("6in4", RAW_IP, IPV4("\x52", "\0\0", "\x29") SEGMENT6, DECAP_TCP, 0, true, false),
    FRAMED("vxlan", RAW_IP,
           IPV4("\x5c", "\0\0", "\x11") "\x9c\x40\x12\xb5\0\x48\0\0"
                                        "\x08\0\0\0\0\0\1\0" MACS "\x08\0" SEGMENT,
           DECAP_TCP, 0, false, false),
    FRAMED("geneve", RAW_IP,
           IPV4("\x60", "\0\0", "\x11") "\x9c\x40\x17\xc1\0\x4c\0\0"
                                        "\1\0\x65\x58\0\0\0\0\0\0\0\0" MACS "\x08\0" SEGMENT,
           DECAP_TCP, 0, false, false),
    FRAMED("vn-tag", ETHERNET, MACS "\x89\x26\0\1\0\2\x08\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("e-tag", ETHERNET, MACS "\x89\x3f\0\1\0\2\0\3\x08\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("802.1ah", ETHERNET, MACS "\x88\xe7\0\0\0\1" MACS "\x81\0\0\1\x86\xdd" SEGMENT6, DECAP_TCP, 0, true, false),
    FRAMED("hdlc in ppp", PPP, "\x0f\0\x08\0" SEGMENT, DECAP_TCP, 0, false, false),
    FRAMED("gtp-u", RAW_IP,
           IPV4("\x4e", "\0\0", "\x11") "\x08\x68\x08\x68\0\x3a\0\0"
                                        "\x30\xff\0\x2a\0\0\0\1" SEGMENT,
           DECAP_TCP, 0, false, false),
    FRAMED("gtp-u, extended", RAW_IP,
           IPV4("\x6e", "\0\0", "\x11") "\x08\x68\x08\x68\0\x5a\0\0"
                                        "\x34\xff\0\x4a\0\0\0\1\0\0\0\x85\1\0\0\xc0\1\0\0\0" SEGMENT6,
           DECAP_TCP, 0, true, false),
    FRAMED("gtp, version 0", RAW_IP,
           IPV4("\x5a", "\0\0", "\x11") "\x0d\x3a\x0d\x3a\0\x46\0\0"
                                        "\x1e\xff\0\x2a\0\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\0\0" SEGMENT,
           DECAP_TCP, 0, false, false),
    FRAMED("ethernet in gtp-u", RAW_IP,
           IPV4("\x5c", "\0\0", "\x11") "\x08\x68\x08\x68\0\x48\0\0"
                                        "\x30\xff\0\x38\0\0\0\1" MACS "\x08\0" SEGMENT,
           DECAP_TCP, 0, false, false),
    FRAMED("gtp, not a user's", RAW_IP,
           IPV4("\x4e", "\0\0", "\x11") "\x08\x68\x08\x68\0\x3a\0\0"
                                        "\x30\1\0\x2a\0\0\0\1" SEGMENT,
           DECAP_OTHER, 0, false, false),
    FRAMED("teredo", RAW_IP, IPV4("\x5a", "\0\0", "\x11") "\x9c\x40\x0d\xd8\0\x46\0\0" SEGMENT6, DECAP_TCP, 0, true,
           false),
    FRAMED("teredo, from elsewhere", RAW_IP,
           IPV4("\x6f", "\0\0", "\x11") "\x0d\xd8\x9c\x40\0\x5b\0\0"
                                        "\0\1\0\0\1\2\3\4\5\6\7\x08\0"
                                        "\0\0\x1f\x90\x0a\0\0\1" SEGMENT6,
           DECAP_TCP, 0, true, false),
    FRAMED("gre in udp", RAW_IP,
           IPV4("\x4a", "\0\0", "\x11") "\x9c\x40\x12\x92\0\x36\0\0"
                                        "\0\0\x08\0" SEGMENT,
           DECAP_TCP, 0, false, false),
    FRAMED("dns, from a tunnel's port", RAW_IP, IPV4("\x1e", "\0\0", "\x11") "\0\x35\x08\x68\0\x0a\0\0hi", DECAP_UDP, 0,
           false, false),
    FRAMED("capwap", RAW_IP, IPV4("\x1e", "\0\0", "\x11") "\x9c\x40\x14\x7f\0\x0a\0\0hi", DECAP_NOT_UNDERSTOOD,
           REASON_TUNNEL, false, false),
    FRAMED("l2tp", RAW_IP, IPV4("\x1e", "\0\0", "\x11") "\6\xa5\6\xa5\0\x0a\0\0hi", DECAP_NOT_UNDERSTOOD, REASON_TUNNEL,
           false, false),
    FRAMED("l2tp, its own", RAW_IP, IPV4("\x1e", "\0\0", "\x11") "\6\xa5\6\xa5\0\x0a\0\0\xc8\2", DECAP_OTHER, 0, false,
           false),
    FRAMED("macsec", ETHERNET, MACS "\x88\xe5\0\1", DECAP_NOT_UNDERSTOOD, REASON_TUNNEL, false, false),
    FRAMED("extension headers", RAW_IP, IPV6("\x26", "\0") "\x3c\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0" TCP, DECAP_TCP, 0, true,
           false),
    FRAMED("ah", RAW_IP, IPV4("\x36", "\0\0", "\x33") "\6\1\0\0\0\0\0\0\0\0\0\0" TCP, DECAP_TCP, 0, false, false),
    FRAMED("first fragment", RAW_IP, IPV4("\x2a", "\x20\0", "\6") TCP, DECAP_TCP, 0, false, true),
    FRAMED("first fragment of IPv6", RAW_IP, IPV6("\x1e", "\x2c") "\6\0\0\1\0\0\0\1" TCP, DECAP_TCP, 0, true, true),
    FRAMED("later fragment", RAW_IP, IPV4("\x2a", "\0\1", "\6") TCP, DECAP_NOT_UNDERSTOOD, REASON_FRAGMENT, false,
           false),
    FRAMED("later fragment of IPv6", RAW_IP, IPV6("\x1e", "\x2c") "\6\0\0\x08\0\0\0\1" TCP, DECAP_NOT_UNDERSTOOD,
           REASON_FRAGMENT, false, false),
    FRAMED("esp", RAW_IP, IPV4("\x2a", "\0\0", "\x32") TCP, DECAP_NOT_UNDERSTOOD, REASON_ENCRYPTED, false, false),
    FRAMED("another link layer", IEEE_802_11, "x", DECAP_NOT_UNDERSTOOD, REASON_LINK, false, false),
    FRAMED("erspan", RAW_IP, IPV4("\x1c", "\0\0", "\x2f") "\0\0\x88\xbe\0\0\0\0", DECAP_NOT_UNDERSTOOD, REASON_TUNNEL,
           false, false),
    FRAMED("a pseudowire", ETHERNET, MACS "\x88\x47\0\1\1\x40\0\0\0\0", DECAP_NOT_UNDERSTOOD, REASON_TUNNEL, false,
           false),
    FRAMED("arp", ETHERNET, MACS "\x08\6\0\1", DECAP_OTHER, 0, false, false),
    FRAMED("ping", RAW_IP, IPV4("\x1c", "\0\0", "\1") "\x08\0\0\0\0\0\0\0", DECAP_OTHER, 0, false, false),
    FRAMED("quoted", RAW_IP, IPV4("\x46", "\0\0", "\1") "\3\1\0\0\0\0\0\0" SEGMENT, DECAP_QUOTED, 0, false, false),
    FRAMED("quoted in IPv6", RAW_IP, IPV6("\x46", "\x3a") "\1\0\0\0\0\0\0\0" SEGMENT6, DECAP_QUOTED, 0, true, false),
    FRAMED("quoted by what is no error", RAW_IP, IPV4("\x46", "\0\0", "\1") "\5\1\0\0\0\0\0\0" SEGMENT, DECAP_OTHER, 0,
           false, false),
};

static void
test_frame(const void *data)
{
    const struct framed *framed = data;
    const uint8_t *bytes = (const uint8_t *)framed->bytes;
    uint32_t length = (uint32_t)framed->length;
    struct decapped decapped;
    decap((struct bytes){ bytes, length, length }, framed->encapsulation, &decapped);
    g_assert_cmpint(decapped.kind, ==, framed->kind);
    if (framed->kind == DECAP_NOT_UNDERSTOOD)
        g_assert_cmpint(decapped.reason, ==, framed->reason);
    if (framed->kind != DECAP_TCP && framed->kind != DECAP_QUOTED)
        return;
    g_assert_true(decapped.payload.at == bytes + length - TCP_BYTES);
    g_assert_cmpuint(decapped.payload.captured, ==, TCP_BYTES);
    g_assert_cmpuint(decapped.payload.reported, ==, TCP_BYTES);
    g_assert_cmpint(decapped.ipv6, ==, framed->ipv6);
    g_assert_cmpint(decapped.fragmented, ==, framed->fragmented);
    if (!decapped.ipv6)
        g_assert_cmpuint(decapped.ip_id, ==, 7);
}

/* Whom a packet is from, and for, where headers after the first say it. */
#define ELSEWHERE "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3"

struct routed {
    struct framed framed;
    uint8_t source, destination; /* the last byte of each */
};

static const struct routed routes[] = {
    { FRAMED("routed", RAW_IP, IPV6("\x2e", "\x2b") "\6\2\0\1\0\0\0\0" ELSEWHERE TCP, DECAP_TCP, 0, true, false), 1,
      3 },
    { FRAMED("routed by two", RAW_IP, IPV6("\x3e", "\x2b") "\6\4\0\2\0\0\0\0" NOWHERE TCP, DECAP_TCP, 0, true, false),
      1, 2 },
    { FRAMED("routed, arrived", RAW_IP, IPV6("\x2e", "\x2b") "\6\2\0\0\0\0\0\0" ELSEWHERE TCP, DECAP_TCP, 0, true,
             false),
      1, 2 },
    { FRAMED("mobile", RAW_IP, IPV6("\x2e", "\x2b") "\6\2\2\1\0\0\0\0" ELSEWHERE TCP, DECAP_TCP, 0, true, false), 1,
      3 },
    { FRAMED("segments", RAW_IP, IPV6("\x3e", "\x2b") "\6\4\4\1\1\0\0\0" ELSEWHERE ELSEWHERE TCP, DECAP_TCP, 0, true,
             false),
      1, 3 },
    { FRAMED("home", RAW_IP, IPV6("\x2e", "\x3c") "\6\2\1\2\0\0\xc9\x10" ELSEWHERE TCP, DECAP_TCP, 0, true, false), 3,
      2 },
    { FRAMED("source route", RAW_IP, "\x47\0\0\x32\0\7\0\0\x40\6\0\0" ADDRESSES "\x83\7\4\x0a\0\0\3\0" TCP, DECAP_TCP,
             0, false, false),
      1, 3 },
    { FRAMED("source route, arrived", RAW_IP, "\x47\0\0\x32\0\7\0\0\x40\6\0\0" ADDRESSES "\1\x89\7\x08\x0a\0\0\3" TCP,
             DECAP_TCP, 0, false, false),
      1, 2 },
};

static void
test_routed(const void *data)
{
    const struct routed *routed = data;
    const struct framed *framed = &routed->framed;
    struct decapped decapped;
    test_frame(framed);
    decap((struct bytes){ (const uint8_t *)framed->bytes, (uint32_t)framed->length, (uint32_t)framed->length },
          framed->encapsulation, &decapped);
    const unsigned last = decapped.ipv6 ? 15 : 3;
    g_assert_cmpuint(decapped.ip.at[decapped.source + last], ==, routed->source);
    g_assert_cmpuint(decapped.ip.at[decapped.destination + last], ==, routed->destination);
}

/* However short the capture cuts it, nothing beyond is read (AddressSanitizer sees that), and the length stays known.
 */
static void
test_cut(const void *data)
{
    const struct framed *framed = data;
    for (uint32_t captured = 0; captured < framed->length; captured++) {
        uint8_t *bytes = g_memdup2(framed->bytes, captured);
        struct decapped decapped;
        decap((struct bytes){ bytes, captured, (uint32_t)framed->length }, framed->encapsulation, &decapped);
        if (decapped.kind == DECAP_TCP) {
            g_assert_cmpuint(decapped.payload.reported, ==, TCP_BYTES);
            g_assert_cmpuint(decapped.payload.captured, <, TCP_BYTES);
        }
        g_free(bytes);
    }
}

/* What follows the packet on the wire, to fill an Ethernet frame, is none of it; a length of 0 is all there is. */
static void
test_lengths(void)
{
    static const char padded[] = MACS "\x08\0" SEGMENT "\0\0\0\0";
    static const char offloaded[] = MACS "\x08\0" IPV4("\0", "\0\0", "\6") TCP;
    static const char jumbo[] = IPV6("\0", "\0") "\6\0\xc2\4\0\1\x11\x70" TCP;
    struct decapped decapped;
    decap((struct bytes){ (const uint8_t *)padded, sizeof padded - 1, sizeof padded - 1 }, WTAP_ENCAP_ETHERNET,
          &decapped);
    g_assert_cmpuint(decapped.payload.reported, ==, TCP_BYTES);
    decap((struct bytes){ (const uint8_t *)jumbo, sizeof jumbo - 1, 70100 }, WTAP_ENCAP_RAW_IP, &decapped);
    g_assert_cmpuint(decapped.payload.captured, ==, TCP_BYTES);
    g_assert_cmpuint(decapped.payload.reported, ==, 70000 - 8);
    decap((struct bytes){ (const uint8_t *)offloaded, sizeof offloaded - 1, 3000 }, WTAP_ENCAP_ETHERNET, &decapped);
    g_assert_cmpuint(decapped.payload.captured, ==, TCP_BYTES);
    g_assert_cmpuint(decapped.payload.reported, ==, 3000 - 34);
}

/* IP in IP in IP …: it ends. */
static void
test_deep(void)
{
    enum { DEPTH = 1000, HEADER = 20 };
    uint8_t *bytes = g_malloc(DEPTH * HEADER);
    struct decapped decapped;
    for (unsigned i = 0; i < DEPTH; i++) {
        memcpy(bytes + i * HEADER, IPV4("\0", "\0\0", "\4"), HEADER);
    }
    decap((struct bytes){ bytes, DEPTH * HEADER, DEPTH * HEADER }, WTAP_ENCAP_RAW_IP, &decapped);
    g_assert_cmpint(decapped.kind, ==, DECAP_NOT_UNDERSTOOD);
    g_assert_cmpint(decapped.reason, ==, REASON_TUNNEL);
    g_free(bytes);
}

void
decap_tests_add(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(frames); i++) {
        char *name = g_strdup_printf("/decap/%s", frames[i].name);
        char *cut = g_strdup_printf("/decap/cut/%s", frames[i].name);
        g_test_add_data_func(name, &frames[i], test_frame);
        g_test_add_data_func(cut, &frames[i], test_cut);
        g_free(name);
        g_free(cut);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(routes); i++) {
        char *name = g_strdup_printf("/decap/%s", routes[i].framed.name);
        char *cut = g_strdup_printf("/decap/cut/%s", routes[i].framed.name);
        g_test_add_data_func(name, &routes[i], test_routed);
        g_test_add_data_func(cut, &routes[i].framed, test_cut);
        g_free(name);
        g_free(cut);
    }
    g_test_add_func("/decap/lengths", test_lengths);
    g_test_add_func("/decap/deep", test_deep);
}
