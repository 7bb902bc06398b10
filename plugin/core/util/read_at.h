/* read_at.h
 * Bytes from anywhere in a file that is written, too, by what every C library has.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_READ_AT_H
#define LATENCY_READ_AT_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

/* Reads at most `length` bytes from the place `at` on; returns how many. Of 0, errno says why. Before more is written,
 * the file must be set to where. */
static inline size_t
read_at(FILE *file, void *bytes, size_t length, int64_t at)
{
    if (fseeko(file, at, SEEK_SET) != 0)
        return 0;
    const size_t got = fread(bytes, 1, length, file);
    if (got == 0 && !ferror(file))
        errno = EIO; /* it ends before */
    return got;
}

#endif
