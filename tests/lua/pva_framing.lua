-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tells where messages of pvAccess begin and end, and nothing else, by Wireshark's own tcp_dissect_pdus():
-- for which frames Wireshark gives a dissector any.
local HEADER, BIG_ENDIAN, CONTROL = 8, 0x80, 0x01
local framing = Proto("pva_framing", "Framing of pvAccess")

local function size(tvb, _, offset)
    local flags, number = tvb(offset + 2, 1):uint(), tvb(offset + 4, 4)
    if flags % 2 == CONTROL then
        return HEADER
    end
    return HEADER + (flags >= BIG_ENDIAN and number:uint() or number:le_uint())
end

function framing.dissector(tvb, _, tree)
    return dissect_tcp_pdus(tvb, tree, HEADER, size, function(message, _, root)
        root:add(framing, message())
        return message:len()
    end)
end

DissectorTable.get("tcp.port"):add(5075, framing)
