/* privileges.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "privileges.h"

#include <stddef.h>
#include <stdio.h>
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
