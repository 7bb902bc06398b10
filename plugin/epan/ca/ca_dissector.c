/* ca_dissector.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_dissector.h"

#include <epan/prefs.h>
#include <wsutil/report_message.h>

#include "ca_frame.h"
#include "ca_latency.h"
#include "../intake/intake.h"

enum { VALUES_LIMIT = 10000 };

static struct ca_dissector *dissectors[3]; /* of both protocols, and NULL */
static unsigned n_dissectors;

static dissector_table_t tcp_ports;

struct ca_dissector *const *
ca_dissectors(void)
{
    return dissectors;
}

unsigned
ca_dissector_values(const struct ca_dissector *dissector)
{
    const range_t *range = dissector->values;
    return range->nranges ? range->ranges[range->nranges - 1].high : 0;
}

/* Registered after all protocols. */
static void
check_values(void)
{
    for (unsigned i = 0; i < n_dissectors; i++) {
        const range_t *range = dissectors[i]->values;
        if (range && (range->nranges != 1 || range->ranges[0].low != range->ranges[0].high))
            report_failure("The preference %s.values must be one number, at most %d; the first %u values of an array "
                           "are shown now.",
                           dissectors[i]->protocol->prefix, VALUES_LIMIT, ca_dissector_values(dissectors[i]));
    }
}

static void
register_values(struct ca_dissector *dissector)
{
    /* A range, for Wireshark refuses one that goes too far, and knows no limit of a number. */
    range_convert_str(wmem_epan_scope(), &dissector->values, "100", VALUES_LIMIT);
    prefs_register_range_preference(prefs_register_protocol(dissector->proto, check_values), "values",
                                    "Values shown of an array",
                                    "How many values of an array are shown and can be filtered for; at most 10000.",
                                    &dissector->values, VALUES_LIMIT);
}

/* A text with the protocol's, kept as long as Wireshark keeps what is registered. */
static const char *
name_of(const char *protocol, const char *rest)
{
    return wmem_strdup_printf(wmem_epan_scope(), "%s%s", protocol, rest);
}

static void
register_experts(struct ca_dissector *dissector)
{
    const char *prefix = dissector->protocol->prefix;
    const ei_register_info experts[] = {
        { &dissector->is_skipped,
          { name_of(prefix, ".misaligned"), PI_MALFORMED, PI_WARN,
            "No message begins here; resuming at the next segment that begins with one", EXPFILL } },
        { &dissector->is_repeated,
          { name_of(prefix, ".repeated"), PI_SEQUENCE, PI_CHAT, "This message is a repetition", EXPFILL } },
    };
    expert_register_field_array(expert_register_protocol(dissector->proto),
                                wmem_memdup(wmem_epan_scope(), experts, sizeof experts), G_N_ELEMENTS(experts));
}

void
ca_dissector_register(struct ca_dissector *dissector, dissector_t tcp, dissector_t udp)
{
    const struct circuit_protocol *protocol = dissector->protocol;
    int *trees[] = { &dissector->tree_type };
    dissector->proto = proto_register_protocol(dissector->title, dissector->column, protocol->prefix);
    dissectors[n_dissectors++] = dissector;
    dissector->tree_type = -1;
    proto_register_subtree_array(trees, G_N_ELEMENTS(trees));
    register_experts(dissector);
    register_values(dissector);
    ca_latency_register(dissector->proto, protocol);
    intake_want(dissector->proto, ca_frame_tap());
    dissector->tcp_handle = register_dissector(protocol->prefix, tcp, dissector->proto);
    dissector->udp_handle = register_dissector(name_of(protocol->prefix, ".udp"), udp, dissector->proto);
}

void
ca_dissector_handoff(const struct ca_dissector *dissector, heur_dissector_t tcp, heur_dissector_t udp)
{
    const char *prefix = dissector->protocol->prefix;
    tcp_ports = find_dissector_table("tcp.port");
    dissector_add_uint_range_with_preference("tcp.port", dissector->tcp_ports, dissector->tcp_handle);
    dissector_add_uint_range_with_preference("udp.port", dissector->udp_ports, dissector->udp_handle);
    heur_dissector_add("tcp", tcp, name_of(dissector->title, " over TCP"), name_of(prefix, "_tcp"), dissector->proto,
                       HEURISTIC_ENABLE);
    heur_dissector_add("udp", udp, name_of(dissector->title, " over UDP"), name_of(prefix, "_udp"), dissector->proto,
                       HEURISTIC_ENABLE);
}

bool
ca_dissector_has_port(const struct ca_dissector *dissector, uint16_t port)
{
    dissector_handle_t handle = dissector_get_uint_handle(tcp_ports, port);
    return handle && dissector_handle_get_protocol_index(handle) == dissector->proto &&
           proto_is_protocol_enabled(find_protocol_by_id(dissector->proto));
}
