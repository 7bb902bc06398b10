/* worker.h
 * The rule `worker`: who most likely caused a call of which no other rule is certain.
 *
 * A worker, a thread or a process, serves one request at a time, and soon after what it has waited for it goes on:
 * after a request's arrival with its first call, after an answer with the next call, after the last one with the
 * response. How soon, and with what, is learned from the capture in several rounds, each of which goes by what the one
 * before found. TraceWeaver (Ashok et al., SIGCOMM 2024) tells causes by a statistical analysis of times, too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WORKER_H
#define LATENCY_WORKER_H

#include "calls_host.h"

/* The probability from which on a cause is told, unless the user says otherwise. */
enum { CALL_PERCENT = 90 };

/* Tells the cause of each call that has several candidates, if it is likely by `percent` or more. Tells none of an
 * operation if few of its calls reach that: these then do so by chance. */
void worker_tell(const struct calls_host *host, unsigned percent);

#endif
