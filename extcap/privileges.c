/* privileges.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "privileges.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>

#ifndef CAP_BPF /* Linux 5.8 */
#define CAP_PERFMON 38
#define CAP_BPF     39
#endif

bool
privileges_lacking(char *names)
{
    static const struct {
        int number;
        const char *name;
    } needed[] = { { CAP_BPF, "cap_bpf" }, { CAP_PERFMON, "cap_perfmon" }, { CAP_NET_ADMIN, "cap_net_admin" } };
    unsigned long long effective = 0;
    char line[256];
    size_t used = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof(line), status) && sscanf(line, "CapEff: %llx", &effective) != 1)
        ;
    if (status)
        fclose(status);
    *names = '\0';
    /* cap_sys_admin does not stand in for them: kernels differ in what it replaces. */
    for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
        if (!(effective >> needed[i].number & 1))
            used += (size_t)snprintf(names + used, PRIVILEGES_BYTES - used, "%s%s", used ? ", " : "", needed[i].name);
    return used > 0;
}

void
privileges_drop(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets))
        return;
    for (uint32_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        const uint32_t kept = CAP_BPF / 32 == i ? 1U << CAP_BPF % 32 : 0;
        sets[i].effective &= kept;
        sets[i].permitted &= kept;
        sets[i].inheritable = 0;
    }
    /* To have less is always allowed. */
    syscall(SYS_capset, &header, sets);
}
