/* nearest.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS_PER_FAULT = 3 };

struct nearest
nearest_to(const char *written)
{
    return (struct nearest){ .written = written, .distance = UINT_MAX };
}

/* Returns whether two letters are the same, large or small. */
static bool
are_alike(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns how many letters are left out, added, others, or swapped with the next, in two texts of less than
 * NEAREST_ROOM letters. */
static unsigned
count_faults(const char *a, const char *b)
{
    unsigned rows[3][NEAREST_ROOM];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    const size_t a_letters = strlen(a), b_letters = strlen(b);
    for (size_t j = 0; j <= b_letters; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a_letters; i++) {
        unsigned *spare = before;
        before = above;
        above = row;
        row = spare;
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_letters; j++) {
            row[j] = least(above[j - 1] + !are_alike(a[i - 1], b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && are_alike(a[i - 1], b[j - 2]) && are_alike(a[i - 2], b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[b_letters];
}

/* Returns the number of letters that both begin with, up to the last one between words. */
static size_t
count_common(const char *a, const char *b)
{
    size_t common = 0;
    for (size_t i = 0; a[i] && are_alike(a[i], b[i]); i++)
        if (strchr(",.:-", a[i]))
            common = i + 1;
    return common;
}

void
nearest_offer(struct nearest *nearest, const char *name)
{
    if (strcmp(nearest->written, name) == 0) {
        nearest->distance = 0;
        *nearest->question = '\0';
        return;
    }
    const size_t common = count_common(nearest->written, name);
    const char *written = nearest->written + common, *rest = name + common;
    const size_t letters = strlen(written);
    if (letters >= NEAREST_ROOM || strlen(name) >= NEAREST_ROOM)
        return;
    const unsigned faults = count_faults(written, rest);
    if (faults * LETTERS_PER_FAULT > (letters < LETTERS_PER_FAULT ? LETTERS_PER_FAULT : letters))
        return;
    if (faults >= nearest->distance)
        return;
    nearest->distance = faults;
    snprintf(nearest->question, sizeof nearest->question, " Did you mean %s?", name);
}
