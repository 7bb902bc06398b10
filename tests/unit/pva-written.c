/* pva-written.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "pva-written.h"

#include <string.h>

#include "core/pva/pva_names.h"

void
put(struct written *written, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        written->bytes[written->n++] = (uint8_t)(number >> 8 * (written->big_endian ? bytes - 1 - i : i));
}

void
put_text(struct written *written, const char *text)
{
    put(written, strlen(text), 1);
    memcpy(written->bytes + written->n, text, strlen(text));
    written->n += strlen(text);
}

void
put_header(struct written *written, unsigned flags, unsigned command, uint32_t size)
{
    written->big_endian = flags & BIG;
    written->size_at = written->n + PVA_HEADER_BYTES / 2;
    put(written, PVA_MAGIC, 1);
    put(written, 2, 1);
    put(written, flags, 1);
    put(written, command, 1);
    put(written, size, 4);
}

struct written
message(unsigned flags, unsigned command)
{
    struct written written = { .n = 0 };
    put_header(&written, flags, command, 0);
    return written;
}

struct written
finish(struct written written)
{
    const size_t n = written.n;
    written.n = written.size_at;
    put(&written, n - written.size_at - 4, 4);
    written.n = n;
    return written;
}

struct written
ask_create(unsigned order, uint32_t cid, const char *name)
{
    struct written written = message(order | CLIENT, PVA_CREATE_CHANNEL);
    put(&written, 1, 2);
    put(&written, cid, 4);
    put_text(&written, name);
    return finish(written);
}

struct written
say_create(unsigned order, uint32_t cid, uint32_t sid, const char *reason)
{
    struct written written = message(order | SERVER, PVA_CREATE_CHANNEL);
    put(&written, cid, 4);
    put(&written, sid, 4);
    put(&written, reason ? 2 : 0xFF, 1);
    if (reason) {
        put_text(&written, reason);
        put_text(&written, "");
    }
    return finish(written);
}

struct written
ask(unsigned order, unsigned command, uint32_t ioid, unsigned subcommand)
{
    struct written written = message(order | CLIENT, command);
    put(&written, SID, 4);
    put(&written, ioid, 4);
    put(&written, subcommand, 1);
    return finish(written);
}

struct written
answer(unsigned order, unsigned command, uint32_t ioid, unsigned subcommand, unsigned status)
{
    struct written written = message(order | SERVER, command);
    put(&written, ioid, 4);
    put(&written, subcommand, 1);
    put(&written, status, 1);
    return finish(written);
}

void
say(struct scene *scene, const struct written *written)
{
    bool from_client = !(written->bytes[2] & SERVER);
    scene_send(scene, from_client, (const char *)written->bytes, written->n, written->n);
}

void
say_this(struct scene *scene, struct written written)
{
    say(scene, &written);
}

static bool
is_server(uint16_t port)
{
    return port == 5075;
}

void
open_circuit(struct scene *scene)
{
    scene_open(scene, 5075, 1000);
    scene->settings.is_pvaccess = is_server;
}

void
open_begun(struct scene *scene)
{
    open_circuit(scene);
    say_this(scene, message(SERVER | PVA_FLAG_CONTROL, PVA_SET_BYTE_ORDER - PVA_CONTROL));
    say_this(scene, message(CLIENT | PVA_FLAG_CONTROL, PVA_ACK_MARKER - PVA_CONTROL));
}

void
open_channel(struct scene *scene, unsigned order)
{
    open_circuit(scene);
    say_this(scene, ask_create(order, CID, "PV"));
    say_this(scene, say_create(order, CID, SID, NULL));
}

const struct ca_channel *
channel(const struct scene *scene, uint32_t number)
{
    return ca_channel_at(scene->analysis->channels, number);
}

void
say_cut(struct scene *scene, const struct written *written, size_t at)
{
    bool from_client = !(written->bytes[2] & SERVER);
    scene_send(scene, from_client, (const char *)written->bytes, at, at);
    scene_send(scene, from_client, (const char *)written->bytes + at, written->n - at, written->n - at);
}

const struct ca_exchange *
exchange(const struct scene *scene, uint32_t number)
{
    return pool_at(&scene->analysis->channels->exchanges, number);
}

struct written
pair_of(unsigned flags, unsigned command, uint32_t first, uint32_t second)
{
    struct written written = message(flags, command);
    put(&written, first, 4);
    put(&written, second, 4);
    return finish(written);
}

void
say_without(struct scene *scene, const struct written *written, size_t at, size_t gone)
{
    const bool from_client = !(written->bytes[2] & SERVER);
    const size_t after = at + gone;
    scene_send(scene, from_client, (const char *)written->bytes, at, at);
    scene->seq[from_client] += (uint32_t)gone;
    if (after < written->n)
        scene_send(scene, from_client, (const char *)written->bytes + after, written->n - after, written->n - after);
}

struct ca_subject
about(const struct scene *scene, bool from_client, unsigned back)
{
    const struct ca_flow *flow = &scene->connection->tcp->circuit->flow[from_client];
    g_assert_cmpuint(flow->n_noted, >, back);
    return ca_subject(scene->analysis->channels, flow->noted[flow->n_noted - 1 - back].reference);
}

char *
noted_text(const struct scene *scene, bool from_client)
{
    const struct ca_flow *flow = &scene->connection->tcp->circuit->flow[from_client];
    GString *text = g_string_new("");
    for (uint32_t i = 0; i < flow->n_noted; i++) {
        const struct ca_noted *noted = &flow->noted[i];
        g_string_append_printf(text, "%s%s@%d", i ? ", " : "",
                               noted->command == CA_PART ? "part" : pva_command_name(noted->command),
                               (int)(noted->start - flow->noted[0].start));
    }
    return g_string_free(text, FALSE);
}

int64_t
spacing(const struct scene *scene, uint32_t number)
{
    const struct ca_channels *channels = scene->analysis->channels;
    return ca_update_spacing(channels, pool_at(&channels->updates, number));
}
