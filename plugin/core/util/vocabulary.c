/* vocabulary.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vocabulary.h"

#include <string.h>

#define WORD(name, word, ...) word,
#define WORDS(function, LIST)                                                                                          \
    const char *function(unsigned number)                                                                              \
    {                                                                                                                  \
        static const char *const words[] = { LIST(WORD) };                                                             \
        return number < sizeof words / sizeof *words ? words[number] : "";                                             \
    }

WORDS(outcome_name, OUTCOME_LIST)
WORDS(connect_result_name, CONNECT_RESULT_LIST)
WORDS(tls_result_name, TLS_RESULT_LIST)
WORDS(ipid_name, IPID_BEHAVIOUR_LIST)
WORDS(heading_name, HEADING_LIST)
WORDS(part_name, PART_LIST)
WORDS(json_content_name, JSON_CONTENT_LIST)
WORDS(call_rule_name, CALL_RULE_LIST)

enum call_rule
call_rule_find(const char *name)
{
    for (unsigned rule = 0; rule < CALL_RULES; rule++)
        if (strcmp(call_rule_name(rule), name) == 0)
            return (enum call_rule)rule;
    return CALL_NONE;
}

unsigned
outcome_says(unsigned outcome)
{
#define SAYS(name, word, says) says,
    static const unsigned char all[] = { OUTCOME_LIST(SAYS) };
    return outcome < OUTCOMES ? all[outcome] : 0;
}
