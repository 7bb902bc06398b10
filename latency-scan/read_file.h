/* read_file.h
 * The frames of one file, or pipe. For reading.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_READ_FILE_H
#define SCAN_READ_FILE_H

#include "compat_wiretap.h"
#include "plain_pcap.h"
#include "reading.h"

struct read_file {
    const char *path;
    bool is_regular;
    bool *has_failed;         /* borrowed: set by what ends the file too early */
    wtap *wth;                /* NULL before its beginning and after its end */
    bool is_awaited;          /* its turn has not come; it is opened anew then */
    int64_t first_ns;         /* of its first frame, if it is awaited */
    struct plain_pcap *plain; /* reads its records instead of wiretap, of which `record` has the first; or NULL */
    struct read_record record;
    struct frame next; /* valid if has_next */
    bool has_next;
    int64_t bytes; /* 0 if that is not known */
};

/* NULL, having said why, if it cannot be opened. End with read_file_free(). */
struct read_file *read_file_open(const char *path, bool *has_failed);
void read_file_free(void *file);

/* Opens it again, from its beginning: false, having said why, if that cannot be. */
bool read_file_begin(struct read_file *file);
void read_file_end(struct read_file *file);

void read_file_next(struct read_file *file);

/* So many of its bytes have been read. */
int64_t read_file_done_bytes(const struct read_file *file);

#endif
