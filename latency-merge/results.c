/* results.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "results.h"

#include <string.h>

enum connect_result
results_read_connect(struct record *record)
{
    static const char *const names[CONNECT_RESULTS] = {
        [CONNECT_UNANSWERED] = "unanswered",   [CONNECT_ACCEPTED] = "accepted", [CONNECT_REFUSED] = "refused",
        [CONNECT_UNREACHABLE] = "unreachable", [CONNECT_WAITING] = "waiting",
    };
    const char *result = record_text(record, "result");
    for (unsigned i = 0; i < CONNECT_RESULTS; i++)
        if (strcmp(result, names[i]) == 0)
            return (enum connect_result)i;
    record->wrong = record->wrong ? record->wrong : "result";
    return CONNECT_UNANSWERED;
}

enum tls_result
results_read_tls(struct record *record)
{
    static const char *const names[TLS_RESULTS] = {
        [TLS_UNFINISHED] = "unfinished",
        [TLS_COMPLETE] = "complete",
        [TLS_FAILED] = "failed",
    };
    const char *result = record_text(record, "result");
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        if (strcmp(result, names[i]) == 0)
            return (enum tls_result)i;
    record->wrong = record->wrong ? record->wrong : "result";
    return TLS_UNFINISHED;
}
