/* privileges.h
 * The capabilities that kernel-stages needs, and this process may lack; and those that it needs no more.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PRIVILEGES_H
#define PRIVILEGES_H

#include <stdbool.h>

enum { PRIVILEGES_BYTES = 64 };

/* False if none. `names`: "cap_perfmon, cap_net_admin", PRIVILEGES_BYTES. */
bool privileges_lacking(char *names);

/* Once all programs are attached and the file is open: keeps cap_bpf alone, by which losses are read. For good, and for
 * root, too. */
void privileges_drop(void);

#endif
