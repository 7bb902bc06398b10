/* compat.h
 * Every difference between Wireshark 4.0, 4.2, 4.4 and 4.6 that this plugin meets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_COMPAT_H
#define LATENCY_COMPAT_H

#include <stdbool.h>

#include <glib.h>
#include <ws_version.h>

#define LATENCY_VERSION_AT_LEAST(major, minor)                                                                         \
    (WIRESHARK_VERSION_MAJOR > (major) || (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* The whole version of the Wireshark this is built for, as a text. */
#define COMPAT_TEXT_(number) #number
#define COMPAT_TEXT(number)  COMPAT_TEXT_(number)
#define COMPAT_VERSION                                                                                                 \
    COMPAT_TEXT(WIRESHARK_VERSION_MAJOR)                                                                               \
    "." COMPAT_TEXT(WIRESHARK_VERSION_MINOR) "." COMPAT_TEXT(WIRESHARK_VERSION_MICRO)

/* Says for which release the plugin is built: { major, minor, micro }. The tests build one for a release that they made
 * up. */
#ifdef LATENCY_BUILT_FOR
#define COMPAT_BUILT_FOR LATENCY_BUILT_FOR
#else
#define COMPAT_BUILT_FOR { WIRESHARK_VERSION_MAJOR, WIRESHARK_VERSION_MINOR, WIRESHARK_VERSION_MICRO }
#endif

/* The plugin works with these alone. */
enum { COMPAT_MAJOR = WIRESHARK_VERSION_MAJOR, COMPAT_MINOR = WIRESHARK_VERSION_MINOR };

/* What a -z argument's callback returns: since 4.6 whether it succeeded. */
#if LATENCY_VERSION_AT_LEAST(4, 6)
typedef bool stat_init_result;
#define STAT_INIT_DONE return true
#else
typedef void stat_init_result;
#define STAT_INIT_DONE return
#endif

/* What a heuristic dissector and a visitor of a block's options return, and a preference holds. */
#if LATENCY_VERSION_AT_LEAST(4, 4)
typedef bool wireshark_bool;
#else
typedef gboolean wireshark_bool;
#endif

/* What a callback of a wmem scope returns. */
#if LATENCY_VERSION_AT_LEAST(4, 2)
typedef bool wmem_callback_result;
#else
typedef gboolean wmem_callback_result;
#endif

/* Names of interfaces are a section's own since 4.4. */
#if LATENCY_VERSION_AT_LEAST(4, 4)
#define compat_interface_name(epan, interface, section) epan_get_interface_name(epan, interface, section)
#else
#define compat_interface_name(epan, interface, section) ((void)(section), epan_get_interface_name(epan, interface))
#endif

/* Apple's process information blocks are read since 4.6. */
#if LATENCY_VERSION_AT_LEAST(4, 6)
#define compat_process_id(epan, block, section)   epan_get_process_id(epan, block, section)
#define compat_process_name(epan, block, section) epan_get_process_name(epan, block, section)
#else
#define compat_process_id(epan, block, section)   ((void)(epan), (void)(block), (void)(section), -1)
#define compat_process_name(epan, block, section) ((const char *)NULL)
#endif

/* Whether wiretap keeps pcapng's epb_processid_threadid. */
enum { COMPAT_KEEPS_PROCESS_OPTION = LATENCY_VERSION_AT_LEAST(4, 6) };

/* Whether a process block of Wireshark's, which 5.0 is going to read, is a frame, as other custom blocks are. */
enum { COMPAT_SHOWS_PROCESS_BLOCKS = !LATENCY_VERSION_AT_LEAST(5, 0) };

/* What a source of a frame's data is called, and its length. To be freed with wmem_free(NULL, text). */
#if LATENCY_VERSION_AT_LEAST(4, 6)
#define compat_source_text(source) get_data_source_description(source)
#else
#define compat_source_text(source) get_data_source_name(source)
#endif

/* Conversation filters are given the registrar's data since 4.2. */
#if LATENCY_VERSION_AT_LEAST(4, 2)
#define COMPAT_FILTER_DATA , void *data _U_
#define compat_register_filter(proto, name, is_valid, build)                                                           \
    register_conversation_filter(proto, name, is_valid, build, NULL)
#else
#define COMPAT_FILTER_DATA
#define compat_register_filter(proto, name, is_valid, build) register_conversation_filter(proto, name, is_valid, build)
#endif

/* For a label or a column, which others print as it is: what a terminal would obey is escaped. In wsutil/str_util.h
 * since 4.2, in epan/strutil.h before. */
#if LATENCY_VERSION_AT_LEAST(4, 2)
#define compat_printable(scope, text) format_text_string(scope, text)
#else
#define compat_printable(scope, text) format_text_string(scope, (const guchar *)(text))
#endif

/* The value of a field. */
#if LATENCY_VERSION_AT_LEAST(4, 2)
#define compat_field_value(finfo) ((finfo)->value)
#else
#define compat_field_value(finfo) (&(finfo)->value)
#endif

#if !LATENCY_VERSION_AT_LEAST(4, 6)
#define pntohu16  pntoh16
#define pntohu32  pntoh32
#define pntohu64  pntoh64
#define pletohu16 pletoh16
#define pletohu32 pletoh32
#endif

#endif
