/* metrics_server.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE /* accept4(), pipe2() */
#include "metrics_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdint.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_MOST = 8192, PATIENCE_S = 5 };

struct metrics_server {
    int listening, stop[2]; /* the latter a pipe: its end of reading tells the thread to end */
    GString *(*text)(void *data);
    void *data;
    GThread *thread;
};

/* Splits "ADDRESS:PORT", or "PORT"; both are to be freed. False if it is neither. */
static bool
split(const char *address, char **host, char **port)
{
    const char *colon = strrchr(address, ':'), *digits = colon ? colon + 1 : address;
    const bool is_bracketed = address[0] == '[' && colon && colon > address + 1 && colon[-1] == ']';
    if (!*digits || strspn(digits, "0123456789") != strlen(digits) || g_ascii_strtoull(digits, NULL, 10) > UINT16_MAX)
        return false;
    *port = g_strdup(digits);
    if (!colon || colon == address)
        *host = g_strdup("127.0.0.1");
    else
        *host = is_bracketed ? g_strndup(address + 1, (size_t)(colon - address - 2))
                             : g_strndup(address, (size_t)(colon - address));
    return true;
}

static int
listen_at(const struct addrinfo *found)
{
    const int on = 1, descriptor = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(descriptor, found->ai_addr, found->ai_addrlen) == 0 && listen(descriptor, SOMAXCONN) == 0)
        return descriptor;
    const int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

/* Returns a socket that listens; or -1, and a sentence in `wrong`. */
static int
listen_on(const char *address, char **wrong)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE };
    struct addrinfo *found = NULL;
    char *host = NULL, *port = NULL;
    int descriptor = -1;
    if (!split(address, &host, &port) || getaddrinfo(host, port, &hints, &found) != 0) {
        *wrong = g_strdup_printf("--listen takes an address and a port, as in 127.0.0.1:9100, or a port, not \"%s\".",
                                 address);
    } else {
        descriptor = listen_at(found);
        if (descriptor < 0)
            *wrong = g_strdup_printf("--listen %s: %s.", address, g_strerror(errno));
        freeaddrinfo(found);
    }
    g_free(host);
    g_free(port);
    return descriptor;
}

/* Waits until there is something to read. False if the server is to stop, or if nothing comes in time; `timeout_ms` -1:
 * forever. */
static bool
wait_for(const struct metrics_server *server, int descriptor, int timeout_ms)
{
    struct pollfd both[] = { { descriptor, POLLIN, 0 }, { server->stop[0], POLLIN, 0 } };
    return poll(both, 2, timeout_ms) > 0 && !both[1].revents;
}

/* Reads the head of a request. False if it does not come in time, or is too long. */
static bool
read_head(const struct metrics_server *server, int descriptor, char head[HEAD_MOST + 1])
{
    const int64_t until_us = g_get_monotonic_time() + PATIENCE_S * G_USEC_PER_SEC;
    size_t length = 0;
    while (length < HEAD_MOST) {
        const int64_t left_ms = (until_us - g_get_monotonic_time()) / 1000;
        if (left_ms <= 0 || !wait_for(server, descriptor, (int)left_ms))
            return false;
        const ssize_t n = recv(descriptor, head + length, HEAD_MOST - length, 0);
        if (n <= 0)
            return false;
        length += (size_t)n;
        head[length] = '\0';
        if (strstr(head, "\r\n\r\n") || strstr(head, "\n\n"))
            return true;
    }
    return false;
}

static void
send_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t n = send(descriptor, bytes, length, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        bytes += n;
        length -= (size_t)n;
    }
}

static void
answer(const struct metrics_server *server, int descriptor)
{
    char head[HEAD_MOST + 1];
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!read_head(server, descriptor, head))
        return;
    const bool is_known = g_str_has_prefix(head, "GET /metrics ") || g_str_has_prefix(head, "GET /metrics?") ||
                          g_str_has_prefix(head, "GET / ");
    GString *text = is_known ? server->text(server->data) : g_string_new("Metrics are at /metrics.\n");
    char *first = g_strdup_printf("HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                                  "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                                  is_known ? "200 OK" : "404 Not Found", text->len);
    g_string_prepend(text, first);
    send_all(descriptor, text->str, text->len);
    g_free(first);
    g_string_free(text, TRUE);
}

static void *
serve(void *data)
{
    const struct metrics_server *server = data;
    while (wait_for(server, server->listening, -1)) {
        const int descriptor = accept4(server->listening, NULL, NULL, SOCK_CLOEXEC);
        if (descriptor < 0)
            continue;
        answer(server, descriptor);
        close(descriptor);
    }
    return NULL;
}

struct metrics_server *
metrics_server_new(const char *address, GString *(*text)(void *data), void *data, char **wrong)
{
    struct metrics_server *server = g_new0(struct metrics_server, 1);
    server->text = text;
    server->data = data;
    server->listening = listen_on(address, wrong);
    if (server->listening < 0 || pipe2(server->stop, O_CLOEXEC) != 0) {
        if (server->listening >= 0) {
            *wrong = g_strdup_printf("--listen %s: %s.", address, g_strerror(errno));
            close(server->listening);
        }
        g_free(server);
        return NULL;
    }
    server->thread = g_thread_new("metrics", serve, server);
    return server;
}

void
metrics_server_free(struct metrics_server *server)
{
    close(server->stop[1]);
    g_thread_join(server->thread);
    close(server->stop[0]);
    close(server->listening);
    g_free(server);
}
