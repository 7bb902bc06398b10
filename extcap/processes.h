/* processes.h
 * The processes that run now, as /proc has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

/* Whether one has this pid, or, if that is 0, one of its threads this name. True where /proc cannot tell. */
bool processes_have(unsigned int pid, const char *name);

/* Whether this program runs in a PID namespace that is not the first, as in a container, and which: by its file. */
bool processes_are_renumbered(uint64_t *device, uint64_t *inode);

#endif
