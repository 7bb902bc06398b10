/* ca_names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_names.h"

#include <string.h>

#include "ca_message.h"

const char *
ca_command_name(unsigned command)
{
    static const char *const names[CA_COMMANDS] = {
        "VERSION",
        "EVENT_ADD",
        "EVENT_CANCEL",
        "READ",
        "WRITE",
        "SNAPSHOT",
        "SEARCH",
        "BUILD",
        "EVENTS_OFF",
        "EVENTS_ON",
        "READ_SYNC",
        "ERROR",
        "CLEAR_CHANNEL",
        "RSRV_IS_UP",
        "NOT_FOUND",
        "READ_NOTIFY",
        "READ_BUILD",
        "REPEATER_CONFIRM",
        "CREATE_CHAN",
        "WRITE_NOTIFY",
        "CLIENT_NAME",
        "HOST_NAME",
        "ACCESS_RIGHTS",
        "ECHO",
        "REPEATER_REGISTER",
        "SIGNAL",
        "CREATE_CH_FAIL",
        "SERVER_DISCONN",
    };
    return command < CA_COMMANDS ? names[command] : NULL;
}

/* caerr.h of EPICS base */
enum { WARNING, SUCCESS, ERROR, INFO, FATAL = 6, SEVERITY_BITS = 3 };
static const struct {
    uint8_t severity;
    const char *name;
} statuses[] = {
    { SUCCESS, "ECA_NORMAL" },
    { ERROR, "ECA_MAXIOC" },
    { ERROR, "ECA_UKNHOST" },
    { ERROR, "ECA_UKNSERV" },
    { ERROR, "ECA_SOCK" },
    { WARNING, "ECA_CONN" },
    { WARNING, "ECA_ALLOCMEM" },
    { WARNING, "ECA_UKNCHAN" },
    { WARNING, "ECA_UKNFIELD" },
    { WARNING, "ECA_TOLARGE" },
    { WARNING, "ECA_TIMEOUT" },
    { WARNING, "ECA_NOSUPPORT" },
    { WARNING, "ECA_STRTOBIG" },
    { ERROR, "ECA_DISCONNCHID" },
    { ERROR, "ECA_BADTYPE" },
    { INFO, "ECA_CHIDNOTFND" },
    { INFO, "ECA_CHIDRETRY" },
    { FATAL, "ECA_INTERNAL" },
    { WARNING, "ECA_DBLCLFAIL" },
    { WARNING, "ECA_GETFAIL" },
    { WARNING, "ECA_PUTFAIL" },
    { WARNING, "ECA_ADDFAIL" },
    { WARNING, "ECA_BADCOUNT" },
    { ERROR, "ECA_BADSTR" },
    { WARNING, "ECA_DISCONN" },
    { WARNING, "ECA_DBLCHNL" },
    { ERROR, "ECA_EVDISALLOW" },
    { WARNING, "ECA_BUILDGET" },
    { WARNING, "ECA_NEEDSFP" },
    { WARNING, "ECA_OVEVFAIL" },
    { ERROR, "ECA_BADMONID" },
    { WARNING, "ECA_NEWADDR" },
    { INFO, "ECA_NEWCONN" },
    { WARNING, "ECA_NOCACTX" },
    { FATAL, "ECA_DEFUNCT" },
    { WARNING, "ECA_EMPTYSTR" },
    { WARNING, "ECA_NOREPEATER" },
    { WARNING, "ECA_NOCHANMSG" },
    { WARNING, "ECA_DLCKREST" },
    { WARNING, "ECA_SERVBEHIND" },
    { WARNING, "ECA_NOCAST" },
    { ERROR, "ECA_BADMASK" },
    { INFO, "ECA_IODONE" },
    { INFO, "ECA_IOINPROGRESS" },
    { ERROR, "ECA_BADSYNCGRP" },
    { ERROR, "ECA_PUTCBINPROG" },
    { WARNING, "ECA_NORDACCESS" },
    { WARNING, "ECA_NOWTACCESS" },
    { ERROR, "ECA_ANACHRONISM" },
    { WARNING, "ECA_NOSEARCHADDR" },
    { WARNING, "ECA_NOCONVERT" },
    { ERROR, "ECA_BADCHID" },
    { ERROR, "ECA_BADFUNCPTR" },
    { WARNING, "ECA_ISATTACHED" },
    { WARNING, "ECA_UNAVAILINSERV" },
    { WARNING, "ECA_CHANDESTROY" },
    { ERROR, "ECA_BADPRIORITY" },
    { ERROR, "ECA_NOTTHREADED" },
    { WARNING, "ECA_16KARRAYCLIENT" },
    { WARNING, "ECA_CONNSEQTMO" },
    { WARNING, "ECA_UNRESPTMO" },
};

const char *
ca_status_name(uint32_t status)
{
    uint32_t number = status >> SEVERITY_BITS;
    if (number >= sizeof statuses / sizeof *statuses || (status & 7) != statuses[number].severity)
        return NULL;
    return statuses[number].name;
}
