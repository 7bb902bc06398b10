/* described.h
 * Processes that blocks of a pcapng file describe: those of Apple's tcpdump, which packets name by the blocks' numbers,
 * and those of Wireshark's, which they name by pid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_DESCRIBED_H
#define SCAN_DESCRIBED_H

#include "core/points/process.h"
#include "reader/frame.h"

struct described;

struct described *described_new(void);
void described_free(struct described *described);

/* Take the body of a block, or an entry of one. False, without having taken it, if it is cut or makes no sense, or too
 * many have been taken. */
bool described_take_apples(struct described *described, const struct raw_options *body);
bool described_take_wiresharks(struct described *described, const struct raw_options *body);

/* Reads the process of the block with a number, from 0. Nothing changes if there is none. */
void described_read_numbered(const struct described *described, uint32_t number, struct process *process);

/* Reads the process that had the pid at a time: of several the last one that had started by then, or the first one if
 * none had, as Wireshark has it. False if no block has the pid, or none of the latest that do tells. */
bool described_read_pid(const struct described *described, uint32_t pid, int64_t time_ns, struct process *process);

#endif
