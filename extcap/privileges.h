/* privileges.h
 * The capabilities that kernel-stages needs, and this process may lack.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PRIVILEGES_H
#define PRIVILEGES_H

#include <stdbool.h>

enum { PRIVILEGES_BYTES = 64 };

/* False if none. `names`: "cap_perfmon, cap_net_admin", PRIVILEGES_BYTES. */
bool privileges_lacking(char *names);

#endif
