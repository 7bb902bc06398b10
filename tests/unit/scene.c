/* scene.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "scene.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static enum port_kind
port_kind(uint16_t port)
{
    return port < 1000 ? PORT_CONFIGURED : PORT_PLAIN;
}

void
scene_open(struct scene *scene, uint16_t port, int64_t step_ns)
{
    *scene = (struct scene){
        .scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE),
        .settings.port_kind = port_kind,
        .port = port,
        .step_ns = step_ns,
    };
    scene->analysis = analysis_new(scene->scope, &scene->settings);
}

void
scene_close(struct scene *scene)
{
    analysis_free(scene->analysis);
    wmem_destroy_allocator(scene->scope);
}

struct segment
scene_segment(struct scene *scene, bool from_client, size_t bytes)
{
    const struct endpoint client = { .address = { 10, 0, 0, 1 }, .port = 1000 };
    const struct endpoint server = { .address = { 10, 0, 0, 2 }, .port = scene->port };
    const uint32_t frame = ++scene->frame;
    const struct segment segment = {
        .frame = frame,
        .time_ns = (int64_t)frame * scene->step_ns,
        .source = from_client ? client : server,
        .destination = from_client ? server : client,
        .seq = scene->seq[from_client],
        .ack = scene->seq[!from_client],
        .flags = SEGMENT_ACK | SEGMENT_PSH,
        .payload_bytes = (uint32_t)bytes,
    };
    scene->seq[from_client] += (uint32_t)bytes;
    return segment;
}

/* Pages of which the last cannot be read: a sanitizer does not see what GLib reads behind the bytes. */
struct guarded {
    uint8_t *pages;
    size_t size;
    const uint8_t *bytes; /* a copy, right before the last page */
};

static struct guarded
guard(const char *bytes, size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (n / page + 2) * page;
    uint8_t *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(pages != MAP_FAILED);
    uint8_t *last = pages + size - page;
    if (n > 0)
        memcpy(last - n, bytes, n);
    g_assert_cmpint(mprotect(last, page, PROT_NONE), ==, 0);
    return (struct guarded){ pages, size, last - n };
}

void
scene_send(struct scene *scene, bool from_client, const char *bytes, size_t n, size_t captured)
{
    if (n == 0)
        return;
    const struct guarded payload = guard(bytes, captured);
    struct segment segment = scene_segment(scene, from_client, n);
    segment.payload = payload.bytes;
    segment.captured_bytes = (uint32_t)captured;
    scene->connection = analysis_take(scene->analysis, &segment);
    analysis_read(scene->analysis, &segment);
    munmap(payload.pages, payload.size);
}

void
scene_say(struct scene *scene, bool from_client, const char *text)
{
    scene_send(scene, from_client, text, strlen(text), strlen(text));
}

void
scene_send_late(struct scene *scene, bool from_client, size_t back, const char *bytes, size_t n, size_t captured)
{
    const uint32_t next = scene->seq[from_client];
    scene->seq[from_client] -= (uint32_t)back;
    scene_send(scene, from_client, bytes, n, captured);
    scene->seq[from_client] = next;
}

void
scene_say_late(struct scene *scene, bool from_client, size_t back, const char *text)
{
    scene_send_late(scene, from_client, back, text, strlen(text), strlen(text));
}

void
scene_shake_hands(struct scene *scene)
{
    for (unsigned from_client = 2; from_client-- > 0;) {
        struct segment syn = scene_segment(scene, from_client, 0);
        syn.flags = from_client ? SEGMENT_SYN : SEGMENT_SYN | SEGMENT_ACK;
        scene->seq[from_client]++;
        scene->connection = analysis_take(scene->analysis, &syn);
        analysis_read(scene->analysis, &syn);
    }
}

void
scene_give_up(struct scene *scene)
{
    analysis_end_connection(scene->analysis, scene->connection);
}

void
scene_check(struct scene *scene, const char *expected)
{
    GString *text = g_string_new("");
    analysis_end(scene->analysis);
    for (uint32_t i = 0; i < scene->connection->n_requests; i++) {
        const struct request *request = scene->connection->requests[i];
        g_string_append_printf(text, "%s%s %u", i ? ", " : "", request->operation, (unsigned)request->request_bytes);
        if (request->response.first_frame)
            g_string_append_printf(text, "/%u %s%s", (unsigned)request->response.bytes, request->response.status,
                                   request->response.failed ? "!" : "");
        else
            g_string_append(text, request->ending == ENDING_LOST ? " lost" : " -");
        g_string_append_printf(text, "%s%s", request->is_stream ? " stream" : "", request->awaits_event ? " poll" : "");
    }
    g_assert_cmpstr(text->str, ==, expected);
    g_string_free(text, TRUE);
    scene_close(scene);
}
