/* reading.h
 * The frames of one capture: a file in its order, or several in the order of their frames' times. Whatever Wireshark
 * opens, for it is read by its wiretap; compressed, and from a pipe ("-"), too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_READING_H
#define SCAN_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/points/process.h"
#include "reader/frame.h"

struct reading;

/* Says what cannot be opened, each in a sentence on standard error; NULL if there is nothing to read. `may_read_ahead`:
 * what wiretap reads of a file may be read in a thread of its own. */
struct reading *reading_open(char **paths, bool may_read_ahead, bool *failed);
void reading_close(struct reading *reading);

/* A frame without a number, valid until the next one is read; NULL after the last one. What ends a file too early is
 * said, and noted. */
struct frame *reading_next(struct reading *reading);

/* Whether it ends when somebody ends it: a file of it is a pipe. */
bool reading_is_live(const struct reading *reading);

/* Whether a file ended too early. */
bool reading_has_failed(const struct reading *reading);

/* Makes Ctrl-C end reading, not the program: what has been read is printed. A second one ends the program, as SIGTERM
 * does. */
void reading_catch_interrupt(void);
bool reading_is_interrupted(void);

/* Makes each Ctrl-C, SIGTERM, SIGHUP and SIGQUIT end reading, not the program, which must give back the terminal. */
void reading_catch_all(void);

/* Bytes read so far, and of all files; 0 of all if that is not known. */
int64_t reading_done_bytes(const struct reading *reading);
int64_t reading_all_bytes(const struct reading *reading);

/* For struct point_calls; of processes only those of plain files are known. */
const char *reading_interface_name(const struct frame *frame, uint32_t interface, uint32_t section);
void reading_process_block(const struct frame *frame, uint32_t block, uint32_t section, struct process *process);
bool reading_process_of_pid(const struct frame *frame, uint32_t pid, struct process *process);

#endif
