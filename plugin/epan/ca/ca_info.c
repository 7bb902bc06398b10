/* ca_info.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_info.h"

#include <epan/column-utils.h>
#include <epan/strutil.h>
#include <wsutil/str_util.h>

#include "../../core/ca/ca_names.h"
#include "../../compat.h"

void
ca_info_add(struct ca_info *info, unsigned command, const char *name)
{
    if (info->counts[command]++ > 0)
        return;
    info->order[info->n++] = (uint8_t)command;
    info->names[command] = name;
}

void
ca_info_set(const struct ca_info *info, packet_info *pinfo)
{
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "CA");
    col_clear(pinfo->cinfo, COL_INFO);
    for (unsigned i = 0; i < info->n; i++) {
        unsigned command = info->order[i];
        const char *label = ca_command_name(command);
        if (info->counts[command] > 1)
            col_append_sep_fstr(pinfo->cinfo, COL_INFO, ", ", "%s \xC3\x97%u", label, info->counts[command]);
        else if (info->names[command])
            col_append_sep_fstr(pinfo->cinfo, COL_INFO, ", ", "%s %s", label,
                                compat_printable(pinfo->pool, info->names[command]));
        else
            col_append_sep_str(pinfo->cinfo, COL_INFO, ", ", label);
    }
    if (info->skipped_bytes > 0)
        col_append_sep_fstr(pinfo->cinfo, COL_INFO, ", ", "[%u bytes skipped]", info->skipped_bytes);
}
