/* ca_searched.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_searched.h"

#include "../tcp/connection.h"

/* More are not kept apart. */
enum { SERVERS_MOST = 32 };

struct group_key
ca_searched_key(const struct ca_searches *searches, const struct circuit_protocol *protocol,
                const struct ca_search *search)
{
    const struct ca_peer *client = ca_peer_at(&searches->peers, search->host);
    if (protocol == &circuit_of_channel_access)
        return (struct group_key){ .kind = search->pv };
    return (struct group_key){ .kind = search->pv, .client = client->endpoint, .ipv6 = client->ipv6 };
}

void
ca_searched_clear(void *value)
{
    struct ca_searched *searched = value;
    if (searched->servers)
        g_array_free(searched->servers, TRUE);
    statistic_clear(&searched->time);
    *searched = (struct ca_searched){ 0 };
}

void
ca_searched_add_server(struct ca_searched *searched, const struct ca_answerer *server)
{
    if (!searched->servers)
        searched->servers = g_array_new(FALSE, FALSE, sizeof(struct ca_answerer));
    for (unsigned i = 0; i < searched->servers->len; i++) {
        const struct ca_answerer *known = ca_searched_server(searched, i);
        if (known->ipv6 == server->ipv6 && endpoint_equal(&known->endpoint, &server->endpoint))
            return;
    }
    if (searched->servers->len < SERVERS_MOST)
        g_array_append_val(searched->servers, *server);
}

static void
add_server(struct ca_searched *searched, const struct ca_searches *searches, uint32_t party_number)
{
    const struct ca_peer *peer = ca_peer_at(&searches->peers, party_number);
    const struct ca_answerer server = { peer->endpoint, peer->ipv6 };
    ca_searched_add_server(searched, &server);
}

void
ca_searched_take(struct ca_searched *searched, struct ca_searched_share *share, const struct ca_searches *searches,
                 const struct ca_search *search)
{
    searched->searches += !share->counted;
    share->counted = true;
    searched->attempts += search->attempts - share->attempts;
    share->attempts = search->attempts;
    if (search->server == 0)
        return;
    if (!share->answered)
        statistic_add(&searched->time, ca_search_time(search));
    share->answered = true;
    add_server(searched, searches, search->server);
    for (uint32_t other = search->others; other != 0;) {
        const struct ca_replier *replier = pool_at(&searches->repliers, other);
        add_server(searched, searches, replier->server);
        other = replier->next;
    }
}

unsigned
ca_searched_servers(const struct ca_searched *searched)
{
    return searched->servers ? searched->servers->len : 0;
}

const struct ca_answerer *
ca_searched_server(const struct ca_searched *searched, unsigned i)
{
    return &g_array_index(searched->servers, struct ca_answerer, i);
}

void
ca_searched_merge(struct ca_searched *searched, const struct ca_searched *other)
{
    searched->searches += other->searches;
    searched->attempts += other->attempts;
    statistic_merge(&searched->time, &other->time);
    for (unsigned i = 0; i < ca_searched_servers(other); i++)
        ca_searched_add_server(searched, ca_searched_server(other, i));
}
