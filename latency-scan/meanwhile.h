/* meanwhile.h
 * What else was asked while a request was outstanding, as far as it can be told when the request ends, and will hold
 * whatever comes later: who asked while no other request was outstanding on the host that asks.
 *
 * For these a host is an address. Where a client and its server have the same, anything there can have asked, and
 * nothing is told.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_MEANWHILE_H
#define SCAN_MEANWHILE_H

#include "ended.h"

struct meanwhile;
struct outstanding;

struct meanwhile *meanwhile_new(void);
void meanwhile_free(struct meanwhile *meanwhile);

/* A request has begun. What this returns is kept until meanwhile_over(), and not longer: as much as there are requests
 * outstanding. */
struct outstanding *meanwhile_begin(struct meanwhile *meanwhile, const struct request *request);

/* It has ended, and may have been what another one waited for. `begun` may be NULL, also below. */
void meanwhile_end(struct meanwhile *meanwhile, const struct outstanding *begun, const struct ended *ended);
void meanwhile_over(struct meanwhile *meanwhile, struct outstanding *begun);

/* A request that its server waited for, as its client: the one that took longest of those that were asked while no
 * other request was outstanding there. */
struct waited_for {
    const char *operation; /* "" if it is not known */
    struct endpoint server;
    bool ipv6;
    int64_t ns;
};

/* NULL if there is none. Valid until the request is over. */
const struct waited_for *meanwhile_waited_for(const struct outstanding *begun);

/* Returns the request, the only one that was outstanding on the host of its client when it began, and still is; NULL if
 * there is none. */
const struct request *meanwhile_asked(const struct meanwhile *meanwhile, const struct outstanding *begun);

#endif
