/* reader.h
 * The reading of a scenario, shared by the kinds of its lines. Internal to the parser.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCENARIO_READER_H
#define SCENARIO_READER_H

#include "scenario.h"
#include "side.h"

struct scenario_connection {
    struct side side[2]; /* client, server */
};

struct reader {
    struct scenario *scenario;
    GArray *connections; /* of struct scenario_connection */
    unsigned current;    /* index of the one that lines are about */
    bool timestamps;
    unsigned line;
    char *problem; /* why the line is wrong; NULL if it is not */
};

/* Notes what is wrong with the line and, unless NULL, with which word. Always false. */
bool reader_wrong(struct reader *reader, const char *what, const char *word);

/* False, and noted, if the word is not a number or is missing (NULL). */
bool reader_number(struct reader *reader, const char *word, uint64_t max, uint64_t *value);

struct scenario_connection *reader_connection(struct reader *reader);

/* NULL before the first. */
struct scenario_segment *reader_last_segment(struct reader *reader);

/* Adds a copy of `like`, payload included, to the scenario. */
struct scenario_segment *reader_add_segment(struct reader *reader, const struct scenario_segment *like);

/* The kinds of lines. `words` ends with NULL and has at least one; false, and noted, if the line is wrong. */
bool read_segment_line(struct reader *reader, char **words);
bool read_setting_line(struct reader *reader, char **words);

#endif
