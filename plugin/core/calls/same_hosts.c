/* same_hosts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "same_hosts.h"

#include <glib.h>

#include <wsutil/inet_addr.h>

/* Returns false if the word is no address. */
static bool
read_address(const char *word, struct same_host *host)
{
    ws_in4_addr four;
    ws_in6_addr six;
    if (ws_inet_pton4(word, &four)) {
        memcpy(host->end.address, &four, sizeof four);
        return true;
    }
    host->ipv6 = ws_inet_pton6(word, &six);
    if (host->ipv6)
        memcpy(host->end.address, &six, sizeof six);
    return host->ipv6;
}

static bool
is_there(const GArray *addresses, const struct same_host *host)
{
    for (unsigned i = 0; i < addresses->len; i++) {
        const struct same_host *other = &g_array_index(addresses, struct same_host, i);
        if (other->ipv6 == host->ipv6 && endpoint_equal(&other->end, &host->end))
            return true;
    }
    return false;
}

/* Adds the addresses of one host. */
static char *
read_host(const char *text, uint32_t number, GArray *addresses)
{
    char **words = g_strsplit(text, "=", -1), *wrong = NULL;
    if (g_strv_length(words) < 2)
        wrong = g_strdup_printf("not \"%s\" alone", words[0] ? g_strstrip(words[0]) : "");
    for (unsigned i = 0; words[i] && !wrong; i++) {
        struct same_host host = { .host = number };
        const char *word = g_strstrip(words[i]);
        if (!read_address(word, &host))
            wrong = g_strdup_printf("not \"%s\"", word);
        else if (is_there(addresses, &host))
            wrong = g_strdup_printf("and \"%s\" stands there twice", word);
        g_array_append_val(addresses, host);
    }
    g_strfreev(words);
    return wrong;
}

char *
same_hosts_read(const char *text, struct same_hosts *hosts)
{
    GArray *addresses = g_array_new(FALSE, FALSE, sizeof(struct same_host));
    char **groups = g_strsplit(text ? text : "", ",", -1), *wrong = NULL;
    const bool is_empty = !groups[0] || (!groups[1] && *g_strstrip(groups[0]) == '\0');
    for (unsigned i = 0; !is_empty && groups[i] && !wrong; i++)
        wrong = read_host(groups[i], i + 1, addresses);
    if (wrong)
        g_array_set_size(addresses, 0);
    g_strfreev(groups);
    hosts->n = addresses->len;
    hosts->addresses = (struct same_host *)(void *)g_array_free(addresses, FALSE);
    return wrong;
}

void
same_hosts_clear(struct same_hosts *hosts)
{
    g_free(hosts->addresses);
    *hosts = (struct same_hosts){ 0 };
}
