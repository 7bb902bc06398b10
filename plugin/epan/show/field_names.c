/* field_names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "field_names.h"

#include <string.h>

#include <epan/proto.h>

#include "../../core/util/nearest.h"

static const char *const protocols[] = { "latency", "ca", "pva" };

/* Returns whether a word is written as a field of ours is. */
static bool
is_of_ours(const char *word)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(protocols); i++)
        if (g_str_has_prefix(word, protocols[i]) && word[strlen(protocols[i])] == '.')
            return true;
    return false;
}

/* Returns a question for a field that there is not. */
static char *
ask(const char *field)
{
    struct nearest nearest = nearest_to(field);
    for (unsigned i = 0; i < G_N_ELEMENTS(protocols); i++) {
        void *place;
        const int protocol = proto_get_id_by_filter_name(protocols[i]);
        const header_field_info *known = proto_get_first_protocol_field(protocol, &place);
        for (; known; known = proto_get_next_protocol_field(protocol, &place))
            nearest_offer(&nearest, known->abbrev);
    }
    return g_strdup(nearest.question);
}

char *
field_names_question(const char *filter)
{
    char *question = g_strdup("");
    char **words = g_strsplit_set(filter ? filter : "", " \t()!=<>&|{}[],\"'", -1);
    for (char **word = words; *word && !*question; word++) {
        if (!is_of_ours(*word) || proto_registrar_get_byname(*word))
            continue;
        g_free(question);
        question = ask(*word);
    }
    g_strfreev(words);
    return question;
}
