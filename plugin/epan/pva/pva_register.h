/* pva_register.h
 * A field of the protocol as Wireshark wants it registered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PVA_REGISTER_H
#define LATENCY_PVA_REGISTER_H

#include <epan/packet.h>

#define PVA_FIELD(id, name, abbreviation, type, base, strings, mask, blurb)                                            \
    {                                                                                                                  \
        &id,                                                                                                           \
        {                                                                                                              \
            name, "pva." abbreviation, type, base, strings, mask, blurb, HFILL                                         \
        }                                                                                                              \
    }

#endif
