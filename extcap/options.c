/* options.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plugin/core/util/nearest.h"
#include "extcap.h"
#include "sampling.h"
#include "stages.h"

enum { DEFAULT_BYTES = 320, LEAST_BYTES = 128 };

enum {
    OPTION_INTERFACES = 256,
    OPTION_DLTS,
    OPTION_CONFIG,
    OPTION_FILTER,
    OPTION_INTERFACE,
    OPTION_EXTCAP_VERSION,
    OPTION_CAPTURE,
    OPTION_FIFO
};

static const char letters[] = "p:P:s:S:w:c:d:m:u:LvhV";
static const struct option words[] = {
    { "port", required_argument, NULL, 'p' },
    { "process", required_argument, NULL, 'P' },
    { "snaplen", required_argument, NULL, 's' },
    { "stages", required_argument, NULL, 'S' },
    { "sample", required_argument, NULL, 'm' },
    { "summary", required_argument, NULL, 'u' },
    { "write", required_argument, NULL, 'w' },
    { "count", required_argument, NULL, 'c' },
    { "duration", required_argument, NULL, 'd' },
    { "list", no_argument, NULL, 'L' },
    { "verbose", no_argument, NULL, 'v' },
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, 'V' },
    { "extcap-interfaces", no_argument, NULL, OPTION_INTERFACES },
    { "extcap-dlts", no_argument, NULL, OPTION_DLTS },
    { "extcap-config", no_argument, NULL, OPTION_CONFIG },
    { "extcap-capture-filter", required_argument, NULL, OPTION_FILTER },
    { "extcap-interface", required_argument, NULL, OPTION_INTERFACE },
    { "extcap-version", optional_argument, NULL, OPTION_EXTCAP_VERSION },
    { "capture", no_argument, NULL, OPTION_CAPTURE },
    { "fifo", required_argument, NULL, OPTION_FIFO },
    { NULL, 0, NULL, 0 },
};

void
options_help(void)
{
    puts("Usage: kernel-stages [OPTIONS] -w FILE\n"
         "Records each TCP packet at the stages that it passes inside the kernel, between\n"
         "the driver and its process, for the tables of latency-scan and the plugin.\n"
         "\n"
         "Examples:\n"
         "  # What it shows, in a recording that comes with the sources\n"
         "  latency-scan -z kernel -z stages captures/kernel/stages-lo.pcapng\n"
         "  # Ten seconds of a server at port 80, and where its time went\n"
         "  sudo kernel-stages -p 80 -d 10 -w web.pcapng\n"
         "  latency-scan -z kernel -z stages web.pcapng\n"
         "  # One process, only between its sockets and itself\n"
         "  sudo kernel-stages -P memcached -S app -w app.pcapng\n"
         "  # A row each second, of a server at full speed\n"
         "  sudo kernel-stages -p 80 --summary 1\n"
         "  # As an interface of tshark or of Wireshark\n"
         "  sudo tshark -q -i kernel-stages -f 'tcp port 80' -c 1000 -z latency,kernel\n"
         "\n"
         "What is recorded:\n"
         "  -p, --port=PORT       only this TCP port, at either end (default: all)\n"
         "  -P, --process=PROCESS\n"
         "                        only connections of this process: its pid, or its name\n"
         "  -S, --stages=LIST     only these stages: rx,app:recv (default: all)\n"
         "  -m, --sample=1/N      one whole connection in N, at most 4096 (default: all;\n"
         "                        fewer while the load is too high)\n"
         "  -s, --snaplen=BYTES   the first BYTES of each packet: 128 to 512 (default 320)\n"
         "\n"
         "For how long, and where it goes:\n"
         "  -w, --write=FILE      write a pcapng file; - is the standard output\n"
         "  -c, --count=N         stop after N records\n"
         "  -d, --duration=SECONDS\n"
         "                        stop after SECONDS\n"
         "  -u, --summary=SECONDS\n"
         "                        record nothing: print a row of -z latency,kernel for\n"
         "                        the server at --port every SECONDS; the kernel adds\n"
         "                        the figures up\n"
         "\n"
         "About the program:\n"
         "  -L, --list            list the stages that this kernel can show, and what each\n"
         "                        one is in the kernel\n"
         "  -v, --verbose         say why the kernel refuses a program\n"
         "  -h, --help            print this and exit\n"
         "  -V, --version         print the version and exit\n"
         "\n"
         "More: man kernel-stages, docs/kernel-stages.md.");
}

/* Returns the search for the option that was meant by one that there is not. */
static struct nearest
option_meant(const char *written)
{
    struct nearest nearest = nearest_to(written);
    char option[NEAREST_ROOM];
    for (const struct option *word = words; word->name; word++) {
        snprintf(option, sizeof option, "--%s", word->name);
        nearest_offer(&nearest, option);
    }
    return nearest;
}

static void __attribute__((format(printf, 2, 3))) complain(struct options *options, const char *format, ...)
{
    va_list arguments;
    if (options->task == TASK_WRONG)
        return;
    options->task = TASK_WRONG;
    va_start(arguments, format);
    vsnprintf(options->problem, sizeof(options->problem), format, arguments);
    va_end(arguments);
}

static uint64_t
number(struct options *options, const char *name, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(optarg, &end, 10);
    if (errno || *end || end == optarg || *optarg == '-' || value < least || value > most)
        complain(options, "%s \"%s\" is not a number from %llu to %llu.", name, optarg, (unsigned long long)least,
                 (unsigned long long)most);
    return value;
}

static void
take_process(struct options *options)
{
    options->process = optarg;
    options->pid = 0;
    if (*optarg && optarg[strspn(optarg, "0123456789")] == '\0')
        options->pid = (unsigned int)number(options, "The pid", 1, INT_MAX);
    else if (strlen(optarg) >= PROCESS_NAME_BYTES)
        complain(options, "The name of a process has at most %d letters in the kernel; \"%s\" has more.",
                 PROCESS_NAME_BYTES - 1, optarg);
}

static void
take_seconds(struct options *options)
{
    char *end;
    options->seconds = strtod(optarg, &end);
    if (*end || end == optarg || !(options->seconds > 0 && options->seconds < 1e9))
        complain(options, "The duration \"%s\" is not a number of seconds.", optarg);
}

static void
take_sample(struct options *options)
{
    unsigned one_in = 0;
    int end = 0;
    if (!*optarg)
        return;
    if (sscanf(optarg, "1/%4u%n", &one_in, &end) != 1 || optarg[end] || !one_in || one_in > SAMPLING_MOST)
        complain(options, "The sample \"%s\" is not 1/1 to 1/%d.", optarg, SAMPLING_MOST);
    options->wanted.one_in = one_in;
}

static void
take_stages(struct options *options)
{
    options->wanted.stages = *optarg ? stages_parse(optarg) : ALL_STAGES;
    if (!options->wanted.stages)
        complain(options, "A stage of \"%s\" is not known; --list lists all.", optarg);
}

static void
take_summary(struct options *options)
{
    options->task = TASK_SUMMARY;
    options->summary_seconds = (unsigned)number(options, "The seconds of a row", 1, 3600);
}

static void
take_interface(struct options *options)
{
    if (strcmp(optarg, EXTCAP_INTERFACE))
        complain(options, "There is no interface \"%s\" here.", optarg);
}

static void
take(struct options *options, int option, const char *written, bool *capture)
{
    switch (option) {
    case 'p':
        options->wanted.port = (uint16_t)number(options, "The port", 0, UINT16_MAX);
        break;
    case 'P':
        take_process(options);
        break;
    case 's':
        options->wanted.bytes = (uint32_t)number(options, "The snap length", LEAST_BYTES, PACKET_BYTES);
        break;
    case 'S':
        take_stages(options);
        break;
    case 'm':
        take_sample(options);
        break;
    case 'w':
    case OPTION_FIFO:
        options->path = optarg;
        break;
    case 'c':
        options->count = number(options, "The count", 1, UINT64_MAX);
        break;
    case 'd':
        take_seconds(options);
        break;
    case 'u':
        take_summary(options);
        break;
    case 'L':
        options->task = TASK_LIST;
        break;
    case 'v':
        options->wanted.is_verbose = true;
        break;
    case 'h':
        options->task = TASK_HELP;
        break;
    case 'V':
        options->task = TASK_VERSION;
        break;
    case OPTION_INTERFACES:
    case OPTION_DLTS:
    case OPTION_CONFIG:
        options->task = TASK_INTERFACES + (enum task)(option - OPTION_INTERFACES);
        break;
    case OPTION_FILTER:
        options->filter = optarg;
        break;
    case OPTION_INTERFACE:
        take_interface(options);
        break;
    case OPTION_EXTCAP_VERSION:
        break;
    case OPTION_CAPTURE:
        *capture = options->is_extcap = true;
        break;
    default:
        complain(options, "See kernel-stages --help for the options.%s", option_meant(written).question);
    }
}

void
options_parse(struct options *options, int count, char **arguments)
{
    bool capture = false;
    int option;
    *options = (struct options){ .wanted = { .stages = ALL_STAGES, .bytes = DEFAULT_BYTES }, .process = "" };
    while (options->task != TASK_WRONG && (option = getopt_long(count, arguments, letters, words, NULL)) != -1)
        take(options, option, arguments[optind - 1], &capture);
    if (optind < count)
        complain(options, "There is no option \"%s\"; see kernel-stages --help.", arguments[optind]);
    if (options->task == TASK_SUMMARY && !options->wanted.port)
        complain(options, "--summary needs the port of one server: --port PORT.");
    if (options->task == TASK_SUMMARY && (options->path || *options->process || options->wanted.one_in))
        complain(options, "--summary records nothing, and takes no other options than --port and --duration.");
    if (options->task != TASK_RECORD)
        return;
    if (options->filter && !capture) {
        options->task = TASK_FILTER;
        return;
    }
    uint16_t port;
    if (options->filter && !extcap_filter_port(options->filter, &port))
        complain(options, "%s", extcap_filter_help);
    else if (options->filter && port)
        options->wanted.port = port;
    if (!options->path)
        complain(options, "There is no file to write: use -w FILE, or see --help.");
}
