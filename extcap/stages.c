/* stages.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stages.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
} stages[STAGE_COUNT] = {
    [STAGE_APP_SEND] = { "app:send", "the process calls write, send or sendfile" },
    [STAGE_TX_TCP] = { "tx:tcp", "TCP takes the bytes" },
    [STAGE_TX_IP] = { "tx:ip", "IP has the packet" },
    [STAGE_TX_POST] = { "tx:post", "it is routed, and firewalls have let it pass" },
    [STAGE_TX_QUEUE] = { "tx:queue", "it enters the queue of the device (qdisc)" },
    [STAGE_TX_DRIVER] = { "tx:driver", "the driver takes it" },
    [STAGE_RX_GRO] = { "rx:gro", "the driver hands it over, before segments are merged" },
    [STAGE_RX_DRIVER] = { "rx:driver", "the network stack takes it" },
    [STAGE_RX_IP] = { "rx:ip", "IP takes it" },
    [STAGE_RX_LOCAL] = { "rx:local", "it is for this host, and firewalls have let it pass" },
    [STAGE_RX_TCP] = { "rx:tcp", "TCP takes it, for an established connection" },
    [STAGE_RX_READY] = { "rx:ready", "its bytes can be read, and the process is woken" },
    [STAGE_APP_EPOLL] = { "app:epoll", "the process comes back from epoll_wait, poll or select" },
    [STAGE_APP_RECV] = { "app:recv", "it calls read or recv" },
    [STAGE_APP_COPY] = { "app:copy", "the bytes are copied to it" },
    [STAGE_APP_RECV_RET] = { "app:recv-ret", "it comes back from read or recv" },
};

const char *
stage_name(enum stage stage)
{
    return stages[stage].name;
}

const char *
stage_meaning(enum stage stage)
{
    return stages[stage].meaning;
}

bool
stage_is_sent(enum stage stage)
{
    return stage <= STAGE_TX_DRIVER;
}

static uint32_t
parse_word(const char *word, size_t length)
{
    uint32_t found = 0;
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++) {
        const char *name = stages[stage].name;
        if (!strncmp(name, word, length) && (name[length] == '\0' || name[length] == ':'))
            found |= 1U << stage;
    }
    return found;
}

uint32_t
stages_parse(const char *list)
{
    uint32_t all = 0;
    for (;;) {
        const size_t length = strcspn(list, ", ");
        const uint32_t found = length ? parse_word(list, length) : 0;
        if (length && !found)
            return 0;
        all |= found;
        list += length;
        if (!*list)
            return all;
        list++;
    }
}

void
stages_list(uint32_t set, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (enum stage stage = 0; stage < STAGE_COUNT && used < size; stage++) {
        if (set & 1U << stage)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", stages[stage].name);
    }
}
