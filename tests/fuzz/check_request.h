/* check_request.h
 * What must hold together of any request that somebody could show. For fuzzers' targets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FUZZ_CHECK_REQUEST_H
#define FUZZ_CHECK_REQUEST_H

#include "core/analysis.h"

/* Ends the program if it does not. */
void check_request(const struct requests *requests, const struct request *request);

/* Checks the requests that a frame has a part of, which must be of that protocol; PROTOCOL_COUNT for any. */
void check_requests(struct analysis *analysis, uint32_t frame, enum protocol protocol);

#endif
