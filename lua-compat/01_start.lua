-- SPDX-License-Identifier: GPL-2.0-or-later
-- latency.lua: where each request's time went, as the plugin wireshark-latency says it, where that cannot be built. The
-- files of lua-compat/, one after the other, are one script for Wireshark 4.0 (Lua 5.2), 4.4 and 4.6 (Lua 5.4): see its
-- README.md. The words and the rules are those of docs/measuring.md.
--
-- 1. The start: stepping aside, and words that all files use

-- The tables that -X lua_script1 asks for. They are arguments of a script that -X lua_script loads; one in the plugin
-- folder is asked for none: 4.0 gives it no arguments, and `require`, which loads it since 4.4, its name and its file.
local wanted = { ... }
if wanted[2] and debug.getinfo(1, "S").source == "@" .. wanted[2] then wanted = {} end

-- The compiled plugin has a dissector of this name, and so has this script, where it is loaded a second time: by
-- -X lua_script beside the copy in the plugin folder. The first then prints what the second is asked for.
local known, there = pcall(Dissector.get, "latency")
if known and there then
    if os.getenv("WIRESHARK_LOG_LEVEL") == "debug" then -- which tshark --log-level does not tell Lua
        print("latency.lua: stepping aside, for latency is loaded already")
    end
    if latency_lua then
        for _, names in ipairs(wanted) do
            latency_lua.print_at_the_end(names)
        end
    elseif wanted[1] then
        report_failure("latency.lua prints no tables beside the compiled plugin, which has them: -z latency,servers, "
            .. "-z latency,connects and -z ca,servers.")
    end
    return
end

set_plugin_info({ version = "1.0.0", description = "Latency of TCP requests, connections and EPICS channels" })

-- Filters know all outcomes; a request read by turns has those with a name of their own here.
local OUTCOMES = { [0] = "answered", "reset", "closed", "timed out", "waiting", "lost",
    "truncated", "closed by client", "refused", "cancelled" }
local ANSWERED, RESET, CLOSED, WAITING, CLOSED_BY_CLIENT = 0, 1, 2, 4, 7

local CONNECT_RESULTS = { [0] = "unanswered", "accepted", "refused", "unreachable", "waiting" }
local UNANSWERED, ACCEPTED, REFUSED, UNREACHABLE, CONNECT_WAITING = 0, 1, 2, 3, 4
local CREATE_RESULTS = { [0] = "ok", "failed", "error", "unanswered", "waiting" }
local CREATE_OK, CREATE_FAILED, CREATE_ERROR, CREATE_UNANSWERED, CREATE_WAITING = 0, 1, 2, 3, 4
local CREATE_REASONS, CONNECTION_CLOSED = { [0] = "timed out", "connection closed" }, 1

-- Of each value of the octet with the flags of TCP: RFC 9293, section 3.1.
local FIN, SYN, RST, PSH, ACK = {}, {}, {}, {}, {}
for octet = 0, 255 do
    FIN[octet], SYN[octet], RST[octet] = octet % 2 >= 1, octet % 4 >= 2, octet % 8 >= 4
    PSH[octet], ACK[octet] = octet % 16 >= 8, octet % 32 >= 16
end

-- What a payload frame is in its request or response: bits of one number. Lua 5.2 has no operators for them.
local FIRST, IPID, IPID_GAP, OUT_OF_ORDER = 1, 2, 4, 8
local RETRANSMISSION, SHORT, AFTER_SHORT, CHUNK_BOUNDARY = 16, 32, 64, 128

local function has(flags, bit)
    return flags % (2 * bit) >= bit
end

local floor, max, min, huge = math.floor, math.max, math.min, math.huge
local TWO_31, TWO_32 = 2 ^ 31, 2 ^ 32

-- Returns how far sequence number `a` lies after `b`, modulo 2^32.
local function ahead(a, b)
    return (a - b + TWO_31) % TWO_32 - TWO_31
end

-- One table of functions for each of the files below, or for a noun in it.
local segments, sequence, continuity, runs, items, connections = {}, {}, {}, {}, {}, {}
local requests, turns, circuits, views, tables = {}, {}, {}, {}, {}

-- Calls `action`; an error is said once, and costs what it stood for: never a dissection.
local said = {}

local function guarded(action, ...)
    local ok, problem = pcall(action, ...)
    if not ok and not said[problem] then
        said[problem] = true
        report_failure("latency.lua: " .. tostring(problem))
    end
end
