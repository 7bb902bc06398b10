/* pva_names.h
 * Names of pvAccess: commands, requests, kinds of statuses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_NAMES_H
#define LATENCY_PVA_NAMES_H

/* "GET", and of control messages "SET_BYTE_ORDER"; NULL for what is no command. */
const char *pva_command_name(unsigned command);

/* Likewise of a request that has an answer: "GET", and with PVA_INIT "GET_INIT"; NULL for what is none. */
const char *pva_request_name(unsigned command);

/* "ERROR"; NULL for what is none. */
const char *pva_status_name(unsigned type);

#endif
