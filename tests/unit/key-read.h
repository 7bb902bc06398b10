/* key-read.h
 * What each key of a `?` line reads from an item. Internal to key.c, which says what the keys are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef KEY_READ_H
#define KEY_READ_H

#include "key.h"

/* How values are written. Free all strings with g_free(). */
char *write_yes_no(bool value);
char *write_number(uint64_t value);
char *write_seconds(int64_t ns); /* a negative time stands for an unknown one: `none` */
/* What the dissector works out of the request, next to the flags of an item. */
enum { FLAG_REORDERED = 0x10000 };

char *write_flags(unsigned mask);

/* The ITEM_... bits of a comma-separated list; false if one is no flag. */
bool read_flag_list(const char *list, unsigned *mask);

bool is_after_first(const struct view *view);

/* NULL if the item has nothing of that name. */
char *read_item(const struct view *view);
char *read_first(const struct view *view);
char *read_spacing(const struct view *view);
char *read_byte_offset(const struct view *view);
char *read_ipid_delta(const struct view *view);
char *read_flags(const struct view *view);
char *read_request(const struct view *view);
char *read_operation(const struct view *view);
char *read_first_byte(const struct view *view);
char *read_service(const struct view *view);
char *read_request_spread(const struct view *view);
char *read_server_time(const struct view *view);
char *read_last_byte(const struct view *view);
char *read_transfer(const struct view *view);
char *read_wait(const struct view *view);
char *read_request_bytes(const struct view *view);
char *read_response_bytes(const struct view *view);
char *read_retransmissions(const struct view *view);
char *read_reordered(const struct view *view);
char *read_outcome(const struct view *view);
char *read_connect_time(const struct view *view);
char *read_connect_result(const struct view *view);
char *read_syn_retries(const struct view *view);
char *read_network_server(const struct view *view);
char *read_network_client(const struct view *view);
char *read_behaviour(const struct view *view);
char *read_attempts(const struct view *view);
char *read_duplicates(const struct view *view);
char *read_unsolicited(const struct view *view);

#endif
