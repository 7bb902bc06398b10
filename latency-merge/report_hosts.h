/* report_hosts.h
 * The merged table of hosts as text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_MERGE_REPORT_HOSTS_H
#define LATENCY_MERGE_REPORT_HOSTS_H

#include <stdio.h>

#include "host_totals.h"

/* `made_of` stands below the title, in whole lines. False if what was written to disk could not be read again. */
bool report_hosts_print(const struct host_totals *hosts, const char *made_of, FILE *file);

#endif
