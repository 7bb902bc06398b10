/* same_hosts.h
 * Addresses that are one host's, as the user says: "10.0.0.1=192.168.1.1=fd00::1, 10.0.0.2=192.168.1.2".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_SAME_HOSTS_H
#define LATENCY_SAME_HOSTS_H

#include "../tcp/segment.h"

struct same_host {
    struct endpoint end; /* port 0 */
    bool ipv6;
    uint32_t host; /* a number for each host, from 1 */
};

struct same_hosts {
    struct same_host *addresses;
    unsigned n;
};

/* What the preference takes, in a sentence that says what is wrong with another text. */
#define SAME_HOSTS_TAKES "addresses of one host, like 10.0.0.1=192.168.1.1"

/* Fills in the addresses; end with same_hosts_clear(). Returns NULL; or what is wrong with the text, to be freed with
 * g_free(), as it stands behind SAME_HOSTS_TAKES and a comma: then there are no addresses. NULL as a text has none. */
char *same_hosts_read(const char *text, struct same_hosts *hosts);
void same_hosts_clear(struct same_hosts *hosts);

#endif
