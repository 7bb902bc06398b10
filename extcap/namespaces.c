/* namespaces.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "namespaces.h"

#include <stddef.h>
#include <sys/stat.h>

#include "kernel-stages.h"
#include "processes.h"

#define OF_IP "the stages rx:ip, rx:local, tx:ip and tx:post see only packets of this network namespace"

static const uint32_t stages_of_ip = 1U << STAGE_RX_IP | 1U << STAGE_RX_LOCAL | 1U << STAGE_TX_IP | 1U << STAGE_TX_POST;

bool
namespaces_are_powerless(void)
{
    static const ino_t first = 0xeffffffd; /* PROC_USER_INIT_INO in the kernel's include/linux/proc_ns.h */
    struct stat status;
    return !stat("/proc/self/ns/user", &status) && status.st_ino != first;
}

/* Returns whether the first process, the host's if this is the host's PID namespace, has another network. */
static bool
has_own_network(void)
{
    struct stat own, first;
    return !stat("/proc/self/ns/net", &own) && !stat("/proc/1/ns/net", &first) && own.st_ino != first.st_ino;
}

const char *
namespaces_limits(uint32_t stages)
{
    uint64_t device, inode;
    if (processes_are_renumbered(&device, &inode))
        return stages & stages_of_ip ? "In this container processes outside it are not named, and " OF_IP "."
                                     : "In this container processes outside it are not named.";
    return stages & stages_of_ip && has_own_network() ? "From here " OF_IP "." : NULL;
}
