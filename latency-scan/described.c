/* described.c
 * Apple's: bsd/net/pktap.h and libpcap's pcap-darwin.c. Wireshark's: wiretap/pcapng-wireshark-custom.c, and its wiki's
 * Development/PcapngCustom.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "described.h"

#include <stdio.h>
#include <string.h>

#include <glib.h>

/* The pid, before options. */
enum { PID_BYTES = 4 };

/* Of options, in both kinds of blocks. */
enum { OPTION_END = 0, OPTION_NAME = 2 };

/* Of options in Wireshark's: nanoseconds since the epoch. */
enum { OPTION_START = 9 };

/* More of one kind are wiretap's. */
enum { MOST = 65536 };

/* A process. `earlier`: the number, from 1, of the one before it with the same pid; 0: there is none. */
struct one {
    uint32_t pid, earlier;
    int64_t start_ns; /* 0: not known, as if it had always been */
    char *name;       /* NULL if it has none */
};

struct described {
    GArray *apples, *wiresharks; /* of struct one */
    GHashTable *latest;          /* of Wireshark's: by pid the number, from 1, of the last one */
};

struct option {
    uint32_t at; /* of its value */
    uint16_t code, length;
};

static void
one_clear(void *data)
{
    g_free(((struct one *)data)->name);
}

struct described *
described_new(void)
{
    struct described *described = g_new0(struct described, 1);
    described->apples = g_array_new(FALSE, FALSE, sizeof(struct one));
    described->wiresharks = g_array_new(FALSE, FALSE, sizeof(struct one));
    g_array_set_clear_func(described->apples, one_clear);
    g_array_set_clear_func(described->wiresharks, one_clear);
    described->latest = g_hash_table_new(NULL, NULL);
    return described;
}

void
described_free(struct described *described)
{
    if (!described)
        return;
    g_array_free(described->apples, TRUE);
    g_array_free(described->wiresharks, TRUE);
    g_hash_table_destroy(described->latest);
    g_free(described);
}

/* Reads the option at `*at`, and moves on: false after the last one, or if it is cut. */
static bool
next_option(const struct raw_options *body, uint32_t *at, struct option *option, bool *is_cut)
{
    enum { HEADER = 4, LENGTH = 2 };
    if (*at == body->bytes)
        return false;
    *is_cut = body->bytes - *at < HEADER;
    if (*is_cut)
        return false;
    *option = (struct option){ *at + HEADER, raw_16(body, *at), raw_16(body, *at + LENGTH) };
    const uint32_t padded = (option->length + 3U) & ~3U;
    *is_cut = padded > body->bytes - option->at;
    *at = option->at + padded;
    return !*is_cut && option->code != OPTION_END;
}

/* Of several names the first counts, and of several starts. */
static void
take_option(const struct raw_options *body, const struct option *option, struct one *one)
{
    if (option->code == OPTION_NAME && !one->name)
        one->name = g_strndup((const char *)body->at + option->at, MIN(option->length, PROCESS_NAME_BYTES - 1));
    else if (option->code == OPTION_START && one->start_ns == 0)
        one->start_ns = (int64_t)MIN(raw_64(body, option->at), (uint64_t)INT64_MAX);
}

/* Wiretap refuses a file with an option of another length. */
static bool
is_of_wiresharks(const struct option *option)
{
    static const uint8_t lengths[] = { [5] = 4, [6] = 4, [8] = 16, [OPTION_START] = 8 };
    return option->code >= G_N_ELEMENTS(lengths) || lengths[option->code] == 0 ||
           option->length == lengths[option->code];
}

/* False, with nothing to free, if it makes no sense. */
static bool
read_one(const struct raw_options *body, bool is_wiresharks, struct one *one)
{
    *one = (struct one){ 0 };
    bool is_cut = body->bytes < PID_BYTES;
    if (is_cut)
        return false;
    one->pid = raw_32(body, 0);
    uint32_t at = PID_BYTES;
    struct option option;
    while (next_option(body, &at, &option, &is_cut)) {
        is_cut = is_wiresharks && !is_of_wiresharks(&option);
        if (is_cut)
            break;
        if (is_wiresharks || option.code == OPTION_NAME)
            take_option(body, &option, one);
    }
    if (is_cut)
        g_free(one->name);
    return !is_cut;
}

bool
described_take_apples(struct described *described, const struct raw_options *body)
{
    struct one one;
    if (described->apples->len == MOST || !read_one(body, false, &one))
        return false;
    g_array_append_val(described->apples, one);
    return true;
}

bool
described_take_wiresharks(struct described *described, const struct raw_options *body)
{
    struct one one;
    if (described->wiresharks->len == MOST || !read_one(body, true, &one))
        return false;
    void *pid = GUINT_TO_POINTER(one.pid);
    one.earlier = GPOINTER_TO_UINT(g_hash_table_lookup(described->latest, pid));
    g_array_append_val(described->wiresharks, one);
    g_hash_table_insert(described->latest, pid, GUINT_TO_POINTER(described->wiresharks->len));
    return true;
}

/* A number that is no pid is that of nobody. */
static void
tell(const struct one *one, struct process *process)
{
    if (one->pid > INT32_MAX)
        return;
    process->pid = one->pid;
    process->has_pid = true;
    snprintf(process->name, sizeof process->name, "%s", one->name ? one->name : "");
}

void
described_read_numbered(const struct described *described, uint32_t number, struct process *process)
{
    if (number < described->apples->len)
        tell(&g_array_index(described->apples, struct one, number), process);
}

bool
described_read_pid(const struct described *described, uint32_t pid, int64_t time_ns, struct process *process)
{
    /* A file of a hundred thousand with one pid is not looked through for each packet. */
    enum { LOOKED_AT = 64 };
    const struct one *found = NULL, *first = NULL;
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(described->latest, GUINT_TO_POINTER(pid)));
    for (unsigned i = 0; number > 0 && i < LOOKED_AT; i++) {
        const struct one *one = &g_array_index(described->wiresharks, struct one, number - 1);
        if (one->start_ns <= time_ns && (!found || one->start_ns > found->start_ns))
            found = one;
        if (!first || one->start_ns < first->start_ns)
            first = one;
        number = one->earlier;
    }
    const struct one *one = found || number > 0 ? found : first;
    if (one)
        tell(one, process);
    return one;
}
