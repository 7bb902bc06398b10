/* awaited.h
 * Attempts to connect that were waiting for an answer when a table took them: that one has waited too long, or that its
 * connection has ended, comes with none of its packets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_AWAITED_H
#define LATENCY_AWAITED_H

#include "../core/tcp/connection.h"
#include "observer.h"

struct awaited {
    struct table_source *source;
    GHashTable *attempts; /* of this capture */
    void (*take)(void *rows, const struct connection *attempt);
    void *rows;
    struct observer observer;
};

/* Begins without any. `take` takes an attempt into `rows` again, and calls awaited_result(). All is borrowed until
 * awaited_close(); the struct must stay where it is. */
void awaited_open(struct awaited *awaited, struct table_source *source,
                  void (*take)(void *rows, const struct connection *attempt), void *rows);
void awaited_close(struct awaited *awaited);

/* Returns what an attempt of the capture that is being read has come to so far, and remembers it while it waits. */
enum connect_result awaited_result(struct awaited *awaited, const struct connection *attempt);

/* Takes again each attempt that was waiting. To be called before rows are shown. */
void awaited_settle(struct awaited *awaited);

#endif
