/* meanwhile.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "meanwhile.h"

#include <string.h>

#include "core/request/pending.h"

/* An address on which requests are outstanding. */
struct host {
    uint8_t address[ADDRESS_BYTES];
    GQueue outstanding; /* of struct outstanding */
};

struct outstanding {
    struct host *host;
    GList link;
    struct request_reference request;
    uint32_t number;
    uint32_t within; /* the number of the only request that was outstanding on its client's host; 0: none, or several */
    struct waited_for waited_for;
    char *operation; /* its text */
};

struct meanwhile {
    GHashTable *hosts;       /* of struct host, by its address */
    GHashTable *outstanding; /* of struct outstanding, by its request's number */
};

static unsigned
hash_address(const void *key)
{
    const uint8_t *address = key;
    unsigned hash = 0;
    for (unsigned i = 0; i < ADDRESS_BYTES; i++)
        hash = hash * 31 + address[i];
    return hash;
}

static gboolean
equal_addresses(const void *a, const void *b)
{
    return memcmp(a, b, ADDRESS_BYTES) == 0;
}

struct meanwhile *
meanwhile_new(void)
{
    struct meanwhile *meanwhile = g_new(struct meanwhile, 1);
    meanwhile->hosts = g_hash_table_new_full(hash_address, equal_addresses, NULL, g_free);
    meanwhile->outstanding = g_hash_table_new(NULL, NULL);
    return meanwhile;
}

static void
free_outstanding(void *data)
{
    struct outstanding *begun = data;
    g_free(begun->operation);
    g_free(begun);
}

void
meanwhile_free(struct meanwhile *meanwhile)
{
    GHashTableIter each;
    void *begun;
    if (!meanwhile)
        return;
    g_hash_table_iter_init(&each, meanwhile->outstanding);
    while (g_hash_table_iter_next(&each, NULL, &begun))
        free_outstanding(begun);
    g_hash_table_destroy(meanwhile->outstanding);
    g_hash_table_destroy(meanwhile->hosts);
    g_free(meanwhile);
}

static struct outstanding *
outstanding_at(const struct meanwhile *meanwhile, uint32_t number)
{
    return g_hash_table_lookup(meanwhile->outstanding, GUINT_TO_POINTER(number));
}

static struct host *
host_of(struct meanwhile *meanwhile, const uint8_t *address)
{
    struct host *host = g_hash_table_lookup(meanwhile->hosts, address);
    if (host)
        return host;
    host = g_new(struct host, 1);
    memcpy(host->address, address, ADDRESS_BYTES);
    g_queue_init(&host->outstanding);
    g_hash_table_insert(meanwhile->hosts, host->address, host);
    return host;
}

struct outstanding *
meanwhile_begin(struct meanwhile *meanwhile, const struct request *request)
{
    const struct endpoint client = request_client(request), *server = connection_server(request->connection);
    const struct host *asking = g_hash_table_lookup(meanwhile->hosts, client.address);
    const bool is_pushed = request->in_parts && request->is_pushed;
    struct outstanding *begun = g_new0(struct outstanding, 1);
    begun->request = request_refer(request);
    begun->number = request->number;
    if (asking && asking->outstanding.length == 1 && !is_pushed && !equal_addresses(client.address, server->address))
        begun->within = ((const struct outstanding *)asking->outstanding.head->data)->number;
    begun->host = host_of(meanwhile, server->address);
    begun->link.data = begun;
    g_queue_push_tail_link(&begun->host->outstanding, &begun->link);
    g_hash_table_insert(meanwhile->outstanding, GUINT_TO_POINTER(begun->number), begun);
    return begun;
}

void
meanwhile_end(struct meanwhile *meanwhile, const struct outstanding *begun, const struct ended *ended)
{
    struct outstanding *within = begun && begun->within ? outstanding_at(meanwhile, begun->within) : NULL;
    const struct request *request = ended->request;
    if (!within || !ended->measured.answered || ended->measured.wait == WAIT_FOR_EVENT)
        return;
    const int64_t ns = measured_wait_ns(&ended->measured);
    if (ns <= within->waited_for.ns)
        return;
    g_free(within->operation);
    within->operation = g_strdup(ended->operation);
    within->waited_for = (struct waited_for){ within->operation, *connection_server(request->connection),
                                              request->connection->ipv6, ns };
}

void
meanwhile_over(struct meanwhile *meanwhile, struct outstanding *begun)
{
    if (!begun)
        return;
    struct host *host = begun->host;
    g_queue_unlink(&host->outstanding, &begun->link);
    if (host->outstanding.length == 0)
        g_hash_table_remove(meanwhile->hosts, host->address);
    g_hash_table_remove(meanwhile->outstanding, GUINT_TO_POINTER(begun->number));
    free_outstanding(begun);
}

const struct waited_for *
meanwhile_waited_for(const struct outstanding *begun)
{
    return begun && begun->waited_for.ns > 0 ? &begun->waited_for : NULL;
}

const struct request *
meanwhile_asked(const struct meanwhile *meanwhile, const struct outstanding *begun)
{
    const struct outstanding *within = begun && begun->within ? outstanding_at(meanwhile, begun->within) : NULL;
    return within ? request_referred(&within->request) : NULL;
}
