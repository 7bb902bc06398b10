/* dumpcap.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dumpcap.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>

#include "say.h"

struct dumpcap {
    GPid process;
    int said; /* its standard error */
    char *interface;
};

/* Waits until the capture begins; false if it ends before. */
static bool
await_begin(int capture)
{
    struct pollfd readable = { .fd = capture, .events = POLLIN };
    while (poll(&readable, 1, -1) < 0 && errno == EINTR)
        ;
    return readable.revents & POLLIN;
}

/* What it said, to be freed with g_free(). */
static char *
read_said(int said)
{
    enum { BYTES = 4096, MOST = 65536 };
    GString *text = g_string_new(NULL);
    char bytes[BYTES];
    ssize_t n;
    while ((n = read(said, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && text->len < MOST)
            g_string_append_len(text, bytes, n);
    close(said);
    return g_string_free(text, FALSE);
}

/* How much it has received and dropped, if the line tells that. */
static bool
read_counts(const char *line, uint64_t *received, uint64_t *dropped)
{
    static const char before[] = "': ";
    const char *at = g_str_has_prefix(line, "Packets received/dropped on interface") ? strstr(line, before) : NULL;
    return at && sscanf(at + strlen(before), "%" SCNu64 "/%" SCNu64, received, dropped) == 2;
}

/* The first line that is no news of how it goes; NULL if there is none. */
static const char *
complaint_of(char *const *lines)
{
    static const char *const news[] = { "Capturing on", "File:", "Packets ", "Running as user" };
    for (; *lines; lines++) {
        bool is_news = !**lines;
        for (unsigned i = 0; i < G_N_ELEMENTS(news); i++)
            is_news |= g_str_has_prefix(*lines, news[i]);
        if (!is_news)
            return *lines;
    }
    return NULL;
}

static void
free_dumpcap(struct dumpcap *dumpcap)
{
    while (waitpid(dumpcap->process, NULL, 0) < 0 && errno == EINTR)
        ;
    g_spawn_close_pid(dumpcap->process);
    g_free(dumpcap->interface);
    g_free(dumpcap);
}

/* It ended before it captured: frees it, and returns a sentence that says why. */
static char *
give_up(struct dumpcap *dumpcap)
{
    char *said = read_said(dumpcap->said), **lines = g_strsplit_set(said, "\r\n", -1);
    const char *complaint = complaint_of(lines);
    if (complaint && g_str_has_prefix(complaint, "dumpcap: "))
        complaint += strlen("dumpcap: ");
    char *wrong = g_strdup_printf("dumpcap cannot capture from \"%s\": %s", dumpcap->interface,
                                  complaint ? complaint : "it does not say why.");
    g_strfreev(lines);
    g_free(said);
    free_dumpcap(dumpcap);
    return wrong;
}

struct dumpcap *
dumpcap_begin(const char *interface, const char *filter, char **wrong)
{
    /* -P: pcap, which is read fastest; -B: MiB that wait for this program */
    const char *arguments[] = { "dumpcap", "-q", "-P", "-B", "64", "-w", "-", "-i", interface, filter ? "-f" : NULL,
                                filter,    NULL };
    struct dumpcap *dumpcap = g_new0(struct dumpcap, 1);
    GError *error = NULL;
    int capture;
    if (!g_spawn_async_with_pipes(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                  NULL, &dumpcap->process, NULL, &capture, &dumpcap->said, &error)) {
        *wrong = g_strdup_printf("-i needs dumpcap, which comes with Wireshark: %s.", error->message);
        g_error_free(error);
        g_free(dumpcap);
        return NULL;
    }
    dumpcap->interface = g_strdup(interface);
    if (!await_begin(capture)) {
        close(capture);
        *wrong = give_up(dumpcap);
        return NULL;
    }
    dup2(capture, STDIN_FILENO);
    close(capture);
    return dumpcap;
}

void
dumpcap_end(struct dumpcap *dumpcap)
{
    kill(dumpcap->process, SIGINT);
    close(STDIN_FILENO);
    char *said = read_said(dumpcap->said), **lines = g_strsplit_set(said, "\r\n", -1);
    const char *complaint = complaint_of(lines);
    uint64_t received, dropped;
    for (char **line = lines; *line; line++)
        if (read_counts(*line, &received, &dropped) && dropped > 0)
            say("dumpcap dropped %" PRIu64 " packets of %s and passed on %" PRIu64 ": nobody took them fast enough.",
                dropped, dumpcap->interface, received);
    if (complaint)
        say("dumpcap: %s", g_str_has_prefix(complaint, "dumpcap: ") ? complaint + strlen("dumpcap: ") : complaint);
    g_strfreev(lines);
    g_free(said);
    free_dumpcap(dumpcap);
}
