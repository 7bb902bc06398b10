/* memcached_looks.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "memcached_looks.h"

#include "../parser.h"

enum kind {
    STORES = 0x001,
    GETS = 0x002,
    COUNTS = 0x004,
    DELETES = 0x008,
    TOUCHES = 0x010,
    TELLS = 0x020,
    GETS_META = 0x040,
    GETS_QUIETLY = 0x800, /* and the `mn` that ends it */
    CHANGES_META = 0x080,
    ENDS_META = 0x100,
    SHOWS_META = 0x200,
    ELSE = 0x400
};

struct entry {
    const char *word;
    uint16_t kinds;
};

static const struct entry commands[] = {
    { "set", STORES },    { "add", STORES },      { "replace", STORES },  { "append", STORES },   { "prepend", STORES },
    { "cas", STORES },    { "get", GETS },        { "gets", GETS },       { "gat", GETS },        { "gats", GETS },
    { "incr", COUNTS },   { "decr", COUNTS },     { "delete", DELETES },  { "touch", TOUCHES },   { "stats", TELLS },
    { "mg", GETS_META },  { "ms", CHANGES_META }, { "md", CHANGES_META }, { "ma", CHANGES_META }, { "mn", ENDS_META },
    { "me", SHOWS_META },
};

/* Without a kind: errors can answer anything, and the others what is asked rarely. */
static const struct entry answers[] = {
    { "STORED", STORES },
    { "NOT_STORED", STORES },
    { "EXISTS", STORES },
    { "NOT_FOUND", STORES | COUNTS | DELETES | TOUCHES },
    { "VALUE", GETS },
    { "END", GETS | TELLS },
    { "DELETED", DELETES },
    { "TOUCHED", TOUCHES },
    { "STAT", TELLS },
    { "RESET", TELLS },
    { "OK", ELSE },
    { "VERSION", ELSE },
    { "VA", GETS_META | GETS_QUIETLY | CHANGES_META },
    { "HD", GETS_META | GETS_QUIETLY | CHANGES_META },
    { "EN", GETS_META | SHOWS_META },
    { "NF", CHANGES_META },
    { "NS", CHANGES_META },
    { "EX", CHANGES_META },
    { "MN", GETS_QUIETLY | ENDS_META },
    { "ME", SHOWS_META },
    { "ERROR", 0 },
    { "CLIENT_ERROR", 0 },
    { "SERVER_ERROR", 0 },
    { "ITEM", 0 },
    { "PREFIX", 0 },
    { "CONFIG", 0 },
    { "BUSY", 0 },
    { "BADCLASS", 0 },
    { "NOSPARE", 0 },
    { "NOTFULL", 0 },
    { "UNSAFE", 0 },
    { "SAME", 0 },
};

static const struct entry *
find(const struct entry *entries, size_t count, const struct memcached_word *word)
{
    for (size_t i = 0; i < count; i++)
        if (memcached_is(word, entries[i].word))
            return &entries[i];
    return NULL;
}

uint64_t
memcached_looks_of_command(const struct memcached_words *words)
{
    const struct entry *entry = find(commands, G_N_ELEMENTS(commands), &words->word[0]);
    uint16_t kinds = entry ? entry->kinds : ELSE;
    if (kinds == GETS_META && memcached_has(words, 2, "q"))
        kinds = GETS_QUIETLY;
    /* of several keys any can be missing */
    unsigned key = memcached_is(&words->word[0], "get") || memcached_is(&words->word[0], "gets") ? 1 : 2;
    const struct memcached_word *name = kinds == GETS && words->count == key + 1 ? &words->word[key] : NULL;
    return parser_looks(kinds, name ? name->at : NULL, name ? name->length : 0);
}

/* Lines that have this one word. */
static const char *const single[] = { "STORED",  "NOT_STORED", "EXISTS", "NOT_FOUND", "END",
                                      "DELETED", "TOUCHED",    "RESET",  "OK" };

bool
memcached_is_answer(const struct memcached_words *words)
{
    uint64_t number;
    if (words->count == 1 && words->word[0].length > 0 && memcached_number(words, 0, &number))
        return true;
    if (words->count == 0 || !find(answers, G_N_ELEMENTS(answers), &words->word[0]))
        return false;
    if (memcached_is(&words->word[0], "VALUE"))
        return memcached_number(words, 2, &number) && memcached_number(words, 3, &number);
    return words->count == 1 || !MEMCACHED_IS_ONE_OF(&words->word[0], single);
}

uint64_t
memcached_looks_of_answer(const struct memcached_words *words)
{
    const struct entry *entry = find(answers, G_N_ELEMENTS(answers), &words->word[0]);
    bool has_name = words->count > 1 && memcached_is(&words->word[0], "VALUE");
    const struct memcached_word *name = has_name ? &words->word[1] : NULL;
    uint64_t number;
    uint16_t kinds = entry ? entry->kinds : 0;
    if (!entry && memcached_number(words, 0, &number))
        kinds = COUNTS;
    return parser_looks(kinds, name ? name->at : NULL, name ? name->length : 0);
}
