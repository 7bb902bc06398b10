/* zookeeper_error.c
 * KeeperException.java and MultiResponse.java of github.com/apache/zookeeper.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "zookeeper_error.h"

#include <stdio.h>

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../../request/request.h"

static const struct {
    int32_t error;
    const char *name;
} names[] = {
    { -1, "SystemError" },
    { -3, "DataInconsistency" },
    { -4, "ConnectionLoss" },
    { -5, "MarshallingError" },
    { -6, "Unimplemented" },
    { -7, "OperationTimeout" },
    { -8, "BadArguments" },
    { -12, "UnknownSession" },
    { -13, "NewConfigNoQuorum" },
    { -14, "ReconfigInProgress" },
    { -100, "APIError" },
    { ZOOKEEPER_NO_NODE, "NoNode" },
    { -102, "NoAuth" },
    { -103, "BadVersion" },
    { -110, "NodeExists" },
    { -111, "NotEmpty" },
    { ZOOKEEPER_SESSION_EXPIRED, "SessionExpired" },
    { -113, "InvalidCallback" },
    { -114, "InvalidACL" },
    { -115, "AuthFailed" },
    { -118, "SessionMoved" },
    { -119, "NotReadOnly" },
    { -121, "NoWatcher" },
    { -122, "RequestTimeout" },
    { -123, "ReconfigDisabled" },
    { -125, "QuotaExceeded" },
    { -127, "Throttled" },
};

bool
zookeeper_can_be_error(int32_t error)
{
    enum { LEAST = -255 };
    return error <= 0 && error >= LEAST;
}

void
zookeeper_status(int32_t error, char *status)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (names[i].error == error) {
            g_strlcpy(status, names[i].name, STATUS_ROOM);
            return;
        }
    snprintf(status, STATUS_ROOM, "%d", error);
}

/* Each part stands behind a type, a flag and an error; of what failed all are of type -1, and have the error again: 0
 * before the one that has failed, RuntimeInconsistency behind it. */
bool
zookeeper_multi_has_failed(const uint8_t *body, size_t length, int32_t *error)
{
    enum { FLAG_AT = 4, ERROR_AT = 9, PART = 13 };
    *error = 0;
    if (length < FLAG_AT + 1 || (int32_t)pntohu32(body) != -1 || body[FLAG_AT] != 0)
        return false;
    for (size_t at = 0; *error == 0 && at + PART <= length && body[at + FLAG_AT] == 0; at += PART)
        *error = (int32_t)pntohu32(body + at + ERROR_AT);
    return true;
}
