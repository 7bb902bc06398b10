/* websocket_message.h
 * What a text message of a WebSocket asks or answers: JSON-RPC 2.0, and GraphQL by graphql-transport-ws or
 * subscriptions-transport-ws. Of the bytes nothing is kept but names and ids.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_WEBSOCKET_MESSAGE_H
#define LATENCY_WEBSOCKET_MESSAGE_H

#include "../../request/operation.h"
#include "../../request/request.h"

enum websocket_says {
    WEBSOCKET_OPEN, /* not known yet */
    WEBSOCKET_ASKS,
    WEBSOCKET_ANSWERS,
    WEBSOCKET_CANCELS, /* what its client has asked under the id */
    WEBSOCKET_NOTHING,
    WEBSOCKET_UNREAD /* it may ask or answer, be it several times */
};

struct websocket_message {
    enum websocket_says says;
    uint64_t id;                    /* a number and a text never have the same */
    char operation[OPERATION_ROOM]; /* of what asks */
    char status[STATUS_ROOM];       /* of what answers */
    bool failed;
    bool is_last;      /* what answers says that under its id nothing follows */
    bool awaits_event; /* what asks is a subscription */

    /* Say how far the text has been read, and what it has had so far: */
    bool from_client, has_id, has_method, has_name, has_query, has_code;
    bool is_text, is_word, is_escaped, is_name, expects_name, is_nested_object;
    uint8_t type, result, error, payload;
    uint8_t member, outer; /* whose value comes, and in whose value that is */
    uint8_t n_text;        /* bytes of the text or the word that is read now, and whether it is more than these: */
    bool is_long, has_escape;
    char text[OPERATION_ROOM];
    uint32_t depth;
};

void websocket_message_begin(struct websocket_message *message, bool from_client);

/* Takes the next bytes, until `says` is known. */
void websocket_message_take(struct websocket_message *message, const uint8_t *bytes, size_t length);

/* Ends it, where `says` is not known yet. `cut`: the capture lacks the rest. */
void websocket_message_end(struct websocket_message *message, bool cut);

#endif
