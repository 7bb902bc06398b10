/* export_json.h
 * -z latency,json: all there is to know as JSON lines, for other programs and for latency-merge (docs/json.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_EXPORT_JSON_H
#define LATENCY_EXPORT_JSON_H

/* Makes it known to tshark's -z. To be called while protocols are registered. */
void register_export_json(void);

#endif
