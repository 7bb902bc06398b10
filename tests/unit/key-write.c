/* key-write.c
 * How the values of `?` lines are written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "key-read.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned mask;
} flags[] = {
#define PACKET_FLAG(name, word, bit) { word, bit },
    PACKET_FLAG_LIST(PACKET_FLAG)
#undef PACKET_FLAG
        { "reordered", FLAG_REORDERED },
};

char *
write_yes_no(bool value)
{
    return g_strdup(value ? "yes" : "no");
}

char *
write_number(uint64_t value)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT, value);
}

char *
write_seconds(int64_t ns)
{
    enum { NS = 1000000000 };
    if (ns < 0)
        return g_strdup("none");
    return g_strdup_printf("%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT, ns / NS, ns % NS);
}

char *
write_flags(unsigned mask)
{
    GString *names = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
        if ((mask & flags[i].mask) != 0)
            g_string_append_printf(names, "%s%s", names->len == 0 ? "" : ",", flags[i].name);
    return g_string_free(names->len == 0 ? g_string_append(names, "none") : names, FALSE);
}

bool
read_flag_list(const char *list, unsigned *mask)
{
    char **names = g_strsplit(list, ",", -1);
    bool valid = true;
    *mask = 0;
    for (char **name = names; *name != NULL && valid; name++) {
        valid = false;
        for (size_t i = 0; i < G_N_ELEMENTS(flags) && !valid; i++) {
            valid = strcmp(*name, flags[i].name) == 0;
            *mask |= valid ? flags[i].mask : 0;
        }
    }
    g_strfreev(names);
    return valid;
}
