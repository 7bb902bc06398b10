/* ca_info.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_info.h"

#include <string.h>

#include <epan/column-utils.h>
#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "../../compat.h"

/* Its index, or how many there are. */
static unsigned
find(const struct ca_info *info, const char *label)
{
    unsigned i = 0;
    while (i < info->n && info->labels[i].label != label && strcmp(info->labels[i].label, label) != 0)
        i++;
    return i;
}

bool
ca_info_has(const struct ca_info *info, const char *label)
{
    return find(info, label) < info->n;
}

void
ca_info_add(struct ca_info *info, const char *label, const char *name)
{
    const unsigned i = find(info, label);
    if (i == INFO_LABELS)
        return;
    if (i == info->n) {
        info->labels[info->n].label = label;
        info->labels[info->n++].name = name;
    }
    info->labels[i].count++;
}

void
ca_info_set(const struct ca_info *info, packet_info *pinfo, const char *column)
{
    col_set_str(pinfo->cinfo, COL_PROTOCOL, column);
    col_clear(pinfo->cinfo, COL_INFO);
    for (unsigned i = 0; i < info->n; i++) {
        const char *label = info->labels[i].label, *name = info->labels[i].name;
        if (info->labels[i].count > 1)
            col_append_sep_fstr(pinfo->cinfo, COL_INFO, ", ", "%s \xC3\x97%u", label, info->labels[i].count);
        else if (name)
            col_append_sep_fstr(pinfo->cinfo, COL_INFO, ", ", "%s %s", label, compat_printable(pinfo->pool, name));
        else
            col_append_sep_str(pinfo->cinfo, COL_INFO, ", ", label);
    }
    if (info->skipped_bytes > 0)
        col_append_sep_fstr(pinfo->cinfo, COL_INFO, ", ", "[%u bytes skipped]", info->skipped_bytes);
}
