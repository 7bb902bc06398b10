/* suited.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "suited.h"

#include <epan/address_types.h>
#include <epan/epan.h>
#include <epan/ftypes/ftypes.h>
#include <epan/proto.h>

#include "../abi.h"
#include "../compat.h"

static const struct wireshark_release built_for = COMPAT_BUILT_FOR;
static char reason[128];

/* What a number of Wireshark's enumerations means to the plugin, by its name. */
struct numbered {
    const char *name;
    int number;
};

static const struct numbered field_types[] = {
    { "FT_NONE", FT_NONE },
    { "FT_PROTOCOL", FT_PROTOCOL },
    { "FT_BOOLEAN", FT_BOOLEAN },
    { "FT_UINT8", FT_UINT8 },
    { "FT_UINT32", FT_UINT32 },
    { "FT_UINT64", FT_UINT64 },
    { "FT_INT32", FT_INT32 },
    { "FT_FLOAT", FT_FLOAT },
    { "FT_DOUBLE", FT_DOUBLE },
    { "FT_ABSOLUTE_TIME", FT_ABSOLUTE_TIME },
    { "FT_RELATIVE_TIME", FT_RELATIVE_TIME },
    { "FT_STRING", FT_STRING },
    { "FT_BYTES", FT_BYTES },
    { "FT_FRAMENUM", FT_FRAMENUM },
};
static const struct numbered address_kinds[] = { { "AT_IPv4", AT_IPv4 }, { "AT_IPv6", AT_IPv6 } };

static const char *
say(const struct wireshark_release *runs_in, const char *what)
{
    g_snprintf(reason, sizeof reason, "built for Wireshark %d.%d.%d, and this is %d.%d.%d%s%s", built_for.major,
               built_for.minor, built_for.micro, runs_in->major, runs_in->minor, runs_in->micro,
               what ? ", which differs in " : "", what ? what : "");
    return reason;
}

static struct wireshark_release
release_that_runs(void)
{
    struct wireshark_release release;
    epan_get_version_number(&release.major, &release.minor, &release.micro);
    return release;
}

const char *
suited_release(void)
{
    const struct wireshark_release runs_in = release_that_runs();
    return abi_is_shared(&built_for, &runs_in) ? NULL : say(&runs_in, NULL);
}

/* No pointer of it is followed, for it may be no pointer. */
static bool
is_field_as_expected(void)
{
    const header_field_info *field = proto_registrar_get_byname("frame.number");
    return field && field->type == FT_UINT32 && field->display == BASE_DEC &&
           field->parent == proto_get_id_by_filter_name("frame") &&
           proto_registrar_get_nth((unsigned)field->id) == field;
}

const char *
suited_structures(void)
{
    const char *what = is_field_as_expected() ? NULL : "header_field_info";
    for (size_t i = 0; i < G_N_ELEMENTS(field_types) && !what; i++)
        if (g_strcmp0(ftype_name((ftenum_t)field_types[i].number), field_types[i].name) != 0)
            what = field_types[i].name;
    for (size_t i = 0; i < G_N_ELEMENTS(address_kinds) && !what; i++)
        if (address_type_get_by_name(address_kinds[i].name) != address_kinds[i].number)
            what = address_kinds[i].name;
    const struct wireshark_release runs_in = release_that_runs();
    return what ? say(&runs_in, what) : NULL;
}
