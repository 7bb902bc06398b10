/* main.c
 * kernel-stages: records packets at the stages of the kernel, for Wireshark or alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "extcap.h"
#include "namespaces.h"
#include "options.h"
#include "pcapng.h"
#include "privileges.h"
#include "probes.h"
#include "processes.h"
#include "recording.h"
#include "stages.h"
#include "summarize.h"

enum { EXIT_USAGE = 2, STEP_MS = 20, SENTENCE_BYTES = 512, FIRST_BYTES = 4096 };

static volatile sig_atomic_t is_told_to_end;

static void
be_told(int signal_number)
{
    (void)signal_number;
    is_told_to_end = 1;
}

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
    va_list arguments;
    fputs("kernel-stages: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static void
listen_to_signals(void)
{
    struct sigaction end = { .sa_handler = be_told }, ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* a write then fails, which is said */
}

/* Wireshark ends it with SIGTERM, but killed it cannot; and dumpcap looks at its own parent only when a packet comes.
   False if it has gone before that could be asked for. */
static bool
end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    return getppid() == parent;
}

/* Returns whether the file of this descriptor, if it is a file, is empty or a recording by this program: its first
   block names who wrote it. */
static bool
is_ours(int fd)
{
    static const char pcapng[] = "\n\r\r\n", writer[] = "kernel-stages";
    char bytes[FIRST_BYTES];
    struct stat status;
    if (fstat(fd, &status) || !S_ISREG(status.st_mode))
        return true;
    const ssize_t length = read(fd, bytes, sizeof(bytes));
    return length == 0 || (length > 0 && (size_t)length > strlen(pcapng) && !memcmp(bytes, pcapng, strlen(pcapng)) &&
                           memmem(bytes, (size_t)length, writer, strlen(writer)));
}

/* False, having said why, if a file is there that this program did not write. */
static bool
may_replace(const char *path)
{
    const int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    const bool may = fd < 0 || is_ours(fd);
    if (fd >= 0)
        close(fd);
    if (!may)
        say("\"%s\" exists and was not written by kernel-stages: it is not replaced. Name another file, or remove it.",
            path);
    return may;
}

/* What was recorded is of all users, and for the one who records: as dumpcap does. A pipe that nobody reads yet is
   waited for, and no signal missed meanwhile: open() would wait for ever if one came right before it. */
static int
open_output(const char *path)
{
    const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
    struct stat status;
    const bool is_pipe = !stat(path, &status) && S_ISFIFO(status.st_mode);
    int fd;
    while ((fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0600)) < 0 && errno == ENXIO &&
           is_pipe && !is_told_to_end)
        nanosleep(&step, NULL);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static double
now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Until somebody or something ends it. Losses of the file show when it is closed. */
static void
record(const struct options *options, struct recording *recording, struct pcapng *file)
{
    const double begin = now_seconds();
    while (!is_told_to_end && pcapng_wait(file, STEP_MS) && recording_step(recording))
        if (options->seconds > 0 && now_seconds() - begin >= options->seconds)
            break;
    recording_end(recording);
}

static void
tell_losses(const struct recording *recording)
{
    uint64_t all = 0;
    char text[SENTENCE_BYTES] = "";
    size_t used = 0;
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++) {
        const uint64_t lost = recording_lost(recording, stage);
        if (lost && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIu64 " at %s", used ? ", " : "", lost,
                                     stage_name(stage));
        all += lost;
    }
    if (all)
        say("%" PRIu64 " sightings were lost: %s. Record fewer stages, one port, or a sample.", all, text);
    if (recording_sampled(recording) > 1)
        say("There was too much traffic: at times only 1 connection in %" PRIu32 " was recorded (--sample 1/1 records "
            "all).",
            recording_sampled(recording));
}

/* It may be a name that is mistyped, or a process that is yet to start. */
static void
tell_no_process(const struct options *options)
{
    if (*options->process && !processes_have(options->pid, options->process))
        say("There is no process \"%s\" yet; its connections are recorded once it runs.", options->process);
}

static int
record_to(const struct options *options, struct probes *probes)
{
    struct pcapng *file = pcapng_open(strcmp(options->path, "-") ? open_output(options->path) : dup(STDOUT_FILENO));
    if (!file) {
        if (is_told_to_end)
            return EXIT_SUCCESS;
        say("%s cannot be written: %s.", options->path, strerror(errno));
        return EXIT_FAILURE;
    }
    privileges_drop();
    struct recording *recording = recording_begin(options, probes, file);
    if (!recording) {
        pcapng_close(file);
        say("There is not enough memory.");
        return EXIT_FAILURE;
    }
    record(options, recording, file);
    const uint64_t count = recording_count(recording);
    /* A reader that has gone wanted the end. */
    const bool written = pcapng_close(file) || errno == EPIPE;
    const int error = errno;
    if (!options->is_extcap && written)
        say("%" PRIu64 " sightings in %s.", count, strcmp(options->path, "-") ? options->path : "the standard output");
    tell_losses(recording);
    recording_free(recording);
    if (!written)
        say("%s is not complete: %s.", options->path, strerror(error));
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void
list(const struct probes *probes)
{
    const uint32_t seen = probes_stages(probes);
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        printf("%-13s %-40s %s\n", stage_name(stage), seen & 1U << stage ? probes_event(probes, stage) : "-",
               stage_meaning(stage));
}

/* tshark waits for ever for a pipe that nobody opens. */
static void
give_up(const char *pipe)
{
    const int fd = open_output(pipe);
    if (fd >= 0)
        close(fd);
}

static int
run(const struct options *options)
{
    char why[SENTENCE_BYTES];
    if (options->task == TASK_RECORD && !may_replace(options->path))
        return EXIT_FAILURE;
    struct probes *probes = probes_open(&options->wanted, why, sizeof(why));
    bool privileges;
    int code = EXIT_SUCCESS;
    if (!probes) {
        say("%s", why);
        if (options->is_extcap)
            give_up(options->path);
        return EXIT_FAILURE;
    }
    /* In Wireshark what is on stderr is an error: a kernel that is as it is, is none. */
    const char *missing = probes_missing(probes, &privileges);
    if (missing && (privileges || !options->is_extcap))
        say("%s", missing);
    const char *limits = namespaces_limits(probes_stages(probes));
    if (limits && !options->is_extcap)
        say("%s", limits);
    if (options->task == TASK_LIST) {
        list(probes);
    } else {
        tell_no_process(options);
        code = record_to(options, probes);
    }
    probes_close(probes);
    return code;
}

static int
summarize(const struct options *options)
{
    const double begin = now_seconds();
    const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
    char why[SENTENCE_BYTES] = "There is not enough memory.";
    struct summarizer *summarizer = summarize_begin(options->wanted.port, options->summary_seconds * 1000000000ULL,
                                                    options->wanted.is_verbose, why, sizeof(why));
    if (!summarizer) {
        say("%s", why);
        return EXIT_FAILURE;
    }
    while (!is_told_to_end && summarize_step(summarizer) &&
           (options->seconds <= 0 || now_seconds() - begin < options->seconds))
        nanosleep(&step, NULL);
    if (summarize_end(summarizer) || errno == EPIPE)
        return EXIT_SUCCESS;
    say("The summary cannot be written: %s.", strerror(errno));
    return EXIT_FAILURE;
}

int
main(int count, char **arguments)
{
    const pid_t parent = getppid();
    struct options options;
    uint16_t port;
    options_parse(&options, count, arguments);
    listen_to_signals();
    if (options.is_extcap && !end_with(parent))
        return EXIT_SUCCESS;
    switch (options.task) {
    case TASK_INTERFACES:
        extcap_print_interfaces();
        return EXIT_SUCCESS;
    case TASK_DLTS:
        extcap_print_dlts();
        return EXIT_SUCCESS;
    case TASK_CONFIG:
        extcap_print_config();
        return EXIT_SUCCESS;
    case TASK_FILTER:
        /* What is said is why the filter is wrong. */
        if (!extcap_filter_port(options.filter, &port))
            puts(extcap_filter_help);
        return EXIT_SUCCESS;
    case TASK_HELP:
        options_help();
        return EXIT_SUCCESS;
    case TASK_VERSION:
        puts("kernel-stages " LATENCY_VERSION);
        return EXIT_SUCCESS;
    case TASK_WRONG:
        say("%s", options.problem);
        if (options.is_extcap && options.path)
            give_up(options.path);
        return EXIT_USAGE;
    case TASK_SUMMARY:
        return summarize(&options);
    case TASK_LIST:
    case TASK_RECORD:
        return run(&options);
    }
    return EXIT_FAILURE;
}
