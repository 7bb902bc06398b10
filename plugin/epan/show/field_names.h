/* field_names.h
 * Which of the plugin's fields somebody meant who wrote one that there is not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_FIELD_NAMES_H
#define LATENCY_FIELD_NAMES_H

/* Returns a question for behind what Wireshark says of a display filter that is wrong, " Did you mean
 * latency.operation?", or "": to be freed with g_free(). */
char *field_names_question(const char *filter);

#endif
