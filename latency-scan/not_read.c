/* not_read.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "not_read.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "lazy_wiretap.h"

struct not_read {
    uint64_t reasons[DECAP_REASONS];
    GHashTable *links; /* types of link layers */
    GHashTable *tls;   /* numbers of connections; also the next */
    GHashTable *quic;
    unsigned more_tls, more_quic; /* of others */
};

struct not_read *
not_read_new(void)
{
    struct not_read *not_read = g_new0(struct not_read, 1);
    not_read->links = g_hash_table_new(NULL, NULL);
    not_read->tls = g_hash_table_new(NULL, NULL);
    not_read->quic = g_hash_table_new(NULL, NULL);
    return not_read;
}

void
not_read_free(struct not_read *not_read)
{
    g_hash_table_destroy(not_read->links);
    g_hash_table_destroy(not_read->tls);
    g_hash_table_destroy(not_read->quic);
    g_free(not_read);
}

void
not_read_note(struct not_read *not_read, enum decap_reason reason, int encapsulation)
{
    not_read->reasons[reason]++;
    if (reason == REASON_LINK)
        g_hash_table_add(not_read->links, GINT_TO_POINTER(encapsulation));
}

void
not_read_note_connection(struct not_read *not_read, const struct connection *connection)
{
    if (connection->tcp->tls)
        g_hash_table_add(not_read->tls, GUINT_TO_POINTER(connection->number));
    else if (connection->tcp->quic)
        g_hash_table_add(not_read->quic, GUINT_TO_POINTER(connection->number));
}

void
not_read_join(struct not_read *not_read, const struct not_read *other)
{
    not_read->more_tls += g_hash_table_size(other->tls);
    not_read->more_quic += g_hash_table_size(other->quic);
}

/* "Ethernet, PPP" */
static char *
link_names(const struct not_read *not_read)
{
    GString *names = g_string_new(NULL);
    GHashTableIter each;
    void *link;
    g_hash_table_iter_init(&each, not_read->links);
    while (g_hash_table_iter_next(&each, &link, NULL))
        g_string_append_printf(names, "%s%s", names->len ? ", " : "",
                               wiretap()->wtap_encap_description(GPOINTER_TO_INT(link)));
    return g_string_free(names, FALSE);
}

void
not_read_write(const struct not_read *not_read, GString *text)
{
    static const struct {
        const char *one, *more;
    } kinds[DECAP_REASONS] = {
        [REASON_LINK] = { "frame of another link layer", "frames of another link layer" },
        [REASON_TUNNEL] = { "frame in a tunnel that is not read", "frames in tunnels that are not read" },
        [REASON_FRAGMENT] = { "later fragment of an IP packet", "later fragments of IP packets" },
        [REASON_CUT] = { "frame cut before TCP", "frames cut before TCP" },
        [REASON_ENCRYPTED] = { "frame encrypted by IPsec", "frames encrypted by IPsec" },
    };
    const char *before = "Not understood: ";
    for (unsigned i = 0; i < DECAP_REASONS; i++) {
        uint64_t count = not_read->reasons[i];
        if (count == 0)
            continue;
        g_string_append_printf(text, "%s%" PRIu64 " %s", before, count, plurality(count, kinds[i].one, kinds[i].more));
        before = ", ";
        if (i != REASON_LINK)
            continue;
        char *names = link_names(not_read);
        g_string_append_printf(text, " (%s)", names);
        g_free(names);
    }
    if (*before == ',')
        g_string_append(text, ".\n");
    unsigned tls = g_hash_table_size(not_read->tls) + not_read->more_tls;
    if (tls > 0)
        g_string_append_printf(text, "Not decrypted: %u TLS connection%s; tshark can, if it has the keys.\n", tls,
                               plurality(tls, "", "s"));
    const unsigned quic = g_hash_table_size(not_read->quic) + not_read->more_quic;
    if (quic > 0)
        g_string_append_printf(text, "Not decrypted: %u connection%s of QUIC; with its keys, tshark reads HTTP/3.\n",
                               quic, plurality(quic, "", "s"));
}
