/* abi.h
 * With which releases of Wireshark a plugin that was built for one of them works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ABI_H
#define LATENCY_ABI_H

#include <stdbool.h>
#include <stddef.h>

struct wireshark_release {
    int major, minor, micro;
};

/* Counts the releases, up to this one, whose functions and structures are not known to be those of the release before,
 * within a minor version. 4.6.1 changed some; whether 4.6.2 has changed them back could not be tried, so that each
 * of 4.6.0, 4.6.1 and the later ones is on its own. */
static inline unsigned
abi_changes(const struct wireshark_release *release)
{
    static const struct wireshark_release changed[] = { { 4, 6, 1 }, { 4, 6, 2 } };
    unsigned count = 0;
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++)
        count += changed[i].major == release->major && changed[i].minor == release->minor &&
                 changed[i].micro <= release->micro;
    return count;
}

static inline bool
abi_is_shared(const struct wireshark_release *built_for, const struct wireshark_release *runs_in)
{
    return built_for->major == runs_in->major && built_for->minor == runs_in->minor &&
           abi_changes(built_for) == abi_changes(runs_in);
}

#endif
