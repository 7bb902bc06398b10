/* nats_inbox.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "nats_inbox.h"

#include <glib.h>

/* FNV-1a (draft-eastlake-fnv), which goes on from any prefix's. */
static uint64_t
hash_of(const uint8_t *bytes, size_t length)
{
    static const uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;
    uint64_t hash = basis;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * prime;
    return hash;
}

/* Returns what the subject's answers are known by, which is not 0. */
static uint64_t
key_of(struct nats_word subject)
{
    return MAX(hash_of(subject.at, subject.length) >> (64 - NATS_KEY_BITS), 1);
}

static struct nats_subscription *
by_sid(const struct nats_inboxes *inboxes, struct nats_word sid)
{
    const uint64_t hash = hash_of(sid.at, sid.length);
    for (unsigned i = 0; i < NATS_SUBSCRIPTIONS; i++)
        if (inboxes->subscriptions[i].sid == hash)
            return (struct nats_subscription *)&inboxes->subscriptions[i];
    return NULL;
}

static bool
has_subscribed(const struct nats_subscription *subscription, struct nats_word subject)
{
    const size_t bytes = subscription->bytes;
    return bytes > 0 && (subscription->is_wild ? subject.length > bytes : subject.length == bytes) &&
           hash_of(subject.at, bytes) == subscription->subject;
}

static struct nats_subscription *
by_subject(struct nats_inboxes *inboxes, struct nats_word subject)
{
    for (unsigned i = 0; i < NATS_SUBSCRIPTIONS; i++)
        if (has_subscribed(&inboxes->subscriptions[i], subject))
            return &inboxes->subscriptions[i];
    return NULL;
}

/* Returns how many bytes of a subject stand before its first token that is a wildcard. */
static size_t
bytes_before_wildcard(struct nats_word subject)
{
    for (size_t i = 0; i < subject.length; i++)
        if ((subject.at[i] == '*' || subject.at[i] == '>') && (i == 0 || subject.at[i - 1] == '.'))
            return i;
    return subject.length;
}

void
nats_subscribe(struct nats_inboxes *inboxes, const struct nats_line *line)
{
    const size_t bytes = bytes_before_wildcard(line->subject);
    struct nats_subscription *slot = by_sid(inboxes, line->sid);
    if (!slot)
        slot = &inboxes->subscriptions[inboxes->subscribed++ % NATS_SUBSCRIPTIONS];
    inboxes->is_complete &= slot->bytes == 0 && bytes > 0;
    *slot = (struct nats_subscription){
        .sid = hash_of(line->sid.at, line->sid.length),
        .subject = hash_of(line->subject.at, bytes),
        .bytes = (uint16_t)bytes,
        .is_wild = bytes < line->subject.length,
    };
}

/* What is to end after a number of messages goes on until then. */
void
nats_unsubscribe(struct nats_inboxes *inboxes, const struct nats_line *line)
{
    struct nats_subscription *slot = by_sid(inboxes, line->sid);
    if (slot && line->rest.length == line->sid.length)
        *slot = (struct nats_subscription){ 0 };
}

static struct nats_reply *
place_of(const struct nats_inboxes *inboxes, uint64_t key)
{
    return (struct nats_reply *)&inboxes->replies[key % NATS_REPLIES];
}

static struct nats_reply *
by_key(const struct nats_inboxes *inboxes, uint64_t key)
{
    struct nats_reply *reply = place_of(inboxes, key);
    return key > 0 && reply->key == key ? reply : NULL;
}

/* What was pulled is delivered by the subscription: two of these at a time cannot be told apart. */
enum nats_fate
nats_ask(struct nats_inboxes *inboxes, struct nats_word reply, bool pulls, uint32_t messages, uint64_t *key)
{
    struct nats_subscription *subscription = by_subject(inboxes, reply);
    *key = key_of(reply);
    if (!subscription && inboxes->is_complete)
        return NATS_ANSWERED_ELSEWHERE;
    if (pulls && !subscription)
        return NATS_IS_BLURRED;
    struct nats_reply *known = by_key(inboxes, pulls && subscription->pull ? subscription->pull : *key);
    if (known && (known->is_blurred || known->left > 0)) {
        *key = known->key;
        known->is_blurred = true;
        return NATS_IS_BLURRED;
    }
    if (pulls)
        subscription->pull = *key;
    *place_of(inboxes, *key) = (struct nats_reply){ *key, messages, false };
    return NATS_ASKS;
}

void
nats_pull(struct nats_inboxes *inboxes, uint64_t key, uint32_t messages)
{
    struct nats_reply *reply = by_key(inboxes, key);
    if (reply)
        reply->left = messages;
}

uint64_t
nats_blur_pull(struct nats_inboxes *inboxes, unsigned slot)
{
    struct nats_reply *reply = by_key(inboxes, inboxes->subscriptions[slot].pull);
    if (!reply || reply->is_blurred || reply->left == 0)
        return 0;
    reply->is_blurred = true;
    return reply->key;
}

uint64_t
nats_asked(const struct nats_inboxes *inboxes, const struct nats_line *line)
{
    const struct nats_subscription *subscription = by_sid(inboxes, line->sid);
    const bool is_pulled = subscription && subscription->pull && !has_subscribed(subscription, line->subject);
    const uint64_t key = is_pulled ? subscription->pull : key_of(line->subject);
    const struct nats_reply *reply = by_key(inboxes, key);
    return reply && reply->is_blurred ? 0 : key;
}

void
nats_answered(struct nats_inboxes *inboxes, uint64_t key, bool ends)
{
    struct nats_reply *reply = by_key(inboxes, key);
    if (reply && ends)
        reply->left = 0;
    else if (reply && reply->left < NATS_MANY)
        reply->left -= reply->left > 0;
}
