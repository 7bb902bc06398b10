/* summary_channels.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "summary_channels.h"

#include "../core/analysis.h"
#include "../core/ca/ca_channel.h"
#include "../core/ca/ca_phases.h"
#include "summary_texts.h"

struct sums {
    uint64_t channels, connected, failed, unanswered, waiting;
    double connect_ns; /* of those connected, all in all */
    uint64_t searches, nobody;
};

static void
take_channel(struct sums *sums, const struct ca_channels *channels, const struct ca_channel *channel, int64_t now_ns)
{
    const enum ca_result result = ca_channel_result(channel, now_ns);
    sums->channels++;
    sums->connected += result == CA_RESULT_OK;
    sums->failed += result == CA_RESULT_FAILED || result == CA_RESULT_ERROR;
    sums->unanswered += result == CA_RESULT_UNANSWERED;
    sums->waiting += result == CA_RESULT_WAITING;
    if (result == CA_RESULT_OK)
        sums->connect_ns += (double)MAX(ca_channel_connect(channels, channel), 0);
}

static struct sums
add_up(const struct ca_channels *channels, const struct circuit_protocol *protocol, int64_t now_ns)
{
    struct sums sums = { 0 };
    for (uint32_t number = 1; number <= channels->channels.count; number++) {
        const struct ca_channel *channel = ca_channel_at(channels, number);
        if (channel->create.circuit->protocol == protocol && channel->create.outcome != CA_ORPHAN)
            take_channel(&sums, channels, channel, now_ns);
    }
    for (uint32_t number = 1; number <= channels->searches.pool.count; number++) {
        const struct ca_search *search = ca_search_at(&channels->searches, number);
        const bool is_pva = ca_peer_at(&channels->searches.peers, search->searcher)->role >= PVA_SEARCHER;
        if (is_pva != (protocol->number == PROTOCOL_PVA))
            continue;
        sums.searches++;
        sums.nobody += search->server == 0;
    }
    return sums;
}

/* Appends ", 3 failed", unless there are none. */
static void
append_count(GString *text, uint64_t count, const char *what)
{
    if (count > 0)
        g_string_append_printf(text, ", %" G_GUINT64_FORMAT " %s", count, what);
}

const char *
summary_channels_write(const struct table_source *source, const struct circuit_protocol *protocol, GString *text)
{
    const struct ca_channels *channels = source->analysis->channels;
    const struct sums sums = add_up(channels, protocol, source->analysis->requests.last_ns);
    const bool is_pva = protocol->number == PROTOCOL_PVA;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    if (sums.channels > 0) {
        g_string_append_printf(text, "%s: %" G_GUINT64_FORMAT " of %s connected", protocol->name, sums.connected,
                               summary_count(scope, sums.channels, "channel", "channels"));
        if (sums.connected > 0)
            g_string_append_printf(text, ", in %s on average",
                                   summary_time(scope, sums.connect_ns / (double)sums.connected));
        append_count(text, sums.failed, "failed");
        append_count(text, sums.unanswered, "had no answer");
        append_count(text, sums.waiting, "still waited at the end");
        g_string_append_c(text, '.');
    }
    if (sums.searches > 0) {
        if (sums.channels > 0)
            g_string_append_c(text, ' ');
        else
            g_string_append_printf(text, "%s: ", protocol->name);
        if (sums.nobody > 0)
            g_string_append_printf(text, "%" G_GUINT64_FORMAT " of %s for names found no server.", sums.nobody,
                                   summary_count(scope, sums.searches, "search", "searches"));
        else
            g_string_append_printf(text, "%s for names, all answered.",
                                   summary_count(scope, sums.searches, "search", "searches"));
    }
    wmem_destroy_allocator(scope);
    if (sums.channels + sums.searches == 0)
        return NULL;
    if (sums.nobody > 0 || sums.channels == 0)
        return is_pva ? "pva,searches" : "ca,searches";
    return is_pva ? "pva,channels" : "ca,channels";
}
