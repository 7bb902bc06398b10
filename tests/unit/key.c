/* key.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "key.h"

#include <string.h>

#include "key-read.h"
#include "words.h"

/* From when on a key can be known. */
enum known { WHEN_TAKEN, ON_FIRST_RESPONSE, ON_ANSWER, ON_ACK, AT_END };

/* How its value is written. */
enum form { NUMBER, TIME, FLAGS, TEXT };

struct key {
    const char *name;
    enum known known;
    enum form form;
    char *(*read)(const struct view *view);
};

static const struct key keys[] = {
    { "item", WHEN_TAKEN, TEXT, read_item },
    { "first", WHEN_TAKEN, TEXT, read_first },
    { "spacing", WHEN_TAKEN, TIME, read_spacing },
    { "byte_offset", WHEN_TAKEN, NUMBER, read_byte_offset },
    { "flags", WHEN_TAKEN, FLAGS, read_flags },
    { "ipid_delta", WHEN_TAKEN, NUMBER, read_ipid_delta },
    { "request", WHEN_TAKEN, NUMBER, read_request },
    { "operation", WHEN_TAKEN, TEXT, read_operation },
    { "first_byte", ON_FIRST_RESPONSE, TIME, read_first_byte },
    { "service", ON_FIRST_RESPONSE, TIME, read_service },
    { "request_spread", ON_FIRST_RESPONSE, TIME, read_request_spread },
    { "server_time", ON_FIRST_RESPONSE, TIME, read_server_time },
    { "request_bytes", ON_FIRST_RESPONSE, NUMBER, read_request_bytes },
    { "last_byte", AT_END, TIME, read_last_byte },
    { "transfer", AT_END, TIME, read_transfer },
    { "wait", AT_END, TIME, read_wait },
    { "response_bytes", AT_END, NUMBER, read_response_bytes },
    { "retransmissions", AT_END, NUMBER, read_retransmissions },
    { "reordered", AT_END, TEXT, read_reordered },
    { "outcome", AT_END, TEXT, read_outcome },
    { "connect_time", ON_ANSWER, TIME, read_connect_time },
    { "connect_result", ON_ANSWER, TEXT, read_connect_result },
    { "syn_retries", ON_ANSWER, NUMBER, read_syn_retries },
    { "network_server", ON_ANSWER, TIME, read_network_server },
    { "network_client", ON_ACK, TIME, read_network_client },
    { "behaviour", AT_END, TEXT, read_behaviour },
    { "attempts", AT_END, NUMBER, read_attempts },
    { "duplicates", AT_END, NUMBER, read_duplicates },
    { "unsolicited", AT_END, NUMBER, read_unsolicited },
};

const struct key *
key_find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

/* So that flags may be listed in any order. */
static char *
expected_flags(const char *value)
{
    unsigned mask;
    return read_flag_list(value, &mask) ? write_flags(mask) : NULL;
}

char *
key_expected(const struct key *key, const char *value)
{
    int64_t ns;
    if (key->form == TEXT || strcmp(value, "none") == 0)
        return g_strdup(value);
    if (key->form == FLAGS)
        return expected_flags(value);
    if (key->form == TIME)
        return *value != '+' && word_time(value, 0, &ns) ? write_seconds(ns) : NULL;
    return g_ascii_string_to_signed(value, 10, G_MININT64, G_MAXINT64, &ns, NULL) ? g_strdup(value) : NULL;
}

char *
key_read(const struct key *key, const struct view *view)
{
    return key->read(view);
}

bool
key_is_known(const struct key *key, const struct view *view)
{
    switch (key->known) {
    case WHEN_TAKEN:
        return true;
    case ON_FIRST_RESPONSE:
        return view->item != NULL && view->item->kind == ITEM_RESPONSE && !is_after_first(view);
    case ON_ANSWER:
        return view->item != NULL && view->item->kind == ITEM_ANSWER;
    case ON_ACK:
        return view->item != NULL && view->item->kind == ITEM_ACK;
    case AT_END:
        break;
    }
    return false;
}
