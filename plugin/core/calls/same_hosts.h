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

/* Fills in the addresses; end with same_hosts_clear(). Returns NULL; or what is wrong with the text (NULL: nothing is
 * said), to be freed with g_free(), as it stands behind "-o latency.same_hosts takes addresses of one host, like
 * 10.0.0.1=192.168.1.1, ": then there are no addresses. */
char *same_hosts_read(const char *text, struct same_hosts *hosts);
void same_hosts_clear(struct same_hosts *hosts);

#endif
