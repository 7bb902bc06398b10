/* sockets.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sockets.h"

#include <stdio.h>

enum { LINE_BYTES = 512, TIME_WAIT = 6 };

static bool
has_port(const char *path, uint16_t port)
{
    char line[LINE_BYTES];
    unsigned local, remote, state;
    bool has = false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (!has && fgets(line, sizeof(line), file))
        has = sscanf(line, " %*u: %*[0-9A-F]:%4x %*[0-9A-F]:%4x %2x", &local, &remote, &state) == 3 &&
              state != TIME_WAIT && (local == port || remote == port);
    fclose(file);
    return has;
}

bool
sockets_have_port(uint16_t port)
{
    FILE *table = fopen("/proc/net/tcp", "re");
    if (!table)
        return true;
    fclose(table);
    return has_port("/proc/net/tcp", port) || has_port("/proc/net/tcp6", port);
}
