/* filter.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "filter.h"

#include <dlfcn.h>

#include <pcap/pcap.h>

#include "lazy_wiretap.h"
#include "say.h"

enum { SNAP_LENGTH = 262144 };

/* What is called of libpcap. It is loaded when there is a filter, for it takes as long as a small capture to read. */
#define CALLS(X) X(pcap_close) X(pcap_compile) X(pcap_freecode) X(pcap_geterr) X(pcap_offline_filter) X(pcap_open_dead)

#define POINTER(name) __typeof__(name) *name;
static struct {
    CALLS(POINTER)
} libpcap;

struct filter {
    char *text;
    GHashTable *programs; /* by encapsulation, of struct bpf_program; NULL where it cannot be compiled */
};

static void
free_program(void *data)
{
    struct bpf_program *program = data;
    if (program)
        libpcap.pcap_freecode(program);
    g_free(program);
}

static struct bpf_program *
compile(const char *text, int link, char **error)
{
    pcap_t *nothing = libpcap.pcap_open_dead(link, SNAP_LENGTH);
    struct bpf_program *program = g_new0(struct bpf_program, 1);
    if (libpcap.pcap_compile(nothing, program, text, 1, PCAP_NETMASK_UNKNOWN) != 0) {
        *error = g_strdup(libpcap.pcap_geterr(nothing));
        g_free(program);
        program = NULL;
    }
    libpcap.pcap_close(nothing);
    return program;
}

/* NULL, or a sentence about what is wrong. */
static char *
load_libpcap(void)
{
    void *library = dlopen(LIBPCAP, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) libpcap.name = library ? (__typeof__(name) *)dlsym(library, #name) : NULL;
    CALLS(FIND)
#define LACKS(name) || !libpcap.name
    if (!library CALLS(LACKS))
        return g_strdup_printf("-f needs libpcap: %s.", dlerror());
    return NULL;
}

struct filter *
filter_new(const char *text, char **error)
{
    char *reason = NULL;
    *error = load_libpcap();
    if (*error)
        return NULL;
    struct bpf_program *program = compile(text, DLT_EN10MB, &reason);
    if (!program) {
        *error = g_strdup_printf("-f \"%s\" is not a capture filter (pcap-filter(7)): %s.", text, reason);
        g_free(reason);
        return NULL;
    }
    struct filter *filter = g_new(struct filter, 1);
    filter->text = g_strdup(text);
    filter->programs = g_hash_table_new_full(NULL, NULL, NULL, free_program);
    g_hash_table_insert(filter->programs, GINT_TO_POINTER(WTAP_ENCAP_ETHERNET), program);
    return filter;
}

const char *
filter_text(const struct filter *filter)
{
    return filter->text;
}

void
filter_free(struct filter *filter)
{
    g_hash_table_destroy(filter->programs);
    g_free(filter->text);
    g_free(filter);
}

/* libpcap's number of a link layer; -1 if it has none. wiretap tells only the other way. */
static int
link_of(int encapsulation)
{
    enum { MOST = 400 };
    for (int link = 0; link < MOST; link++)
        if (wiretap()->wtap_pcap_encap_to_wtap_encap(link) == encapsulation)
            return link;
    return -1;
}

static struct bpf_program *
program_for(struct filter *filter, int encapsulation)
{
    void *found;
    char *error = NULL;
    if (g_hash_table_lookup_extended(filter->programs, GINT_TO_POINTER(encapsulation), NULL, &found))
        return found;
    int link = link_of(encapsulation);
    struct bpf_program *program = link < 0 ? NULL : compile(filter->text, link, &error);
    if (!program)
        say("-f \"%s\" cannot filter frames of link layer %s: %s.", filter->text,
            wiretap()->wtap_encap_description(encapsulation), error ? error : "libpcap does not know it");
    g_free(error);
    g_hash_table_insert(filter->programs, GINT_TO_POINTER(encapsulation), program);
    return program;
}

bool
filter_passes(struct filter *filter, const struct frame *frame)
{
    struct bpf_program *program = program_for(filter, frame->encapsulation);
    const struct pcap_pkthdr header = { .caplen = frame->captured, .len = frame->reported };
    return program && libpcap.pcap_offline_filter(program, &header, frame->bytes) != 0;
}
