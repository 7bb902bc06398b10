/* test-ca-channel.c
 * Which answer belongs to which request, and which channel a message is about.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include <glib.h>

#include "core/ca/ca_role.h"
#include "core/ca/ca_take.h"
#include "core/ca/circuit_protocol.h"

enum { MS = 1000000 };

/* A capture with the time and frame of its next message. */
struct play {
    wmem_allocator_t *scope;
    struct ca_channels *channels;
    struct ca_arrival arrival;
};

static const struct endpoint client = { { 10, 0, 0, 1 }, 40000, TRANSPORT_TCP };
static const struct endpoint server = { { 10, 0, 0, 2 }, 5064, TRANSPORT_TCP };
static const struct endpoint other_server = { { 10, 0, 0, 3 }, 5064, TRANSPORT_TCP };

static struct play
begin(void)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    return (struct play){ scope, ca_channels_new(scope), { .time_ns = 0, .frame = 0 } };
}

static void
end(struct play *play)
{
    wmem_destroy_allocator(play->scope);
}

/* A millisecond and a frame later. */
static struct ca_subject
say(struct play *play, struct ca_circuit *circuit, bool from_client, struct ca_message message, const char *payload,
    size_t bytes)
{
    play->arrival.frame++;
    play->arrival.time_ns += MS;
    message.size = (uint32_t)(bytes + 7) / 8 * 8;
    message.header_bytes = CA_HEADER_BYTES;
    const uint8_t *there = (const uint8_t *)payload;
    const struct circuit_role role = ca_role(&message, there, bytes, from_client);
    const struct ca_taking taking = { play->channels, circuit, &message, there, bytes, &play->arrival, &role };
    return ca_subject(play->channels, ca_take(&taking, from_client));
}

static struct ca_subject
ask(struct play *play, struct ca_circuit *circuit, uint16_t command, uint32_t p1, uint32_t p2)
{
    return say(play, circuit, true,
               (struct ca_message){ .command = command, .type = 6, .count = 1, .p1 = p1, .p2 = p2 }, "", 0);
}

static struct ca_subject
answer(struct play *play, struct ca_circuit *circuit, uint16_t command, uint32_t p1, uint32_t p2)
{
    return say(play, circuit, false,
               (struct ca_message){ .command = command, .type = 6, .count = 1, .p1 = p1, .p2 = p2 }, "", 0);
}

static struct ca_subject
create(struct play *play, struct ca_circuit *circuit, uint32_t cid, const char *pv)
{
    return say(play, circuit, true, (struct ca_message){ .command = CA_CREATE_CHAN, .p1 = cid, .p2 = 13 }, pv,
               strlen(pv) + 1);
}

/* An ERROR that quotes the header of the failed request. */
static struct ca_subject
refuse(struct play *play, struct ca_circuit *circuit, uint8_t command, uint8_t p1, uint8_t p2)
{
    const char quoted[] = { 0, (char)command, 0, 0, 0, 0, 0, 0, 0, 0, 0, (char)p1, 0, 0, 0, (char)p2, 'n', 'o', 0 };
    return say(play, circuit, false, (struct ca_message){ .command = CA_ERROR, .p1 = UINT32_MAX, .p2 = 0x8e }, quoted,
               sizeof quoted);
}

/* One SEARCH or its reply, in a datagram of its own. */
static struct ca_subject
datagram(struct play *play, uint16_t port, uint32_t sequence, struct ca_message message, const char *pv,
         const struct endpoint *source)
{
    struct endpoint searcher = client;
    searcher.port = port;
    struct ca_batch batch = { .searcher = ca_peer(&play->channels->searches.peers, CA_UDP_SEARCHER, &searcher, false),
                              .has_sequence = true,
                              .sequence = sequence };
    play->arrival.frame++;
    play->arrival.time_ns += MS;
    message.size = (uint32_t)strlen(pv) + 1;
    return ca_subject(play->channels,
                      ca_take_datagram(play->channels, &batch, &message, (const uint8_t *)pv, strlen(pv) + 1,
                                       source ? source : &searcher, false, &play->arrival));
}

static struct ca_subject
search(struct play *play, uint16_t port, uint32_t sequence, uint32_t cid, const char *pv)
{
    return datagram(
        play, port, sequence,
        (struct ca_message){ .command = CA_SEARCH, .type = CA_DONT_REPLY, .count = 13, .p1 = cid, .p2 = cid }, pv,
        NULL);
}

static struct ca_subject
reply(struct play *play, uint16_t port, uint32_t sequence, uint32_t cid, const struct endpoint *source)
{
    return datagram(play, port, sequence,
                    (struct ca_message){ .command = CA_SEARCH, .type = 5064, .p1 = CA_SENDER_ADDRESS, .p2 = cid }, "",
                    source);
}

static void
test_created(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    const struct ca_channel *channel = create(&play, circuit, 7, "PV.VAL").channel;
    g_assert_cmpstr(channel->pv, ==, "PV.VAL");
    g_assert_cmpint(channel->create.outcome, ==, CA_WAITING);
    g_assert_cmpint(ca_channel_connect(play.channels, channel), ==, -1);
    g_assert_true(answer(&play, circuit, CA_ACCESS_RIGHTS, 7, 3).channel == channel);
    g_assert_true(answer(&play, circuit, CA_CREATE_CHAN, 7, 99).channel == channel);
    g_assert_cmpint(channel->create.outcome, ==, CA_OK);
    g_assert_cmpint(ca_request_latency(&channel->create), ==, 2 * MS);
    g_assert_cmpint(ca_channel_connect(play.channels, channel), ==, 2 * MS);
    g_assert_cmpuint(channel->create.request_frame, ==, 1);
    g_assert_cmpuint(channel->create.answer_frame, ==, 3);
    g_assert_cmpuint(channel->sid, ==, 99);
    g_assert_cmpuint(channel->rights, ==, 3);
    g_assert_true(ask(&play, circuit, CA_WRITE, 99, 7).channel == channel);
    g_assert_true(ask(&play, circuit, CA_CLEAR_CHANNEL, 99, 7).channel == channel);
    end(&play);
}

static void
test_failed(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    const struct ca_channel *failed = create(&play, circuit, 1, "A").channel;
    const struct ca_channel *refused = create(&play, circuit, 2, "B").channel;
    const struct ca_channel *waiting = create(&play, circuit, 3, "C").channel;
    answer(&play, circuit, CA_CREATE_CH_FAIL, 1, 0);
    refuse(&play, circuit, CA_CREATE_CHAN, 2, 13);
    g_assert_cmpint(failed->create.outcome, ==, CA_FAILED);
    g_assert_cmpint(refused->create.outcome, ==, CA_REFUSED);
    g_assert_cmpuint(refused->create.status, ==, 0x8e);
    g_assert_cmpint(waiting->create.outcome, ==, CA_WAITING);
    g_assert_cmpint(ca_request_waited(&waiting->create, play.arrival.time_ns), ==, 2 * MS);
    ca_circuit_end(circuit, play.arrival.time_ns + 5 * MS);
    ca_circuit_end(circuit, play.arrival.time_ns + 6 * MS);
    g_assert_cmpint(ca_request_waited(&waiting->create, play.arrival.time_ns), ==, 7 * MS);
    end(&play);
}

/* The same cid again on one circuit: first in, first out; on two circuits: each its own. */
static void
test_equal_cids(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    struct ca_circuit *another =
        ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &other_server, false);
    const struct ca_channel *channels[4];
    for (unsigned i = 0; i < 3; i++)
        channels[i] = create(&play, circuit, 5, "A").channel;
    channels[3] = create(&play, another, 5, "B").channel;
    g_assert_true(answer(&play, another, CA_CREATE_CHAN, 5, 1).channel == channels[3]);
    for (unsigned i = 0; i < 3; i++)
        g_assert_true(answer(&play, circuit, CA_CREATE_CHAN, 5, i).channel == channels[i]);
    for (unsigned i = 0; i < 3; i++)
        g_assert_true(ask(&play, circuit, CA_WRITE, i, 5).channel == channels[i]);
    g_assert_cmpuint(play.channels->orphans, ==, 0);
    const struct ca_channel *again = create(&play, circuit, 5, "A").channel; /* after a SERVER_DISCONN */
    g_assert_true(answer(&play, circuit, CA_CREATE_CHAN, 5, 0).channel == again);
    g_assert_true(ask(&play, circuit, CA_WRITE, 0, 5).channel == again);
    end(&play);
}

static void
test_orphan(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    struct ca_subject subject = answer(&play, circuit, CA_CREATE_CHAN, 1, 2);
    g_assert_cmpint(subject.channel->create.outcome, ==, CA_ORPHAN);
    g_assert_null(ca_subject_pv(&subject));
    g_assert_true(ask(&play, circuit, CA_WRITE, 2, 1).channel == subject.channel);
    g_assert_cmpuint(play.channels->orphans, ==, 1);
    g_assert_null(answer(&play, circuit, CA_READ_NOTIFY, 1, 1).exchange);
    g_assert_null(answer(&play, circuit, CA_ACCESS_RIGHTS, 77, 1).channel);
    refuse(&play, circuit, CA_CREATE_CHAN, 9, 9);
    g_assert_cmpuint(play.channels->orphans, ==, 1);
    end(&play);
}

static void
test_exchanges(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    const struct ca_channel *channel = create(&play, circuit, 1, "A").channel;
    answer(&play, circuit, CA_CREATE_CHAN, 1, 2);
    const struct ca_exchange *read = ask(&play, circuit, CA_READ_NOTIFY, 2, 10).exchange;
    const struct ca_exchange *write = ask(&play, circuit, CA_WRITE_NOTIFY, 2, 10).exchange; /* the same ioid */
    const struct ca_exchange *echo = ask(&play, circuit, CA_ECHO, 0, 0).exchange;
    g_assert_true(answer(&play, circuit, CA_WRITE_NOTIFY, 0x19a, 10).exchange == write);
    g_assert_true(answer(&play, circuit, CA_READ_NOTIFY, 1, 10).exchange == read);
    g_assert_true(answer(&play, circuit, CA_ECHO, 0, 0).exchange == echo);
    g_assert_cmpint(write->request.outcome, ==, CA_FAILED);
    g_assert_cmpint(read->request.outcome, ==, CA_OK);
    g_assert_cmpint(ca_request_latency(&read->request), ==, 4 * MS);
    g_assert_cmpint(ca_channel_first_value(channel), ==, 4 * MS);
    g_assert_null(answer(&play, circuit, CA_READ_NOTIFY, 1, 10).exchange); /* once is enough */
    const struct ca_exchange *refused = ask(&play, circuit, CA_READ_NOTIFY, 2, 11).exchange;
    g_assert_true(refuse(&play, circuit, CA_READ_NOTIFY, 2, 11).exchange == refused);
    g_assert_cmpint(refused->request.outcome, ==, CA_REFUSED);
    end(&play);
}

static void
test_subscription(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    const struct ca_channel *channel = create(&play, circuit, 1, "A").channel;
    answer(&play, circuit, CA_CREATE_CHAN, 1, 2);
    const struct ca_exchange *subscription = ask(&play, circuit, CA_EVENT_ADD, 2, 20).exchange;
    const struct ca_message update = { .command = CA_EVENT_ADD, .type = 6, .count = 1, .p1 = 1, .p2 = 20 };
    g_assert_true(say(&play, circuit, false, update, "12345678", 8).exchange == subscription);
    g_assert_cmpint(ca_channel_first_value(channel), ==, MS);
    struct ca_subject later = say(&play, circuit, false, update, "12345678", 8);
    g_assert_null(later.exchange);
    g_assert_true(later.channel == channel);
    const struct ca_exchange *cancel = ask(&play, circuit, CA_EVENT_CANCEL, 2, 20).exchange;
    g_assert_true(answer(&play, circuit, CA_EVENT_ADD, 2, 20).exchange == cancel);
    g_assert_null(say(&play, circuit, false, update, "12345678", 8).channel);
    end(&play);
}

/* An update that is empty is none: it confirms that a subscription is cancelled, be it by what the capture lacks. Its
 * first number is a sid then, and no status. */
static void
test_cancelled_unseen(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    const struct ca_channel *channel = create(&play, circuit, 1, "A").channel;
    answer(&play, circuit, CA_CREATE_CHAN, 1, 2);
    const struct ca_exchange *subscription = ask(&play, circuit, CA_EVENT_ADD, 2, 20).exchange;
    const struct ca_subject confirmed = answer(&play, circuit, CA_EVENT_ADD, 2, 20);
    g_assert_null(confirmed.exchange);
    g_assert_true(confirmed.channel == channel);
    g_assert_cmpint(subscription->request.outcome, ==, CA_WAITING);
    end(&play);
}

static void
test_hello(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    g_assert_cmpint(ca_circuit_hello(circuit), ==, -1);
    g_assert_cmpint(ca_circuit_tcp_connect(circuit), ==, -1);
    circuit->syn_ns = 0;
    circuit->syn_ack_ns = MS / 2;
    answer(&play, circuit, CA_VERSION, 0, 0);
    answer(&play, circuit, CA_VERSION, 0, 0);
    g_assert_cmpint(ca_circuit_tcp_connect(circuit), ==, MS / 2);
    g_assert_cmpint(ca_circuit_hello(circuit), ==, MS / 2);
    end(&play);
}

static void
test_search(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    const struct ca_search *found = search(&play, 1000, 1, 5, "A").search;
    search(&play, 1000, 2, 5, "A");
    search(&play, 1000, 3, 5, "A");
    struct ca_subject first = reply(&play, 1000, 2, 5, &server);
    struct ca_subject second = reply(&play, 1000, 3, 5, &other_server);
    g_assert_true(first.search == found && second.search == found);
    g_assert_true(first.decides && !second.decides);
    g_assert_cmpuint(found->attempts, ==, 3);
    g_assert_cmpint(ca_search_time(found), ==, 3 * MS);
    g_assert_cmpint(ca_search_latency(found), ==, 2 * MS); /* the second attempt was answered */
    g_assert_cmpuint(found->others, !=, 0);
    const struct ca_channel *channel = create(&play, circuit, 5, "A").channel;
    answer(&play, circuit, CA_CREATE_CHAN, 5, 1);
    g_assert_true(ca_search_at(&play.channels->searches, channel->search) == found);
    g_assert_false(channel->ambiguous);
    g_assert_cmpint(ca_channel_connect(play.channels, channel), ==, 6 * MS);
    g_assert_true(search(&play, 1000, 9, 5, "A").search != found); /* after a disconnect */
    g_assert_true(search(&play, 1000, 9, 5, "B").search != found);
    g_assert_null(reply(&play, 1001, 1, 5, &server).search);
    end(&play);
}

static void
test_ambiguous_search(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    for (uint16_t port = 1000; port < 1002; port++) {
        search(&play, port, 1, 5, "A");
        reply(&play, port, 1, 5, &server);
    }
    search(&play, 1002, 1, 5, "A"); /* another name server's */
    reply(&play, 1002, 1, 5, &other_server);
    g_assert_true(create(&play, circuit, 5, "A").channel->ambiguous);
    g_assert_false(create(&play, circuit, 5, "A").channel->ambiguous); /* one is left */
    g_assert_cmpuint(create(&play, circuit, 5, "A").channel->search, ==, 0);
    g_assert_cmpuint(create(&play, circuit, 6, "A").channel->search, ==, 0);
    end(&play);
}

/* A snap length has left nothing of a name: there may be no address either. The sanitizers see what is done with it. */
static void
test_nameless(void)
{
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    const struct ca_message search = {
        .command = CA_SEARCH, .type = CA_DONT_REPLY, .count = 13, .p1 = 5, .p2 = 5, .size = 8
    };
    struct ca_batch batch = { .searcher = ca_peer(&play.channels->searches.peers, CA_UDP_SEARCHER, &client, false) };
    const struct ca_subject searched = ca_subject(
        play.channels, ca_take_datagram(play.channels, &batch, &search, NULL, 0, &client, false, &play.arrival));
    g_assert_cmpstr(searched.search->pv, ==, "");
    const struct ca_message create = { .command = CA_CREATE_CHAN, .p1 = 6, .p2 = 13 };
    g_assert_cmpstr(say(&play, circuit, true, create, NULL, 0).channel->pv, ==, "");
    g_assert_cmpstr(texts_add(&play.channels->searches.names, NULL, 0), ==, "");
    end(&play);
}

/* Of many servers that answer a search the first is noted, and 32 others; of many searches with the same id the latest
 * 32 are looked at. */
static void
test_search_bounds(void)
{
    enum { MOST = 32 };
    for (uint16_t many = MOST; many <= MOST + 1; many++) {
        struct play play = begin();
        struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
        search(&play, 1000, 1, 5, "A");
        reply(&play, 1000, 1, 5, &server);
        for (uint16_t i = 1; i < many; i++)
            search(&play, 1000 + i, 1, 5, "A");
        g_assert_true((create(&play, circuit, 5, "A").channel->search != 0) == (many <= MOST));
        end(&play);
    }
    struct play play = begin();
    const struct ca_search *found = search(&play, 1000, 1, 5, "A").search;
    for (uint16_t i = 0; i < 2 * MOST; i++) {
        struct endpoint each = server;
        each.address[2] = 1;
        each.address[3] = (uint8_t)i;
        reply(&play, 1000, 1, 5, &each);
    }
    unsigned others = 0;
    for (uint32_t at = found->others; at; others++)
        at = ((const struct ca_replier *)pool_at(&play.channels->searches.repliers, at))->next;
    g_assert_cmpuint(others, ==, MOST);
    end(&play);
}

/* What a hostile pair sends is answered in time that grows with it, and no more. */
static void
test_many(void)
{
    enum { MANY = 100000 };
    struct play play = begin();
    struct ca_circuit *circuit = ca_circuit_new(play.channels, &circuit_of_channel_access, &client, &server, false);
    for (uint32_t i = 0; i < MANY; i++) {
        create(&play, circuit, 1, "SAME");
        create(&play, circuit, i + 2, "OTHER");
        ask(&play, circuit, CA_ECHO, 0, 0);
        search(&play, (uint16_t)(i % 60000), i, 1, "SAME");
    }
    for (uint32_t i = 0; i < MANY; i++) {
        const struct ca_channel *channel = answer(&play, circuit, CA_CREATE_CHAN, 1, i).channel;
        g_assert_cmpuint(channel->create.request_frame, ==, 4 * i + 1);
        g_assert_cmpuint(answer(&play, circuit, CA_ECHO, 0, 0).exchange->request.request_frame, ==, 4 * i + 3);
        g_assert_cmpuint(answer(&play, circuit, CA_CREATE_CHAN, i + 2, MANY + i).channel->create.id, ==, i + 2);
    }
    g_assert_cmpuint(play.channels->orphans, ==, 0);
    g_assert_cmpuint(play.channels->by_id.count, ==, 0);
    g_assert_cmpuint(play.channels->waiting.heads.count, ==, 0);
    g_assert_cmpuint(sizeof(struct ca_channel) + sizeof(struct ca_search) + sizeof(struct ca_exchange), <=, 220);
    end(&play);
}

/* The lookup against a table that is a plain array. */
struct numbered {
    uint64_t key;
};

static uint64_t
key_of(const void *record)
{
    return ((const struct numbered *)record)->key;
}

static void
test_lookup(void)
{
    enum { KEYS = 500, STEPS = 50000 };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct pool pool;
    struct lookup lookup;
    uint32_t expected[KEYS] = { 0 };
    pool_init(&pool, scope, sizeof(struct numbered));
    lookup_init(&lookup, &pool, key_of);
    g_assert_cmpuint(lookup_find(&lookup, 0), ==, 0);
    lookup_remove(&lookup, 0);
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t key = (uint32_t)g_test_rand_int_range(0, KEYS);
        if (g_test_rand_bit()) {
            expected[key] = pool_add(&pool);
            *(struct numbered *)pool_at(&pool, expected[key]) = (struct numbered){ key };
            lookup_put(&lookup, expected[key]);
        } else {
            lookup_remove(&lookup, key);
            expected[key] = 0;
        }
        key = (uint32_t)g_test_rand_int_range(0, KEYS);
        g_assert_cmpuint(lookup_find(&lookup, key), ==, expected[key]);
    }
    wmem_destroy_allocator(scope);
}

void
ca_channel_tests_add(void)
{
    g_test_add_func("/ca-channel/created", test_created);
    g_test_add_func("/ca-channel/failed", test_failed);
    g_test_add_func("/ca-channel/equal-cids", test_equal_cids);
    g_test_add_func("/ca-channel/orphan", test_orphan);
    g_test_add_func("/ca-channel/exchanges", test_exchanges);
    g_test_add_func("/ca-channel/subscription", test_subscription);
    g_test_add_func("/ca-channel/cancelled-unseen", test_cancelled_unseen);
    g_test_add_func("/ca-channel/hello", test_hello);
    g_test_add_func("/ca-channel/search", test_search);
    g_test_add_func("/ca-channel/ambiguous-search", test_ambiguous_search);
    g_test_add_func("/ca-channel/search-bounds", test_search_bounds);
    g_test_add_func("/ca-channel/nameless", test_nameless);
    g_test_add_func("/ca-channel/many", test_many);
    g_test_add_func("/ca-channel/lookup", test_lookup);
}
