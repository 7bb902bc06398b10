/* websocket_pairs.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "websocket_pairs.h"

#include <string.h>

#include "websocket_message.h"

enum { IDS = 32 };

struct ids {
    uint64_t id[IDS];
    uint32_t count; /* that there were; the last IDS are kept */
};

struct websocket_pairs {
    struct websocket_message message[2]; /* of the server, of the client */
    uint8_t key[WEBSOCKET_KEY_BYTES];    /* of the client's frame */
    uint32_t at;                         /* bytes of its content so far, modulo the key's */
    bool has_asked, is_over;
    uint32_t waiting;     /* requests, at most: others may have been given up */
    bool may_miss;        /* something has asked since an answer may have been missed */
    bool has_missed;      /* one that something waits for */
    struct ids doubtful;  /* asked again before the answer: nobody knows which is whose */
    struct ids cancelled; /* by the client: an answer may have been on its way */
};

struct websocket_pairs *
websocket_pairs_new(struct reading *reading)
{
    return wmem_new0(reading_scope(reading), struct websocket_pairs);
}

void
websocket_pairs_free(struct reading *reading, struct websocket_pairs *pairs)
{
    wmem_free(reading_scope(reading), pairs);
}

bool
websocket_pairs_has_asked(const struct websocket_pairs *pairs)
{
    return pairs->has_asked;
}

bool
websocket_pairs_wants(const struct websocket_pairs *pairs)
{
    return !pairs->is_over;
}

void
websocket_pairs_unmask(struct websocket_pairs *pairs, const uint8_t key[static WEBSOCKET_KEY_BYTES])
{
    memcpy(pairs->key, key, WEBSOCKET_KEY_BYTES);
    pairs->at = 0;
}

void
websocket_pairs_begin(struct websocket_pairs *pairs, bool from_client)
{
    websocket_message_begin(&pairs->message[from_client], from_client);
}

bool
websocket_pairs_is_open(const struct websocket_pairs *pairs, bool from_client)
{
    return pairs->message[from_client].says == WEBSOCKET_OPEN;
}

static bool
has(const struct ids *ids, uint64_t id)
{
    for (unsigned i = 0; i < MIN(ids->count, IDS); i++)
        if (ids->id[i] == id)
            return true;
    return false;
}

static void
add(struct ids *ids, uint64_t id)
{
    if (!has(ids, id))
        ids->id[ids->count++ % IDS] = id;
}

static void
drop(struct ids *ids, uint64_t id)
{
    for (unsigned i = 0; i < MIN(ids->count, IDS); i++)
        if (ids->id[i] == id)
            ids->id[i] = ids->id[--ids->count];
}

void
websocket_pairs_give_up(struct reading *reading, struct websocket_pairs *pairs)
{
    if (pairs->waiting > 0)
        reading_gives_up_all(reading);
    pairs->waiting = 0;
    pairs->may_miss = pairs->has_missed = false;
}

void
websocket_pairs_stop(struct reading *reading, struct websocket_pairs *pairs)
{
    websocket_pairs_give_up(reading, pairs);
    pairs->is_over = true;
}

/* Notes, where an answer may be missing, that what waits is lost unless its answer comes. If then a message of the
 * client is missing, too, its answer may look like that. */
void
websocket_pairs_miss(struct reading *reading, struct websocket_pairs *pairs, bool from_client)
{
    if (from_client && pairs->has_missed)
        websocket_pairs_give_up(reading, pairs);
    if (from_client || !pairs->may_miss)
        return;
    reading_loses_answers(reading, false);
    pairs->may_miss = false;
    pairs->has_missed = true;
}

/* Notes that a request waits no more. Once none does, what was missed does not matter. */
static void
end_waiting(struct websocket_pairs *pairs)
{
    pairs->waiting -= pairs->waiting > 0;
    pairs->may_miss &= pairs->waiting > 0;
    pairs->has_missed &= pairs->waiting > 0;
}

static void
ask(struct reading *reading, struct websocket_pairs *pairs, const struct websocket_message *message)
{
    if (reading_awaits(reading, message->id) || has(&pairs->cancelled, message->id))
        add(&pairs->doubtful, message->id);
    if (pairs->doubtful.count > IDS) {
        websocket_pairs_stop(reading, pairs);
        return;
    }
    /* the 101 is not the last request any more, nor are all messages its own */
    for (unsigned side = 0; side < 2 && !pairs->has_asked; side++)
        reading_counts(reading, side, CONTENT_UNKNOWN);
    pairs->has_asked = pairs->may_miss = true;
    pairs->waiting++;
    reading_asks_as(reading, message->id, message->operation);
    reading_flow(reading, true)->message.awaits_event = message->awaits_event;
}

static void
answer(struct reading *reading, struct websocket_pairs *pairs, const struct websocket_message *message)
{
    const bool is_doubtful = has(&pairs->doubtful, message->id);
    const bool is_awaited = reading_awaits(reading, message->id);
    /* nothing of what the client has cancelled comes behind its end */
    if (message->is_last && !is_awaited)
        drop(&pairs->cancelled, message->id);
    if (!is_doubtful)
        reading_answers_to(reading, message->id, message->status, message->failed);
    if (!is_doubtful && is_awaited)
        end_waiting(pairs);
    while (is_doubtful && reading_awaits(reading, message->id)) {
        reading_gives_up(reading, message->id, STOP_LOST);
        end_waiting(pairs);
    }
}

/* Takes that the client wants no more answers under the id. Stops where more ids were cancelled than are kept: a late
 * answer could then not be told from that of a request with the same id. */
static void
cancel(struct reading *reading, struct websocket_pairs *pairs, uint64_t id)
{
    if (reading_awaits(reading, id)) {
        reading_gives_up(reading, id, STOP_CANCELLED);
        end_waiting(pairs);
    }
    add(&pairs->cancelled, id);
    if (pairs->cancelled.count > IDS)
        websocket_pairs_stop(reading, pairs);
}

/* Tells what a message says. */
static void
tell(struct reading *reading, struct websocket_pairs *pairs, bool from_client)
{
    const struct websocket_message *message = &pairs->message[from_client];
    if (pairs->is_over)
        return;
    if (message->says == WEBSOCKET_UNREAD) {
        websocket_pairs_miss(reading, pairs, from_client);
    } else if (message->says == WEBSOCKET_ASKS) {
        ask(reading, pairs, message);
    } else if (message->says == WEBSOCKET_ANSWERS) {
        answer(reading, pairs, message);
    } else if (message->says == WEBSOCKET_CANCELS) {
        cancel(reading, pairs, message->id);
    }
}

bool
websocket_pairs_take(struct reading *reading, struct websocket_pairs *pairs, bool from_client, const uint8_t *bytes,
                     size_t length)
{
    uint8_t plain[UNIT_BYTES];
    if (!websocket_pairs_is_open(pairs, from_client))
        return true;
    for (size_t i = 0; from_client && i < length; i++)
        plain[i] = bytes[i] ^ pairs->key[pairs->at++ % WEBSOCKET_KEY_BYTES];
    websocket_message_take(&pairs->message[from_client], from_client ? plain : bytes, length);
    if (websocket_pairs_is_open(pairs, from_client))
        return false;
    tell(reading, pairs, from_client);
    return true;
}

void
websocket_pairs_end(struct reading *reading, struct websocket_pairs *pairs, bool from_client, bool cut)
{
    if (!websocket_pairs_is_open(pairs, from_client))
        return;
    websocket_message_end(&pairs->message[from_client], cut);
    tell(reading, pairs, from_client);
}
