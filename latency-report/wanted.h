/* wanted.h
 * The members that are wanted of a line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_WANTED_H
#define REPORT_WANTED_H

#include "members.h"

struct wanted {
    const char *name;
    struct member *member;
};

/* Sets those that the line has, of the `n` wanted ones; the others stay as they are. */
void wanted_read(const char *line, const struct wanted *wanted, unsigned n);

/* "address:port", and "[address]:port" of IPv6; to be freed with g_free(), as the next. */
char *wanted_endpoint(const struct member *address, const struct member *port);

/* "" of a member that is not there. */
char *wanted_text(const struct member *member);

#endif
