/* namespaces.h
 * The namespaces that this program runs in, as of a container, and what they keep from it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NAMESPACES_H
#define NAMESPACES_H

#include <stdbool.h>
#include <stdint.h>

/* What a user namespace other than the host's makes of capabilities, root's too; for a sentence on what is not seen. */
#define NAMESPACES_POWERLESS                                                                                           \
    "In a user namespace, as of a rootless container, nobody has the capabilities that kernel-stages needs: run it "   \
    "outside, as root."

/* Returns whether this is a user namespace other than the host's. */
bool namespaces_are_powerless(void);

/* Returns a sentence on what these namespaces keep from a recording of `stages`. NULL if they are the host's, or that
 * cannot be told: who may not look at the host's first process does not know its network. */
const char *namespaces_limits(uint32_t stages);

#endif
