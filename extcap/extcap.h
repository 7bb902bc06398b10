/* extcap.h
 * Answers to Wireshark: https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef EXTCAP_H
#define EXTCAP_H

#include <stdbool.h>
#include <stdint.h>

#define EXTCAP_INTERFACE "kernel-stages"

/* To the standard output. */
void extcap_print_interfaces(void);
void extcap_print_dlts(void);
void extcap_print_config(void);

/* A capture filter can be "", "port N" and "tcp port N". *port is 0 for "". */
bool extcap_filter_port(const char *filter, uint16_t *port);
extern const char extcap_filter_help[];

#endif
