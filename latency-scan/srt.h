/* srt.h
 * The tables ca,srt and pva,srt, which tshark has of Wireshark's own making (tap-latency-srt.c): response times by command.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_SRT_H
#define SCAN_SRT_H

#include "table/table.h"

extern const struct table_definition ca_srt_table, pva_srt_table;

#endif
