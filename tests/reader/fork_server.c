/* fork_server.c
 * Preloaded into tshark or sharkd, makes it start once and run many times: when the dissectors are registered and the settings are read, the
 * process waits for requests instead of going on, and each request goes on in a fork of it. tshark takes 0.2 to 0.5 s to get that far; a fork
 * takes a hundredth of it. What runs is the program itself, with the arguments, the files and the exit status of the request.
 *
 * Standard input is the socket (SOCK_SEQPACKET): a request is the argument vector, each word with its NUL, and with it, as SCM_RIGHTS, the
 * three standard files. The answer is the status that waitpid() gives. The server ends when the socket is closed.
 *
 * What tshark reads of its arguments before it registers dissectors (-C, -O, -P, -V, -X, -r, -x) is what the server itself was started with:
 * its first loop over the options is over when the fork begins. fork_server.py keeps a server for each such set.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

enum { REQUEST_BYTES_MOST = 1 << 17, FILES = 3, MISUSED = 99 };

typedef int get_option(int argc, char *const *argv, const char *letters, const void *words, int *index);

extern int ws_optind; /* wsutil's */

static bool is_registered;
static char **request_words; /* of the fork; NULL in the server */
static int request_count;

/* In the child, the request's files and words are in place when this returns. */
static void
become(char *request, size_t bytes, const int *files)
{
    for (int i = 0; i < FILES; i++) {
        dup2(files[i], i);
        close(files[i]);
    }
    request_words = calloc(bytes + 1, sizeof *request_words);
    if (!request_words)
        _exit(MISUSED);
    for (char *word = request; word < request + bytes; word += strlen(word) + 1)
        request_words[request_count++] = word;
}

/* Returns in children only. */
static void
serve(void)
{
    static char request[REQUEST_BYTES_MOST + 1];
    for (;;) {
        int files[FILES];
        char rights[CMSG_SPACE(sizeof files)];
        struct iovec part = { request, REQUEST_BYTES_MOST };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = rights, .msg_controllen = sizeof rights };
        ssize_t bytes = recvmsg(STDIN_FILENO, &message, 0);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        if (bytes <= 0 || !head || head->cmsg_len != CMSG_LEN(sizeof files) || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
            _exit(bytes == 0 ? 0 : MISUSED);
        memcpy(files, CMSG_DATA(head), sizeof files);
        pid_t child = fork();
        if (child == 0) {
            become(request, (size_t)bytes, files);
            return;
        }
        for (int i = 0; i < FILES; i++)
            close(files[i]);
        int status = MISUSED << 8; /* as waitpid() has it of exit(MISUSED) */
        if (child > 0)
            waitpid(child, &status, 0);
        send(STDIN_FILENO, &status, sizeof status, MSG_NOSIGNAL);
    }
}

/* epan_init() of 4.0 and 4.4 has three parameters, that of 4.6 one more; all are words, and the result is one. */
PUBLIC uintptr_t
epan_init(uintptr_t callback, uintptr_t data, uintptr_t load_plugins, uintptr_t application)
{
    uintptr_t (*real)(uintptr_t, uintptr_t, uintptr_t, uintptr_t) = dlsym(RTLD_NEXT, "epan_init");
    uintptr_t result = real(callback, data, load_plugins, application);
    is_registered = true;
    return result;
}

/* tshark's second loop over its options begins here. */
PUBLIC int
ws_getopt_long(int argc, char *const *argv, const char *letters, const void *words, int *index)
{
    get_option *real = (get_option *)dlsym(RTLD_NEXT, "ws_getopt_long");
    if (!is_registered)
        return real(argc, argv, letters, words, index);
    if (!request_words)
        serve();
    int option = real(request_count, request_words, letters, words, index);
    if (option == -1) {
        if (ws_optind < request_count) {
            fprintf(stderr, "fork_server.c: tshark would look for \"%s\" in its own arguments\n", request_words[ws_optind]);
            _exit(MISUSED);
        }
        ws_optind = argc; /* tshark compares it with its own number of arguments */
    }
    return option;
}

/* sharkd, which has no options left, calls this last; so does tshark, in the fork. */
PUBLIC void
prefs_apply_all(void)
{
    void (*real)(void) = (void (*)(void))dlsym(RTLD_NEXT, "prefs_apply_all");
    if (is_registered && !request_words)
        serve();
    real();
}

/* What Wireshark would free at its end is left to the kernel, which is quicker, unless a sanitizer is to see that. */
PUBLIC void
epan_cleanup(void)
{
    void (*real)(void) = (void (*)(void))dlsym(RTLD_NEXT, "epan_cleanup");
    if (getenv("FORK_SERVER_CLEANS_UP"))
        real();
}
