/* lazy_wiretap.h
 * wiretap's functions, loaded with the first call of one: what is read as plain pcap needs none of them, and they take
 * as long to load as a small capture to read.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SCAN_LAZY_WIRETAP_H
#define SCAN_LAZY_WIRETAP_H

#include <wiretap/pcap-encap.h>
#include <wiretap/wtap.h>

#include "compat.h"

/* Each that is called here. */
#define WIRETAP_COMMON(X)                                                                                              \
    X(wtap_block_foreach_option)                                                                                       \
    X(wtap_block_get_string_option_value)                                                                              \
    X(wtap_cleanup)                                                                                                    \
    X(wtap_close)                                                                                                      \
    X(wtap_encap_description)                                                                                          \
    X(wtap_file_get_idb_info)                                                                                          \
    X(wtap_init)                                                                                                       \
    X(wtap_open_offline)                                                                                               \
    X(wtap_pcap_encap_to_wtap_encap)                                                                                   \
    X(wtap_read)                                                                                                       \
    X(wtap_read_so_far)                                                                                                \
    X(wtap_rec_cleanup)                                                                                                \
    X(wtap_rec_init)                                                                                                   \
    X(wtap_rec_reset)                                                                                                  \
    X(wtap_strerror)
#if LATENCY_VERSION_AT_LEAST(4, 4)
#define WIRETAP_CALLS(X) WIRETAP_COMMON(X) X(wtap_file_get_shb_global_interface_id)
#else
#define WIRETAP_CALLS WIRETAP_COMMON
#endif

#define WIRETAP_POINTER(name) __typeof__(name) *name;
struct wiretap {
    WIRETAP_CALLS(WIRETAP_POINTER)
};

/* Loads and begins it if nobody has. Ends the program, having said why, if that cannot be. */
const struct wiretap *wiretap(void);

/* Ends it, if it has been loaded. */
void wiretap_end(void);

#endif
