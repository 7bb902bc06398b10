/* segment_columns.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "segment_columns.h"

const char *const segment_columns[SEGMENT_COLUMNS] = { "frame",    "time",  "side",          "seq",
                                                       "ack",      "flags", "payload_bytes", "window",
                                                       "checksum", "ip_id", "operation",     "messages" };
const char *const message_columns[MESSAGE_COLUMNS] = { "kind", "marks", "key", "bytes", "rest", "seq", "operation" };
