-- latency.lua
-- Where each request's time went: the fields of the plugin wireshark-latency, where it cannot be built.
--
-- One file to copy: Wireshark 4.0 (Lua 5.2), 4.4 and 4.6 (Lua 5.4). lua-compat/README.md says how, and what it
-- cannot do. The words and the rules are those of docs/measuring.md; the sections follow plugin/core/, from which they
-- were taken.
--
-- SPDX-License-Identifier: GPL-2.0-or-later

-- ---------------------------------------------------------------------------------------------------------------------
-- Stepping aside
-- ---------------------------------------------------------------------------------------------------------------------

-- Heard at log level debug: tshark --log-level debug does not reach Lua, WIRESHARK_LOG_LEVEL does.
local function say_debug(text)
    local level = os.getenv("WIRESHARK_LOG_LEVEL")
    if level == "debug" or level == "noisy" then
        print("latency.lua: " .. text)
    end
end

-- The tables that -X lua_script1 asks for. They are arguments of a script that -X lua_script loads; one in the plugin
-- folder is asked for none: 4.0 gives it no arguments, and `require`, which loads it since 4.4, its name and its file.
local wanted = { ... }
if wanted[2] and debug.getinfo(1, "S").source == "@" .. wanted[2] then
    wanted = {}
end

-- The compiled plugin has a dissector of this name, and so has this file, where it is loaded a second time: by
-- -X lua_script beside the copy in the plugin folder. The first then prints what the second is asked for.
local known, there = pcall(Dissector.get, "latency")
if known and there then
    say_debug("stepping aside, for latency is loaded already")
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Words
-- ---------------------------------------------------------------------------------------------------------------------

set_plugin_info({
    version = "1.0.0",
    description = "Latency of TCP requests, connections and EPICS channels",
})

-- The others are known to filters, and never there.
local OUTCOMES = { [0] = "answered", "reset", "closed", "timed out", "waiting", "lost",
    "truncated", "closed by client", "refused", "cancelled" }
local ANSWERED, RESET, CLOSED, TIMED_OUT, WAITING = 0, 1, 2, 3, 4

local CREATE_RESULTS = { [0] = "ok", "failed", "error", "unanswered", "waiting" }
local CREATE_OK, CREATE_FAILED, CREATE_ERROR, CREATE_UNANSWERED, CREATE_WAITING = 0, 1, 2, 3, 4
local CREATE_REASONS = { [0] = "timed out", "connection closed" }

local CONNECT_RESULTS = { [0] = "unanswered", "accepted", "refused", "unreachable", "waiting" }
local UNANSWERED, ACCEPTED, REFUSED, UNREACHABLE, CONNECT_WAITING = 0, 1, 2, 3, 4

-- RFC 9293, section 3.1, of each value of the octet.
local FIN, SYN, RST, PSH, ACK = {}, {}, {}, {}, {}
for octet = 0, 255 do
    FIN[octet] = octet % 2 >= 1
    SYN[octet] = octet % 4 >= 2
    RST[octet] = octet % 8 >= 4
    PSH[octet] = octet % 16 >= 8
    ACK[octet] = octet % 32 >= 16
end

-- What a payload frame is in its request or response: bits of one number. Lua 5.2 has no operators for them.
local FIRST, IPID, IPID_GAP, OUT_OF_ORDER = 1, 2, 4, 8
local RETRANSMISSION, SHORT, AFTER_SHORT, CHUNK_BOUNDARY = 16, 32, 64, 128

local function has(flags, bit)
    return flags % (2 * bit) >= bit
end

local function without(flags, bit)
    return has(flags, bit) and flags - bit or flags
end

local floor, max, min, huge = math.floor, math.max, math.min, math.huge

local TWO_31, TWO_32 = 2 ^ 31, 2 ^ 32

-- How far sequence number `a` lies after `b`, modulo 2^32.
local function ahead(a, b)
    local difference = (a - b) % TWO_32
    return difference >= TWO_31 and difference - TWO_32 or difference
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Protocols, fields and preferences
-- ---------------------------------------------------------------------------------------------------------------------

local latency = Proto("latency", "Latency (Lua)")

-- Where in a frame its headers are. Of them only places are taken: what they say is read from the bytes.
local find_frame_time = Field.new("frame.time_epoch")
local find_tcp = Field.new("tcp")
local find_icmp, find_icmpv6 = Field.new("icmp"), Field.new("icmpv6")

local fields = {}

local function add_number(kind, name, label, blurb, values)
    fields[name] = ProtoField[kind]("latency." .. name, label, base.DEC, values, nil, blurb)
end

local function add_frame(name, label, blurb, type)
    fields[name] = ProtoField.framenum("latency." .. name, label, base.NONE, type, 0, blurb)
end

local function add_text(name, label, blurb)
    fields[name] = ProtoField.string("latency." .. name, label, base.NONE, blurb)
end

local function add_time(name, label, blurb)
    fields[name] = ProtoField.relative_time("latency." .. name, label, blurb)
end

local function add_flag(name, label, blurb)
    fields[name] = ProtoField.bool("latency." .. name, label, base.NONE, nil, nil, blurb)
end

local function register_fields()
    add_number("uint32", "request", "Request", "Number of the request in the capture, from 1")
    add_text("operation", "Operation", "What the request asks for")
    add_frame("response_in", "Response in", "First frame of the response", frametype.RESPONSE)
    add_frame("request_in", "Request in", "First frame of the request", frametype.REQUEST)
    add_time("first_byte", "Time to first byte", "From the request's first frame to the response's first")
    add_time("service", "Service", "From the request's last frame to the response's first")
    add_time("request_spread", "Request spread", "From the request's first frame to its last")
    add_time("server_time", "Server time", "Service less the RTT to the server, as the handshake had it")
    add_time("elapsed", "Elapsed", "From the request's first frame to this one")
    add_time("last_byte", "Last byte", "From the request's first frame to the response's last")
    add_time("response_spread", "Response spread", "From the response's first frame to its last")
    add_number("uint64", "request_bytes", "Request bytes", "New payload of the request")
    add_number("uint64", "response_bytes", "Response bytes", "New payload of the response")
    add_number("uint32", "frame.request", "Request",
        "Of the frame's requests the one that went wrong, else the slowest")
    add_text("frame.operation", "Operation", "What that request asks for")
    add_text("frame.status", "Status", "Why there is no response")
    add_time("frame.first_byte", "Time to first byte", "Of that response")
    add_time("frame.server_time", "Server time", "Of that response")
    add_time("frame.elapsed", "Elapsed", "From that request's first frame to this one")
    add_number("uint32", "frame.requests", "Requests", "How many requests and responses the frame has, if several")
    add_time("frame.longest", "Longest time to first byte", "Of all responses that begin in the frame")
    -- By turns nobody knows of these two, nor of "latency.truncated": they are there for filters that name them.
    add_text("status", "Status", "What the response says of its success: an HTTP status, an error, a miss")
    add_flag("error", "Error", "The response is an error, as its status says")
    add_number("uint8", "outcome", "Outcome", "Whether the request was answered, or why not", OUTCOMES)
    add_time("waited", "Waited",
        "From the request's first frame, or the first SYN, to the capture's latest, where neither was answered")
    add_flag("reordered", "Reordered",
        "The capture has the response before its request: a time that would be negative is 0")
    add_time("spacing", "Spacing", "Since the payload frame before in the same request or response")
    add_number("uint64", "byte_offset", "Byte offset",
        "Bytes from the first of the request or response to the end of this frame")
    add_number("int16", "ipid.delta", "IP ID delta", "IP ID less the expected one")
    add_text("flags", "Flags", "The flags that are set, in words")
    add_flag("flags.ipid_gap", "IP ID gap", "IP IDs of this sender are missing before this frame")
    add_flag("flags.out_of_order", "Out of order", "Does not begin at the next expected sequence number")
    add_flag("flags.retransmission", "Retransmission", "Carries only bytes seen before")
    add_flag("flags.short", "Short", "Not filled up to the full segment size")
    add_flag("flags.after_short", "After short", "The payload frame before was short: the sender had run dry")
    add_flag("flags.chunk_boundary", "Chunk boundary", "Begins at a multiple of the chunk size")
    add_time("connect.time", "Connect time", "From the first SYN to its first answer")
    add_number("uint8", "connect.result", "Connect result", "What the attempt to connect came to", CONNECT_RESULTS)
    add_number("uint32", "connect.syn_retries", "SYN retries", "SYNs sent again before the answer")
    add_frame("connect.syn_in", "SYN in", "The first SYN", frametype.REQUEST)
    add_time("network.server", "RTT to server",
        "From the last SYN to the SYN-ACK: capture point to server and back")
    add_time("network.client", "RTT to client",
        "From the SYN-ACK to its ACK: capture point to client and back")
end

-- Beside those of cashark's ca.lua, of which one has the same name.
local function register_channel_access()
    -- Known to filters, and never there: the profile colours searches.
    fields["ca.command"] = ProtoField.uint16("ca.command", "Command", base.DEC)
    fields["ca.pv"] = ProtoField.string("ca.pv", "Channel", base.NONE, "Name of the channel that the message is about")
    fields["ca.time"] = ProtoField.relative_time("ca.create.time", "Create time", "From CREATE_CHAN to its answer")
    fields["ca.result"] = ProtoField.uint8("ca.create.result", "Create result", base.DEC, CREATE_RESULTS, nil,
        "What the request to create the channel came to")
    fields["ca.reason"] = ProtoField.uint8("ca.create.reason", "Reason", base.DEC, CREATE_REASONS, nil,
        "What kept the request to create the channel from being answered")
    fields["ca.request_in"] = ProtoField.framenum("ca.create.request_in", "Create request in", base.NONE,
        frametype.REQUEST, 0, "The CREATE_CHAN that this message answers")
    fields["ca.response_in"] = ProtoField.framenum("ca.create.response_in", "Create response in", base.NONE,
        frametype.RESPONSE, 0, "The answer to this CREATE_CHAN")
end

register_fields()
register_channel_access()
latency.fields = fields

local unanswered_expert = ProtoExpert.new("latency.unanswered", "Request without response", expert.group.SEQUENCE,
    expert.severity.NOTE)
local truncated_expert = ProtoExpert.new("latency.truncated", "The response ends before its length",
    expert.group.SEQUENCE, expert.severity.WARN)
local slow_expert = ProtoExpert.new("latency.slow", "Slow", expert.group.SEQUENCE, expert.severity.NOTE)
latency.experts = { unanswered_expert, truncated_expert, slow_expert }

latency.prefs.server_ports = Pref.range("Server ports", "", "TCP ports of servers, e.g. 80,8000-8999. They tell who is "
    .. "the client where a capture does not have the start of a connection; otherwise a port that Wireshark knows, "
    .. "then the lower one, is taken for the server's.", 65535)
latency.prefs.full_sizes = Pref.range("Full segment sizes", "", "TCP payload sizes in bytes that count as a filled "
    .. "segment, e.g. 1448,1460, and an IP ID of one more than the packet's before as the only one without a gap. "
    .. "Empty: sizes follow from the negotiated MSS, and segmentation offload is allowed for.", 1048576)
latency.prefs.chunk_size = Pref.uint("Chunk size (bytes)", 9000, "Packets that begin at a multiple of this many bytes "
    .. "of their response are flagged latency.flags.chunk_boundary. 0: none.")
latency.prefs.timeout = Pref.uint("Timeout (seconds)", 0, "A request without response for this many seconds after its "
    .. "last packet counts as unanswered (timed out). 0: never.")
latency.prefs.slow = Pref.uint("Slow from (milliseconds)", 100, "What takes at least this long is slow: a response by "
    .. "its time to first byte, and an answer to a SYN, have the expert item latency.slow. Colours and buttons of the "
    .. "profiles go by it. 0: nothing is.")
latency.prefs.ca_ports = Pref.range("Channel Access ports", "5064", "TCP ports of servers of EPICS Channel Access. On "
    .. "other ports a connection is recognised by how it begins.", 65535)

-- A range as Wireshark writes it; nil if it is empty.
local function read_range(text)
    local range
    for from, to in text:gmatch("(%d+)%-?(%d*)") do
        range = range or {}
        range[#range + 1] = { tonumber(from), tonumber(to) or tonumber(from) }
    end
    return range
end

local function is_in(range, value)
    for i = 1, #range do
        if range[i][1] <= value and value <= range[i][2] then
            return true
        end
    end
    return false
end

local settings

local function read_settings()
    settings = {
        server_ports = read_range(latency.prefs.server_ports) or {},
        full_sizes = read_range(latency.prefs.full_sizes),
        chunk_bytes = latency.prefs.chunk_size,
        timeout_ns = latency.prefs.timeout * 1e9,
        slow_ns = latency.prefs.slow * 1e6,
        ca_ports = read_range(latency.prefs.ca_ports) or {},
    }
end

latency.prefs_changed = read_settings

-- One table of functions for each section below; their names are said where they are first needed.
local segments, sequence, continuity, runs, items, connections = {}, {}, {}, {}, {}, {}
local requests, overtakings, turns, operations, views = {}, {}, {}, {}, {}
local messages, lanes, circuits, tables = {}, {}, {}, {}

-- An error in this file is said once, and costs what it stood for: never a dissection.
local said = {}

local function guarded(action, ...)
    local ok, problem = pcall(action, ...)
    if not ok and not said[problem] then
        said[problem] = true
        report_failure("latency.lua: " .. tostring(problem))
    end
end

-- ---------------------------------------------------------------------------------------------------------------------
-- What is known of a capture
-- ---------------------------------------------------------------------------------------------------------------------

-- Whatever a later visit of a frame needs. Records that nothing can change any more are kept as strings, a fifth as
-- large.
local state

local function new_state()
    return {
        by_key = {},      -- connections that have not been replaced, by their endpoints
        connections = {}, -- by number: a table, or a string (see freeze_connection)
        requests = {},    -- by number: a table, or a string (see freeze_request)
        attempts = {},    -- number of its connection, by the number of the attempt to connect
        frames = {},      -- by frame number: what it shows (see note_item)
        ended = { first = 1, last = 0 }, -- connections in the order of their end
        last_ns = -huge,  -- the latest time of any segment
        end_ns = -huge,   -- of any frame
        last_number = 0,  -- of the frames taken
        unsolicited = 0,  -- what tables leave out
        duplicates = 0,
        unread = 0,
        has_tcp = false,
        has_payload = false,
        circuits = {},       -- of Channel Access, by number
        channels = {},       -- by number: a table, or a string (see circuits.freeze)
        channel_frames = {}, -- by frame number: numbers of channels asked for (times 2), or answered (and 1)
        orphans = 0,         -- answers whose request is not in the capture
    }
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Segments: what the IP and TCP headers of a frame say
-- ---------------------------------------------------------------------------------------------------------------------

local HEADER_BYTES, HEADER_BYTES_NEEDED, OPERATION_BYTES = 20, 14, 512
local TCP, AUTHENTICATION, FRAGMENT = 6, 51, 44
-- Extension headers of IPv6 whose second octet is a length in 8 bytes: RFC 8200.
local EXTENSIONS = { [0] = true, [43] = true, [60] = true, [135] = true, [139] = true, [140] = true }

-- Where the payload of the IP packet at `at` begins (from 0), past what stands between IP and TCP; nil if that is not
-- TCP. `bytes` reach to `limit`.
function segments.find_tcp(bytes, at, protocol, limit)
    local fragment = false
    while protocol ~= TCP do
        if at + 8 > limit then
            return nil
        end
        local next_header, length = bytes:byte(at + 1, at + 2)
        if protocol == AUTHENTICATION then
            at = at + (length + 2) * 4
        elseif protocol == FRAGMENT then
            at, fragment = at + 8, true
        elseif EXTENSIONS[protocol] then
            at = at + (length + 1) * 8
        else
            return nil
        end
        protocol = next_header
    end
    return at, fragment
end

-- The IP header at `at` of `bytes`: its addresses, its ID (IPv4), where TCP begins, and whether it is a fragment's.
-- nil if there is none.
function segments.read_ip(bytes, at)
    local first = bytes:byte(at + 1)
    if not first then
        return nil
    elseif floor(first / 16) == 4 and at + 20 <= #bytes then
        local id, fragment, _, protocol = Struct.unpack(">I2I2BB", bytes, at + 5)
        local tcp_at = segments.find_tcp(bytes, at + first % 16 * 4, protocol, #bytes)
        if tcp_at and first % 16 >= 5 then
            local length = bytes:byte(at + 3) * 256 + bytes:byte(at + 4)
            return bytes:sub(at + 13, at + 16), bytes:sub(at + 17, at + 20), id, tcp_at, fragment % 0x4000 > 0, length
        end
    elseif floor(first / 16) == 6 and at + 40 <= #bytes then
        local tcp_at, fragment = segments.find_tcp(bytes, at + 40, bytes:byte(at + 7), #bytes)
        if tcp_at then
            local length = bytes:byte(at + 5) * 256 + bytes:byte(at + 6)
            return bytes:sub(at + 9, at + 24), bytes:sub(at + 25, at + 40), nil, tcp_at, fragment,
                length > 0 and length + 40 or 0
        end
    end
    return nil
end

-- The IP header before the TCP header at `offset`: the nearest from which one comes out there. Addresses, ID, place,
-- whether it is a fragment's, and the packet's length (0 if it does not say).
function segments.ip_before(buffer, offset)
    local bytes = buffer:raw(offset - 20, 20)
    local first, _, high, low, id_high, id_low, fragment, rest, _, protocol = bytes:byte(1, 10)
    if first == 0x45 and protocol == TCP then -- nearly always
        return bytes:sub(13, 16), bytes:sub(17, 20), id_high * 256 + id_low, offset - 20,
            (fragment * 256 + rest) % 0x4000 > 0, high * 256 + low
    end
    bytes = buffer:raw(0, offset)
    for at = offset - 24, 0, -4 do
        local source, destination, id, tcp_at, is_fragment, length = segments.read_ip(bytes, at)
        if source and tcp_at == offset then
            return source, destination, id, at, is_fragment, length
        end
    end
    return nil
end

-- The last fragment's IP header, where TCP lies in what Wireshark put together.
function segments.ip_of_fragment(frame)
    local bytes = frame:raw(0, min(frame:captured_len(), 256))
    for at = #bytes - 20, 0, -1 do
        local source, destination, id, _, fragment = segments.read_ip(bytes, at)
        if source and fragment then
            return source, destination, id
        end
    end
    return nil
end

-- Fills in the addresses, the IP ID, and the length on the wire. Addresses are bytes; or texts, where no IP header can
-- be found, as in what has been decrypted.
function segments.find_addresses(segment, frame, pinfo)
    local buffer, offset = segment.buffer, segment.offset
    local reported = buffer:reported_len()
    local source, destination, id, at, fragment, length
    if offset >= HEADER_BYTES then
        source, destination, id, at, fragment, length = segments.ip_before(buffer, offset)
    end
    if source then
        segment.ip_at, segment.fragmented = at, fragment
        reported = length > 0 and min(at + length, reported) or reported
    else
        source, destination, id = segments.ip_of_fragment(frame)
    end
    segment.source = source or tostring(pinfo.src)
    segment.destination = destination or tostring(pinfo.dst)
    segment.ip_id = id
    segment.reported = max(reported - offset, 0)
    segment.captured = min(buffer:captured_len() - offset, segment.reported)
end

-- Whether an ICMP message quotes the TCP header at `offset`.
function segments.is_quoted(offset, ...)
    for i = 1, select("#", ...) do
        if select(i, ...).offset < offset then
            return true
        end
    end
    return false
end

-- One table for all segments: none is remembered, and making one for each costs more than all else.
local one_segment = {}

-- What is at the place of a TCP header; the rest is read from it.
function segments.at(place, frame, pinfo)
    local buffer, offset = place.source, place.offset
    local segment = one_segment
    segment.buffer, segment.offset, segment.ip_at, segment.fragmented, segment.mss = buffer, offset, nil, false, nil
    segments.find_addresses(segment, frame, pinfo)
    segment.header = buffer:raw(offset, max(min(segment.captured, HEADER_BYTES), 0))
    segment.quoted = segments.is_quoted(offset, find_icmp()) or segments.is_quoted(offset, find_icmpv6())
    return segment
end

-- RFC 9293, section 3.2: kind 2 is the MSS. nil without one.
function segments.read_mss(options)
    local i = 1
    while i <= #options and options:byte(i) ~= 0 do
        local kind, length = options:byte(i, i + 1)
        if kind == 1 then
            i = i + 1
        elseif not length or length < 2 or i + length - 1 > #options then
            return nil
        elseif kind == 2 and length == 4 then
            return options:byte(i + 2) * 256 + options:byte(i + 3)
        else
            i = i + length
        end
    end
    return nil
end

-- Fills in the rest; false for what is too short or too odd to be a segment.
function segments.read(segment)
    local header = segment.header
    if #header < HEADER_BYTES_NEEDED then
        return false
    elseif #header < HEADER_BYTES then
        header = header .. ("\0"):rep(HEADER_BYTES - #header)
    end
    local sport, dport, seq, ack, offset, flags, window, checksum = Struct.unpack(">I2I2I4I4BBI2I2", header)
    local header_bytes = floor(offset / 16) * 4
    if header_bytes < HEADER_BYTES or header_bytes > segment.reported then
        return false
    end
    segment.sport, segment.dport, segment.seq, segment.ack = sport, dport, seq, ack
    segment.flags, segment.window, segment.checksum = flags, window, checksum
    segment.header_bytes = header_bytes
    segment.options_bytes = header_bytes - HEADER_BYTES
    segment.payload_bytes = segment.reported - header_bytes
    segment.options_captured = segment.captured >= header_bytes
    if SYN[flags] and segment.options_captured then
        segment.mss = segments.read_mss(segment.buffer:raw(segment.offset + HEADER_BYTES, segment.options_bytes))
    end
    return true
end

-- The first bytes of the payload that the capture has.
function segments.payload(segment, most)
    local bytes = min(segment.captured - segment.header_bytes, most)
    return bytes > 0 and segment.buffer:raw(segment.offset + segment.header_bytes, bytes) or ""
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Sequences: the bytes one sender has sent so far, and which of a segment's are new
-- ---------------------------------------------------------------------------------------------------------------------

local MOST_HOLES = 32

-- The next byte is `seq`. With `history`, bytes before it may still turn up as new ones (no handshake was seen).
function sequence.start(sender, seq, history)
    sender.seq_end = TWO_32
    sender.seq_next = seq
    sender.holes = history and { { 0, TWO_32 } } or nil
end

-- The offset of `seq`, taken within 2^31 of the highest byte seen.
function sequence.offset(sender, seq)
    return sender.seq_end + ahead(seq, sender.seq_next)
end

function sequence.insert_hole(holes, at, first, last)
    if #holes == MOST_HOLES then
        if at == 1 then
            return
        end
        table.remove(holes, 1)
        at = at - 1
    end
    table.insert(holes, at, { first, last })
end

-- The part of [first, last) that fills holes; they shrink, split or vanish.
function sequence.fill_holes(holes, first, last)
    local filled = 0
    for i = #holes, 1, -1 do
        local hole = holes[i]
        if hole[2] <= first then
            break
        end
        local from, to, after = max(first, hole[1]), min(last, hole[2]), hole[2]
        if from < to then
            filled = filled + to - from
            hole[2] = from
            if hole[1] == from and to < after then
                hole[1], hole[2] = to, after
            elseif hole[1] == from then
                table.remove(holes, i)
            elseif to < after then
                sequence.insert_hole(holes, i + 1, to, after)
            end
        end
    end
    return filled
end

-- Notes `bytes` bytes sent from offset `first` and returns how many of them are new.
function sequence.add(sender, first, bytes)
    local last, fresh = first + bytes, 0
    if first < sender.seq_end and sender.holes then
        fresh = sequence.fill_holes(sender.holes, first, min(last, sender.seq_end))
    end
    if last > sender.seq_end then
        if first > sender.seq_end then
            sender.holes = sender.holes or {}
            sequence.insert_hole(sender.holes, #sender.holes + 1, sender.seq_end, first)
        end
        fresh = fresh + last - max(first, sender.seq_end)
        sender.seq_next = (sender.seq_next + last - sender.seq_end) % TWO_32
        sender.seq_end = last
    end
    return fresh
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Continuity: whether one sender's packets follow each other
-- ---------------------------------------------------------------------------------------------------------------------

-- A counter shared by a whole host skips what it sends elsewhere; a jump further than this is no counter's.
local FURTHEST_STEP = 1000

-- The payload of a filled segment, given this one's TCP options; 0 if nothing tells.
function continuity.full_size(sender, segment)
    if sender.negotiated_mss and sender.negotiated_mss > segment.options_bytes then
        return sender.negotiated_mss - segment.options_bytes
    end
    return sender.largest
end

function continuity.is_full(sender, segment)
    if settings.full_sizes then
        return is_in(settings.full_sizes, segment.payload_bytes)
    end
    local full = continuity.full_size(sender, segment)
    return full > 0 and segment.payload_bytes > 0 and segment.payload_bytes % full == 0
end

-- Segmentation offload hands one frame to the capture and several packets, each with an ID, to the wire.
function continuity.packets_on_the_wire(sender, segment)
    local full = continuity.full_size(sender, segment)
    if settings.full_sizes or full == 0 or segment.payload_bytes <= full then
        return 1
    end
    return floor((segment.payload_bytes + full - 1) / full)
end

function continuity.swap(id)
    return id % 256 * 256 + floor(id / 256)
end

-- By majority of the steps from one packet's IP ID to the next's.
function continuity.counts_up(sender)
    local half = floor(sender.steps / 2)
    return sender.steps > 0 and sender.constant <= half and sender.swapped <= half and sender.random <= half
end

-- The step to `id`: how far it lies after the expected one.
function continuity.take_step(sender, id)
    local packets = sender.last_packets
    local delta = (id - sender.last_id - packets) % 65536
    sender.steps = sender.steps + 1
    if id == sender.last_id then
        sender.constant = sender.constant + 1
    elseif delta ~= 0 and continuity.swap(id) == (continuity.swap(sender.last_id) + packets) % 65536 then
        sender.swapped = sender.swapped + 1
    elseif delta > FURTHEST_STEP then
        sender.random = sender.random + 1
    end
    return delta >= 32768 and delta - 65536 or delta
end

-- Takes the sender's next segment but SYN and RST. The IP ID less the expected one; nil if nothing was expected.
function continuity.take(sender, segment)
    sender.largest = max(sender.largest, segment.payload_bytes)
    if not segment.ip_id then
        return nil
    end
    local delta = sender.last_id and continuity.take_step(sender, segment.ip_id)
    sender.last_id = segment.ip_id
    sender.last_packets = continuity.packets_on_the_wire(sender, segment)
    return delta or nil
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Runs: the payload frames of a request, or of a response, as one row of packets
-- ---------------------------------------------------------------------------------------------------------------------

function runs.begin(start)
    return { start = start, low = start, last = 0, last_ns = 0, after_first = false, last_short = false }
end

function runs.is_chunk_boundary(offset)
    return settings.chunk_bytes > 0 and offset > 0 and offset % settings.chunk_bytes == 0
end

local one_item = {}

-- Adds a packet to the row and returns what it is there, until the next is added. `place`: what it is to the sequence
-- of its sender.
function runs.add(run, segment, place, sender)
    local flags = place.delta and IPID or 0
    -- analyze-tcp.py, whose rule the sizes ask for, takes every sender for a counter.
    if place.delta and place.delta ~= 0 and (settings.full_sizes or continuity.counts_up(sender)) then
        flags = flags + IPID_GAP
    end
    flags = flags + (place.in_order and 0 or OUT_OF_ORDER) + (place.fresh == 0 and RETRANSMISSION or 0)
    local short = not continuity.is_full(sender, segment)
    flags = flags + (short and SHORT or 0) + (run.last_short and AFTER_SHORT or 0)
    flags = flags + (runs.is_chunk_boundary(place.first - run.start) and CHUNK_BOUNDARY or 0)
    flags = flags + (run.after_first and 0 or FIRST)
    local item = one_item
    item.spacing_ns = max(segment.time_ns - run.last_ns, 0)
    item.last = place.last
    item.delta = place.delta or 0
    item.flags = flags
    run.last_short = run.after_first and short
    run.after_first = true
    run.last_ns = segment.time_ns
    if place.fresh > 0 then
        run.low = min(run.low, place.first)
        run.last = max(run.last, place.last)
    end
    return item
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Items: what a frame shows when it is visited again
-- ---------------------------------------------------------------------------------------------------------------------

-- Kinds of an item about a connection. One about a request is of a request's frame or of a response's.
local ITEM_SYN, ITEM_ANSWER, ITEM_ACK = 0, 1, 2
local PACKET = "<I4ddi2I2"

-- Few bytes for what there are millions of: a negative number is a connection's, any other number a first frame of a
-- request or a response, of which nothing else is to be said, and a string another one of theirs.
function items.pack(request, of_response, item)
    local number = request.number * 2 + (of_response and 1 or 0)
    if has(item.flags, FIRST) then
        return number
    end
    return Struct.pack(PACKET, number, item.spacing_ns, item.last, item.delta, item.flags)
end

function items.note(frame, item)
    local frames = state.frames
    local before = frames[frame]
    if before == nil then
        frames[frame] = item
    elseif type(before) == "table" then
        before[#before + 1] = item
    else
        frames[frame] = { before, item }
    end
end

function items.note_connection(frame, kind, connection)
    items.note(frame, -(connection.number * 4 + kind))
end

-- Where in its frame the last item stands; for items.replace().
function items.last(frame)
    local shown = state.frames[frame]
    return type(shown) == "table" and #shown or 1
end

function items.replace(frame, position, item)
    local shown = state.frames[frame]
    if type(shown) == "table" then
        shown[position] = item
    else
        state.frames[frame] = item
    end
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Connections: who is the client, and how long the handshake took
-- ---------------------------------------------------------------------------------------------------------------------

local RECENT_FRAMES, DUPLICATE_WITHIN_NS = 8, 10000000
-- How far from the sender's next byte FIN and RST may lie; one of an earlier connection lies anywhere.
local END_WINDOW = 2 ^ 24
-- MSS of a host that announces none: RFC 9293, section 3.7.1.
local DEFAULT_MSS_IPV4, DEFAULT_MSS_IPV6 = 536, 1220
-- After its end a connection is remembered so long for stray segments.
local FIRST_RETRY_NS = 1e9
local LINGERS_NS = 120e9

function connections.new_sender(address, port)
    return {
        address = address,
        port = port,
        largest = 0, -- payload
        steps = 0,   -- of IP IDs, and what they look like
        constant = 0,
        swapped = 0,
        random = 0,
        recent = {}, -- the last frames by sequence number, to know one when the capture has it twice
        next_recent = 1,
    }
end

local registered_ports = DissectorTable.get("tcp.port")

-- How likely a port is the server's; the higher wins.
function connections.port_kind(port)
    if is_in(settings.server_ports, port) then
        return 2
    end
    return (registered_ports:get_dissector(port) or is_in(settings.ca_ports, port)) and 1 or 0
end

-- The index of the client, 1 or 2; the segment was sent by the first.
function connections.guess_client(segment)
    local source, destination = connections.port_kind(segment.sport), connections.port_kind(segment.dport)
    if source ~= destination then
        return source > destination and 2 or 1
    end
    return segment.sport < segment.dport and 2 or 1
end

function connections.begin(segment, key)
    local number = #state.connections + 1
    local connection = {
        number = number,
        key = key, -- of what the first endpoint sends
        key_back = connections.key_back(segment),
        ipv6 = #segment.source ~= 4,
        client = connections.guess_client(segment),
        ended_ns = huge,
        last_ns = segment.time_ns,
        syn_retries = 0, syns_refused = 0,
        result = UNANSWERED,
        connections.new_sender(segment.source, segment.sport),
        connections.new_sender(segment.destination, segment.dport),
    }
    state.connections[number] = connection
    state.by_key[key] = connection
    state.by_key[connection.key_back] = connection
    return connection
end

-- What tells one direction of a connection from all others; and the other direction's.
function connections.key(segment)
    return segment.source .. segment.destination .. segment.header:sub(1, 4)
end

function connections.key_back(segment)
    local header = segment.header
    return segment.destination .. segment.source .. header:sub(3, 4) .. header:sub(1, 2)
end

-- The connection that has this key, and the index of the segment's sender; nil if there is none.
function connections.find(key)
    local connection = state.by_key[key]
    if connection then
        return connection, connection.key == key and 1 or 2
    end
    return nil
end

function connections.starts_another(connection, from, segment)
    local isn = connection[from].isn
    return SYN[segment.flags] and not ACK[segment.flags] and isn and isn ~= segment.seq
end

-- Whether it has ended, and nothing has come of it for so long that what comes now is another one's.
function connections.is_over(connection, now_ns)
    return connection.over and now_ns - connection.last_ns >= LINGERS_NS
end

-- The connection a segment belongs to, and the index of its sender; a new one if there is none, it is over, or the
-- segment's SYN starts another.
function connections.of(segment)
    local key = connections.key(segment)
    local connection, from = connections.find(key)
    if connection and not connections.starts_another(connection, from, segment)
        and not connections.is_over(connection, segment.time_ns) then
        connection.last_ns = max(connection.last_ns, segment.time_ns)
        return connection, from
    elseif connection then
        connection.replaced = true
        connection.ended_ns = min(connection.ended_ns, segment.time_ns)
        connections.retire(connection)
    end
    return connections.begin(segment, key), 1
end

-- The record of a frame of which the capture has the segment twice; nil if it has not.
function connections.find_recent(sender, segment)
    local record = sender.recent[segment.seq]
    while record do
        if record.ack == segment.ack and record.payload_bytes == segment.payload_bytes and record.ip_id == segment.ip_id
            and record.checksum == segment.checksum and record.flags == segment.flags
            and record.window == segment.window
            and math.abs(segment.time_ns - record.time_ns) <= DUPLICATE_WITHIN_NS then
            return record
        end
        record = record.before
    end
    return nil
end

-- Those of one sequence number are a list, the newest first; the oldest of all makes room.
function connections.forget_recent(sender, oldest)
    local record = sender.recent[oldest.seq]
    if record == oldest then
        sender.recent[oldest.seq] = nil
        return
    end
    while record.before ~= oldest do
        record = record.before
    end
    record.before = nil
end

-- Whether the sender's frame has been captured just before; else remembers it.
function connections.is_duplicate(sender, segment)
    if connections.find_recent(sender, segment) then
        return true
    end
    local at, seq = sender.next_recent, segment.seq
    local record = sender[at] or {}
    if sender[at] then
        connections.forget_recent(sender, record)
    end
    record.seq, record.ack, record.payload_bytes = seq, segment.ack, segment.payload_bytes
    record.ip_id, record.checksum, record.flags = segment.ip_id, segment.checksum, segment.flags
    record.window, record.time_ns, record.before = segment.window, segment.time_ns, sender.recent[seq]
    sender[at], sender.recent[seq] = record, record
    sender.next_recent = at % RECENT_FRAMES + 1
    return false
end

function connections.note_isn(sender, receiver, segment)
    if SYN[segment.flags] and sender.isn and sender.isn ~= segment.seq then
        receiver.acknowledged = nil -- another connection's, whose SYN is missing
    end
    if SYN[segment.flags] then
        sender.isn = segment.seq
    elseif not sender.isn then
        sender.isn = (segment.seq - 1) % TWO_32
    end
    if not receiver.isn and ACK[segment.flags] then
        receiver.isn = (segment.ack - 1) % TWO_32
    end
end

function connections.take_syn_options(connection, sender, receiver, segment)
    -- A SYN sent again, or one that the capture has after the data, changes nothing.
    if not sender.seq_end then
        sequence.start(sender, (segment.seq + 1) % TWO_32, false)
        sender.started = true
    end
    if not segment.options_captured then
        return
    end
    local mss = segment.mss ~= 0 and segment.mss
    sender.mss = mss or (connection.ipv6 and DEFAULT_MSS_IPV6 or DEFAULT_MSS_IPV4)
    if receiver.mss then
        sender.negotiated_mss = min(sender.mss, receiver.mss)
        receiver.negotiated_mss = sender.negotiated_mss
    end
end

function connections.set_client(connection, client)
    if connection.role_certain or connection.request then
        return
    end
    connection.client = client
    connection.role_certain = true
end

function connections.begin_attempt(connection, segment)
    state.attempts[#state.attempts + 1] = connection.number
    connection.attempt = #state.attempts
    connection.syn_frame = segment.frame
    connection.syn_ns, connection.last_syn_ns = segment.time_ns, segment.time_ns
    connection.syn_next = (segment.seq + 1 + segment.payload_bytes) % TWO_32
    if connection.syn_ack_seen then -- the capture has the answer before the SYN
        connection.result = ACCEPTED
        connection.connect_ns = 0
        connection.answer_frame = connection.syn_ack_frame
    end
end

function connections.answer_attempt(connection, result, segment)
    connection.answer_frame = segment.frame
    connection.result = result
    connection.connect_ns = max(segment.time_ns - connection.syn_ns, 0)
    connection.network_server_ns = result == ACCEPTED and max(segment.time_ns - connection.last_syn_ns, 0) or nil
end

-- Whether it acknowledges the client's SYN, and at most what the client sent before `next`: else it answers none. An
-- RST answers a SYN only if that is the SYN and the data on it: RFC 9293, section 3.10.7.3.
function connections.acknowledges_syn(connection, segment, next)
    local client = connection[connection.client]
    return ACK[segment.flags] and ahead(segment.ack, client.isn or 0) > 0 and ahead(segment.ack, next) <= 0
end

function connections.take_syn(connection, segment, from_client, open)
    if not from_client then
        return
    end
    if connection.reset and not connections.is_closed(connection) then
        connection.ended_ns = huge
    end
    connection.reset, connection.cut_off = false, nil
    if not connection.attempt then
        connections.begin_attempt(connection, segment)
        items.note_connection(segment.frame, ITEM_SYN, connection)
    elseif open then
        connection.last_syn_ns = segment.time_ns
        local counted = connection.result == REFUSED and "syns_refused" or "syn_retries"
        connection[counted] = connection[counted] + 1
    end
end

-- True if that answers the attempt to connect. Without an attempt it may do so later.
function connections.take_syn_ack(connection, segment, from_client, open)
    if from_client or connection.attempt
        and not connections.acknowledges_syn(connection, segment, connection[connection.client].seq_next or 0) then
        return false
    end
    if not connection.network_client_ns then
        connection.syn_ack_seen = true
        connection.syn_ack_ns = segment.time_ns
        connection.syn_ack_frame = segment.frame
    end
    if connection.attempt and (not open or (connection.result == REFUSED and connection.syns_refused == 0)) then
        return false
    elseif connection.attempt then
        connection.syn_retries = connection.syn_retries + connection.syns_refused
        connections.answer_attempt(connection, ACCEPTED, segment)
        local sent_ns = connection[3 - connection.client].sent_ns
        if sent_ns and sent_ns < segment.time_ns then -- it is sent again
            connection.network_server_ns = nil
        end
    end
    items.note_connection(segment.frame, ITEM_ANSWER, connection)
    return true
end

function connections.take_ack(connection, segment, from_client)
    if from_client and connection.syn_ack_seen and not connection.network_client_ns then
        connection.network_client_ns = max(segment.time_ns - connection.syn_ack_ns, 0)
        items.note_connection(segment.frame, ITEM_ACK, connection)
    end
end

function connections.take_rst(connection, segment, from_client, open)
    if not from_client and open and connection.result == UNANSWERED
        and connections.acknowledges_syn(connection, segment, connection.syn_next) then
        connections.answer_attempt(connection, REFUSED, segment)
        items.note_connection(segment.frame, ITEM_ANSWER, connection)
    end
end

function connections.shake_hands(connection, segment, from)
    local flags = segment.flags
    local sender, receiver = connection[from], connection[3 - from]
    connections.note_isn(sender, receiver, segment)
    if ACK[segment.flags] then
        sender.acknowledged = segment.ack
    end
    if SYN[flags] then
        connections.take_syn_options(connection, sender, receiver, segment)
        connections.set_client(connection, ACK[flags] and 3 - from or from)
    end
    local from_client = from == connection.client
    local open = connection.attempt and connection.result ~= ACCEPTED
    if RST[flags] then
        connections.take_rst(connection, segment, from_client, open)
    elseif SYN[flags] and ACK[flags] then
        connections.take_syn_ack(connection, segment, from_client, open)
    elseif SYN[flags] then
        connections.take_syn(connection, segment, from_client, open)
    elseif ACK[flags] then
        connections.take_ack(connection, segment, from_client)
    end
end

-- An ICMP error quoted a segment of this connection: whether that answers its SYN.
function connections.unreachable(connection, from, quoted)
    if not connection.attempt or connection.result ~= UNANSWERED or from ~= connection.client
        or quoted.seq ~= connection[from].isn then
        return
    end
    connections.answer_attempt(connection, UNREACHABLE, quoted)
    items.note_connection(quoted.frame, ITEM_ANSWER, connection)
end

-- What the attempt has come to so far. One without an answer is waiting until its client would send the SYN again, a
-- second later, or has acknowledged an answer that the capture lacks, or the connection has ended.
function connections.connect_result(connection)
    local is_waiting = connection.result == UNANSWERED and connection.syn_retries == 0
        and state.end_ns - connection.syn_ns < FIRST_RETRY_NS
        and connection.client -- else it is over, or another one has its place
        and not connection[connection.client].acknowledged and not connection.reset and not connection.over
    return is_waiting and CONNECT_WAITING or connection.result
end

-- The server can send nothing more: its FIN, or a new connection in its place.
function connections.is_closed(connection)
    return connection.replaced or connection[3 - connection.client].fin
end

local function is_near(sender, seq)
    return math.abs(ahead(seq, sender.seq_next)) <= END_WINDOW
end

-- Whether its FIN is the end of what its sender says.
function connections.finishes(sender, segment)
    return FIN[segment.flags]
        and (not sender.seq_end or is_near(sender, (segment.seq + segment.payload_bytes) % TWO_32))
end

-- Before what the other side has acknowledged, or before the SYN.
local function is_past(sender, receiver, seq)
    local before = ahead(receiver.acknowledged or (sender.isn + 1) % TWO_32, seq)
    return before > 0 and before <= END_WINDOW
end

-- RFC 9293, section 3.10.7.3 and 4, without knowing the window.
function connections.resets(connection, from, segment)
    local sender = connection[from]
    if not RST[segment.flags] then
        return false
    elseif sender.seq_end then
        return is_near(sender, segment.seq) and not is_past(sender, connection[3 - from], segment.seq)
    end
    return from == connection.client or not connection.attempt
        or connections.acknowledges_syn(connection, segment, connection[connection.client].seq_next or 0)
end

-- Who closes so soon after asking awaits no answer.
connections.FAREWELL_NS = 10000000

function connections.note_farewell(connection, from, segment)
    local request = connection.request
    if RST[segment.flags] or connection[from].fin or not (from == connection.client or connection.is_ssh) then
        return
    elseif request and request.p0_frame == 0 and not request.timed_out and not request.is_farewell
        and request ~= connection.cut_off and segment.time_ns - request.q0_ns < connections.FAREWELL_NS then
        request.is_farewell = true
        connection.closes_second = connections.is_closed(connection) and not connection.is_ssh
    end
end

-- The server, which had closed before the client, says that it has not read what the client said last.
function connections.take_reset(connection)
    connection.reset, connection.cut_off = true, connection.request
    if connection.request and connection.closes_second then
        connection.request.is_farewell = false
    end
end

-- Takes FIN and RST, once the segment's payload is done with.
function connections.close(connection, from, segment)
    if connections.finishes(connection[from], segment) then
        connections.note_farewell(connection, from, segment)
        connection[from].fin = true
    end
    if connections.resets(connection, from, segment) then
        connections.take_reset(connection)
    end
    if connection.reset or connections.is_closed(connection) then
        connection.ended_ns = min(connection.ended_ns, segment.time_ns)
    end
    local over = connection.reset or (connection[1].fin and connection[2].fin)
    if over and not connection.over then
        connection.over = true
        state.ended.last = state.ended.last + 1
        state.ended[state.ended.last] = connection
    end
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Requests: the records, and what follows from them
-- ---------------------------------------------------------------------------------------------------------------------

local RUN = "ddddBB"
local REQUEST = "<I4I4I4I4dddddd" .. RUN .. RUN .. "BBs"

local function bit(value)
    return value and 1 or 0
end

-- A request that no longer is the last of its connection, in one string. Only a retransmission comes back to it.
function requests.freeze(request)
    local asking, answering = request.asking, request.answering
    return Struct.pack(REQUEST, request.connection, request.q0_frame, request.p0_frame, request.p1_frame,
        request.q0_ns, request.q1_ns, request.p0_ns, request.p1_ns, request.request_bytes, request.response_bytes,
        asking.start, asking.low, asking.last, asking.last_ns, bit(asking.after_first), bit(asking.last_short),
        answering.start, answering.low, answering.last, answering.last_ns, bit(answering.after_first),
        bit(answering.last_short), bit(request.timed_out) + 2 * bit(request.is_farewell),
        bit(request.reordered), request.operation)
end

function requests.thaw_run(start, low, last, last_ns, after_first, last_short)
    return {
        start = start, low = low, last = last, last_ns = last_ns,
        after_first = after_first == 1, last_short = last_short == 1,
    }
end

-- The request of this number: for reading, unless it is put back frozen.
function requests.at(number)
    local record = state.requests[number]
    if type(record) ~= "string" then
        return record
    end
    local c, q0, p0, p1, q0_ns, q1_ns, p0_ns, p1_ns, asked, answered, a1, a2, a3, a4, a5, a6, b1, b2, b3, b4, b5, b6,
        ending, reordered, operation = Struct.unpack(REQUEST, record)
    return {
        number = number, connection = c, operation = operation,
        q0_frame = q0, p0_frame = p0, p1_frame = p1, q0_ns = q0_ns, q1_ns = q1_ns, p0_ns = p0_ns, p1_ns = p1_ns,
        request_bytes = asked, response_bytes = answered,
        asking = requests.thaw_run(a1, a2, a3, a4, a5, a6), answering = requests.thaw_run(b1, b2, b3, b4, b5, b6),
        timed_out = ending % 2 == 1, is_farewell = ending >= 2, reordered = reordered == 1,
    }
end

local CONNECTION = "<dddddI4I4I4I2I2BBBBBBs"

local function optional(value)
    return value or -1
end

-- A connection that has ended long ago, in one string: what its requests and its attempt show.
function connections.freeze(connection)
    local client, server = connection[connection.client], connection[3 - connection.client]
    return Struct.pack(CONNECTION, optional(connection.connect_ns), optional(connection.network_server_ns),
        optional(connection.network_client_ns), connection.ended_ns, optional(connection.syn_ns),
        connection.syn_frame or 0, connection.answer_frame or 0, connection.syn_retries, client.port, server.port,
        connection.result, bit(connection.reset), bit(connections.is_closed(connection)), bit(connection.ipv6),
        bit(connection.attempt), #client.address, "") .. client.address .. server.address
end

local function if_known(value)
    return value >= 0 and value or nil
end

-- What is known of the connection of this number, whether it goes on or not.
function connections.at(number)
    local record = state.connections[number]
    if type(record) ~= "string" then
        local client, server = record[record.client], record[3 - record.client]
        record.is_closed = connections.is_closed(record)
        record.client_address, record.client_port = client.address, client.port
        record.server_address, record.server_port = server.address, server.port
        return record
    end
    local connect, network_server, network_client, ended, syn, syn_frame, answer_frame, retries, client_port,
        server_port, result, reset, closed, ipv6, attempt, length, _, at = Struct.unpack(CONNECTION, record)
    return {
        number = number, connect_ns = if_known(connect), network_server_ns = if_known(network_server),
        network_client_ns = if_known(network_client), ended_ns = ended, syn_ns = syn,
        syn_frame = syn_frame, answer_frame = answer_frame, syn_retries = retries,
        client_port = client_port, server_port = server_port, result = result, reset = reset == 1,
        is_closed = closed == 1, ipv6 = ipv6 == 1, attempt = attempt == 1,
        client_address = record:sub(at, at + length - 1), server_address = record:sub(at + length),
    }
end

-- Nothing more comes of the connection: what it and its last request show is kept.
function connections.retire(connection)
    local request = connection.request
    if request then
        state.requests[request.number] = requests.freeze(request)
    end
    state.connections[connection.number] = connections.freeze(connection)
    circuits.retire(connection)
    if state.by_key[connection.key] == connection then
        state.by_key[connection.key] = nil
        state.by_key[connection.key_back] = nil
    end
end

function connections.retire_ended(now_ns)
    local ended = state.ended
    while ended.first <= ended.last and connections.is_over(ended[ended.first], now_ns) do
        local connection = ended[ended.first]
        ended[ended.first] = nil
        ended.first = ended.first + 1
        if state.connections[connection.number] == connection then
            connections.retire(connection)
        end
    end
end

function requests.first_byte(request)
    return max(request.p0_ns - request.q0_ns, 0)
end

function requests.service(request)
    return max(request.p0_ns - request.q1_ns, 0)
end

function requests.last_byte(request)
    return max(request.p1_ns - request.q0_ns, 0)
end

-- nil if the handshake was not captured.
function requests.server_time(request, connection)
    local network_ns = connection.network_server_ns
    return network_ns and max(requests.service(request) - network_ns, 0)
end

function requests.has_timed_out(request, now_ns)
    return settings.timeout_ns > 0 and now_ns - request.q1_ns > settings.timeout_ns
end

-- An outcome; lost and truncated, which stand before it, are told by messages.
requests.CLOSED_BY_CLIENT = 7

-- Until the capture has been read to its end, the outcome so far.
function requests.outcome(request, connection)
    if request.p0_frame > 0 then
        return ANSWERED
    elseif request.is_farewell then
        return requests.CLOSED_BY_CLIENT
    elseif request.timed_out or requests.has_timed_out(request, min(connection.ended_ns, state.last_ns)) then
        return TIMED_OUT
    elseif connection.reset then
        return RESET
    end
    return connection.is_closed and CLOSED or WAITING
end

-- A record of TLS 1.3 that may be an alert: 5 bytes of header, 2, a type and 16 of authentication.
local TLS_ALERT_BYTES = 5 + 2 + 1 + 16
local TLS_ROLES = { ["TLS Handshake"] = "handshake", ["TLS Change Cipher Spec"] = "handshake", ["TLS Alert"] = "alert" }

-- What is TLS's own and no request: nil for a request. `is_last`: of its connection.
function requests.tls_role(request, is_last)
    local lone = request.operation == "TLS Application Data" and request.request_bytes == TLS_ALERT_BYTES
    if lone and (request.p0_frame == 0 or (is_last and request.response_bytes == TLS_ALERT_BYTES)) then
        return "alert"
    end
    return TLS_ROLES[request.operation]
end

function requests.begin(connection, segment, offset)
    local server = connection[3 - connection.client]
    local number = #state.requests + 1
    local request = {
        number = number,
        connection = connection.number,
        operation = operations.read(segments.payload(segment, OPERATION_BYTES)),
        q0_frame = segment.frame, p0_frame = 0, p1_frame = 0, -- p0_frame 0: unanswered
        q0_ns = segment.time_ns, q1_ns = segment.time_ns, p0_ns = 0, p1_ns = 0,
        request_bytes = 0, response_bytes = 0,
        asking = runs.begin(offset),
        answering = runs.begin(server.seq_end or 0),
        timed_out = false, reordered = false,
    }
    state.requests[number] = request
    connection.is_ssh = connection.is_ssh or not connection.request and request.operation == "SSH"
    connection.request = request
    local numbers = connection.requests or {}
    connection.requests = numbers
    numbers[#numbers + 1] = number
    return request
end

-- Whether the response's first frame acknowledged everything up to `seq`.
function requests.acknowledges(request, seq)
    return request.acknowledged and ahead(seq, request.acknowledged) <= 0
end

-- Requests looked at one by one for whose a retransmission is, before older ones are searched by halves.
local REQUESTS_NEAR = 16

function requests.owner_at(connection, position, name, offset)
    local request = requests.at(connection.requests[position])
    local run = request[name]
    return run.low <= offset and offset < run.last and request or nil, run.low
end

-- The request in whose bytes, or whose response's, `offset` lies; nil if the capture has none.
function requests.owning(connection, from_client, offset)
    local numbers, name = connection.requests or {}, from_client and "asking" or "answering"
    local high = #numbers
    -- Late bytes can make a request that lies below an earlier one; further back they all ascend.
    for _ = 1, min(REQUESTS_NEAR, high) do
        local request = requests.owner_at(connection, high, name, offset)
        if request then
            return request
        end
        high = high - 1
    end
    local low = 1
    high = high + 1
    while low < high do
        local middle = floor((low + high) / 2)
        local _, first = requests.owner_at(connection, middle, name, offset)
        if first <= offset then
            low = middle + 1
        else
            high = middle
        end
    end
    return low > 1 and (requests.owner_at(connection, low - 1, name, offset)) or nil
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Overtaking: response frames that the capture has before their request
-- ---------------------------------------------------------------------------------------------------------------------

-- A server's frame that acknowledges client payload not seen yet is watched. If that payload turns up, the capture has
-- the frames in the wrong order, and they become its response. If it does not, it was not captured.

local OVERTAKING_FRAMES = 64

function overtakings.begin(connection, segment, place, before)
    local overtaking = {
        active = true, acknowledged = segment.ack, n = 0, bytes = 0, before = before,
        p0_ns = segment.time_ns, p0_frame = segment.frame, p1_ns = segment.time_ns,
    }
    if before then
        overtaking.before_bytes = before.response_bytes
        overtaking.before_p1_ns, overtaking.before_p1_frame = before.p1_ns, before.p1_frame
    else
        connection.unsolicited = runs.begin(place.first)
    end
    connection.overtaking = overtaking
    return overtaking
end

-- Whether a server's frame acknowledges more than the client has been seen to send.
function overtakings.is_ahead(connection, segment, before)
    local client = connection[connection.client]
    if not ACK[segment.flags] or (before and requests.acknowledges(before, segment.ack)) then
        return false
    end
    return not client.seq_end or sequence.offset(client, segment.ack) > client.seq_end
end

-- For new server payload that answers no waiting request. `before`: the request whose response it continues; nil if it
-- is unsolicited. Returns what is then to be noted, or nil.
function overtakings.watch(connection, segment, place, before)
    local overtaking = connection.overtaking
    if not overtakings.is_ahead(connection, segment, before) then
        if overtaking then
            overtaking.active = false
        end
        return nil
    end
    if overtaking and overtaking.active and overtaking.n == OVERTAKING_FRAMES then
        overtaking.active = false
        overtaking.given_up = true -- until the next request
    end
    if overtaking and overtaking.given_up then
        return nil
    end
    if not overtaking or not overtaking.active then
        overtaking = overtakings.begin(connection, segment, place, before)
    end
    local watched = { first = place.first, frame = segment.frame }
    overtaking.n = overtaking.n + 1
    overtaking[overtaking.n] = watched
    if ahead(segment.ack, overtaking.acknowledged) > 0 then
        overtaking.acknowledged = segment.ack
    end
    overtaking.p1_ns = max(overtaking.p1_ns, segment.time_ns)
    overtaking.p1_frame = segment.frame
    overtaking.bytes = overtaking.bytes + place.fresh
    return watched
end

-- The frames' items said what they were in the row they counted to.
function overtakings.rewrite_items(overtaking, request)
    for i = 1, overtaking.n do
        local watched = overtaking[i]
        local item = watched.item
        item.flags = without(item.flags, CHUNK_BOUNDARY)
        if i == 2 then
            item.flags = without(item.flags, AFTER_SHORT)
        end
        if runs.is_chunk_boundary(watched.first - request.answering.start) then
            item.flags = item.flags + CHUNK_BOUNDARY
        end
        if i == 1 and not has(item.flags, FIRST) then
            item.flags = item.flags + FIRST
        end
        local packed = items.pack(request, true, item)
        if watched.position then
            items.replace(watched.frame, watched.position, packed)
        else
            items.note(watched.frame, packed)
        end
    end
end

-- `request` begins with `segment`: gives it the frames that overtook it, if any did.
function overtakings.settle(connection, segment, request)
    local overtaking = connection.overtaking
    if not overtaking then
        return
    end
    connection.overtaking = nil
    if not overtaking.active or ahead(overtaking.acknowledged, segment.seq) <= 0 then
        return
    end
    local before = overtaking.before
    local counted_in, start = before and before.answering or connection.unsolicited, overtaking[1].first
    request.p0_ns, request.p0_frame = overtaking.p0_ns, overtaking.p0_frame
    request.p1_ns, request.p1_frame = overtaking.p1_ns, overtaking.p1_frame
    request.response_bytes = overtaking.bytes
    request.acknowledged = overtaking.acknowledged
    request.reordered = true
    request.answering = {
        start = start, low = start, last = counted_in.last, last_ns = counted_in.last_ns,
        after_first = counted_in.after_first, last_short = counted_in.last_short and overtaking.n > 1,
    }
    counted_in.last = min(counted_in.last, start)
    if before then
        before.response_bytes = overtaking.before_bytes
        before.p1_ns, before.p1_frame = overtaking.before_p1_ns, overtaking.before_p1_frame
    else
        state.unsolicited = state.unsolicited - overtaking.n
    end
    overtakings.rewrite_items(overtaking, request)
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Turns: payload makes requests and responses
-- ---------------------------------------------------------------------------------------------------------------------

-- The request is what it was, but for the row that a retransmission changed.
function requests.put_back(request)
    if type(state.requests[request.number]) == "string" then
        state.requests[request.number] = requests.freeze(request)
    end
end

function turns.take_retransmission(connection, segment, place, sender, from_client)
    local request = requests.owning(connection, from_client, place.first)
    if not request then -- of what no known request has
        return
    end
    local item = runs.add(from_client and request.asking or request.answering, segment, place, sender)
    items.note(segment.frame, items.pack(request, not from_client, item))
    requests.put_back(request)
end

function turns.take_client_payload(connection, segment, place, sender)
    local request = connection.request
    local late = request and request.p0_frame > 0
        and requests.acknowledges(request, (segment.seq + segment.payload_bytes) % TWO_32)
    local more = request and request.p0_frame == 0 and not request.timed_out and request ~= connection.cut_off
    if late then
        request.reordered = true
    elseif not more then
        local before = request
        request = requests.begin(connection, segment, place.first)
        overtakings.settle(connection, segment, request)
        if before then
            state.requests[before.number] = requests.freeze(before)
        end
    end
    request.q1_ns = max(request.q1_ns, segment.time_ns)
    request.request_bytes = request.request_bytes + place.fresh
    items.note(segment.frame, items.pack(request, false, runs.add(request.asking, segment, place, sender)))
end

function turns.begin_response(request, segment, place)
    request.p0_ns, request.p0_frame, request.p1_ns = segment.time_ns, segment.frame, segment.time_ns
    request.acknowledged = ACK[segment.flags] and segment.ack or nil
    request.answering = runs.begin(place.first)
    request.reordered = request.reordered or request.p0_ns < request.q1_ns
end

-- A server that was silent for so many times as long as the request took, and so long at least, pushes something new.
turns.PUSH_TIMES, turns.PUSH_NS = 8, 50000000

function turns.is_push(request, segment, place, is_full)
    if request.p0_frame == 0 or not place.in_order or is_full or TLS_ROLES[request.operation] == "handshake" then
        return false
    end
    local silence = segment.time_ns - request.answering.last_ns
    return silence > max(turns.PUSH_TIMES * requests.last_byte(request), turns.PUSH_NS)
end

function turns.take_server_payload(connection, segment, place, sender)
    local request, watched = connection.request, nil
    if request and turns.is_push(request, segment, place, connection[connection.client].is_full) then
        request = nil
    end
    if request and (request.timed_out or request == connection.cut_off) then
        request = nil
    end
    if request and request.p0_frame == 0 then
        turns.begin_response(request, segment, place)
    else
        watched = overtakings.watch(connection, segment, place, request)
    end
    connection.unsolicited = connection.unsolicited or runs.begin(0)
    local item = runs.add(request and request.answering or connection.unsolicited, segment, place, sender)
    if request then
        items.note(segment.frame, items.pack(request, true, item))
        request.response_bytes = request.response_bytes + place.fresh
        request.p1_frame = segment.frame
        request.p1_ns = request.p0_frame == segment.frame and segment.time_ns or max(request.p1_ns, segment.time_ns)
    else
        state.unsolicited = state.unsolicited + 1
    end
    if watched then
        watched.item = {
            spacing_ns = item.spacing_ns, last = item.last, delta = item.delta, flags = item.flags,
        }
        watched.position = request and items.last(segment.frame)
    end
end

-- A probe repeats the byte before the next one to see whether the peer is there: RFC 9293, section 3.8.4.
function turns.is_keep_alive(sender, segment)
    local flags = segment.flags
    if segment.payload_bytes ~= 1 or SYN[flags] or FIN[flags] or PSH[flags] then
        return false
    elseif sender.seq_end then
        return (segment.seq + 1) % TWO_32 == sender.seq_next
    end
    return ACK[flags]
end

-- Where the segment's payload begins in its sender's sequence; nil if it carries none.
function turns.payload_offset(sender, segment)
    local probe = turns.is_keep_alive(sender, segment)
    local seq = SYN[segment.flags] and (segment.seq + 1) % TWO_32 or segment.seq
    if not sender.seq_end then
        sequence.start(sender, probe and (seq + 1) % TWO_32 or seq, true)
    end
    local first = sequence.offset(sender, seq)
    if segment.payload_bytes > 0 and not probe then
        return first
    end
    local is_strange = FIN[segment.flags] and not connections.finishes(sender, segment)
    if first > sender.seq_end and not is_strange then -- what lies before it has been sent, if not captured
        sequence.add(sender, first, 0)
    end
    return nil
end

function turns.note_timeout(request, now_ns)
    if request and request.p0_frame == 0 and not request.timed_out and requests.has_timed_out(request, now_ns) then
        request.timed_out = true
    end
end

local one_place = {} -- what a payload segment is to the sequence of its sender

function turns.take(connection, from, segment, delta)
    local sender = connection[from]
    if RST[segment.flags] then
        return
    end
    local first = turns.payload_offset(sender, segment)
    if not first then
        return
    end
    if sender.incomplete and first > sender.seq_end then
        sequence.add(sender, sender.seq_end, first - sender.seq_end)
    end
    sender.incomplete = segment.fragmented
    local place = one_place
    place.first, place.last, place.delta = first, first + segment.payload_bytes, delta
    place.in_order = first == sender.seq_end
    place.fresh = sequence.add(sender, first, segment.payload_bytes)
    local from_client = from == connection.client
    if place.fresh == 0 then
        turns.take_retransmission(connection, segment, place, sender, from_client)
        return
    end
    sender.sent_ns = segment.time_ns -- its last payload
    turns.note_timeout(connection.request, segment.time_ns)
    if from_client then
        turns.take_client_payload(connection, segment, place, sender)
    else
        turns.take_server_payload(connection, segment, place, sender)
    end
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Channel Access: the messages of EPICS
-- ---------------------------------------------------------------------------------------------------------------------

-- caProto.h of EPICS base: the commands that matter here, and the last.
local CA_VERSION, CA_ERROR, CA_CREATE_CHAN, CA_CREATE_CH_FAIL, CA_COMMANDS = 0, 11, 18, 26, 28
local CA_HEADER_BYTES, CA_EXTENDED_BYTES = 16, 24
local CA_NAME_MOST, CA_SIZE_MOST, CA_SIZE_UNCHECKED = 500, 2 ^ 28, 0xFFFF
local CA_MINOR_MOST, CA_PRIORITY_MOST, CA_TEXT_MOST, CA_STRING_BYTES = 99, 99, 1024, 40

-- The header at the beginning of `bytes`, from `at` on; nil and whether it is cut if there is none.
function messages.read(bytes, at)
    if #bytes < at + CA_HEADER_BYTES - 1 then
        return nil, true
    end
    local message = { header_bytes = CA_HEADER_BYTES }
    message.command, message.size, message.type, message.count, message.p1, message.p2 =
        Struct.unpack(">I2I2I2I2I4I4", bytes, at)
    if message.command >= CA_COMMANDS then
        return nil, false
    end
    if message.size == 0xFFFF and message.count == 0 then
        if #bytes < at + CA_EXTENDED_BYTES - 1 then
            return nil, true
        end
        message.size, message.count = Struct.unpack(">I4I4", bytes, at + CA_HEADER_BYTES)
        message.header_bytes = CA_EXTENDED_BYTES
    end
    -- EPICS drops a circuit on a size that is no multiple of 8.
    if message.size % 8 ~= 0 or message.size > CA_SIZE_MOST
        or (message.size > CA_SIZE_UNCHECKED and not messages.is_plausible(message)) then
        return nil, false
    end
    message.bytes = message.header_bytes + message.size
    return message
end

-- What EPICS would send, by command: for bytes that may as well be the middle of something else.
do
    -- db_access.h of EPICS base, by type from 0: where values begin, and how long one is.
    local DBR_OFFSETS = { 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 5, 4, 8, 12, 14, 12, 14, 15, 12, 16, 4, 24, 40, 422, 19, 36,
        64, 4, 28, 48, 422, 21, 44, 80, 0, 0, 8, 0 }
    local DBR_BYTES = { 40, 2, 4, 2, 1, 4, 8 }
    local DBR_LAST_BYTES = { 2, 2, 40, 40 }

    -- caerr.h of EPICS base: the severity of each status.
    local ECA_SEVERITIES = "1222200000000223360000020020002030600000023322002002200022000"

    local function dbr_bytes(type)
        return type < 35 and DBR_BYTES[type % 7 + 1] or DBR_LAST_BYTES[type - 34]
    end

    local function has_status(status)
        local number = floor(status / 8)
        return number < #ECA_SEVERITIES and tonumber(ECA_SEVERITIES:sub(number + 1, number + 1)) == status % 8
    end

    local function is_empty(message)
        return message.size == 0
    end

    local function is_blank(message)
        return message.type == 0 and message.count == 0
    end

    local function is_empty_and_blank(message)
        return is_empty(message) and is_blank(message)
    end

    local function is_zero(message)
        return is_empty_and_blank(message) and message.p1 == 0 and message.p2 == 0
    end

    local function has_name(message)
        return message.size > 0 and message.size <= CA_NAME_MOST + 8
    end

    local function is_minor(number)
        return number > 0 and number <= CA_MINOR_MOST
    end

    -- The payload is as long as its type and count say. One string may be cut after its end.
    local function has_values(message)
        local offset = DBR_OFFSETS[message.type + 1]
        if message.size == 0 or not offset then
            return false
        end
        local bytes = offset + message.count * dbr_bytes(message.type)
        if bytes == 0 then
            return false
        elseif dbr_bytes(message.type) == CA_STRING_BYTES and message.count == 1 then
            return message.size > offset and message.size < bytes + 8
        end
        return message.size == floor((bytes + 7) / 8) * 8
    end

    local function has_type(message)
        return DBR_OFFSETS[message.type + 1] ~= nil
    end

    local function is_search(message)
        return has_name(message) and (message.type == 5 or message.type == 10) and is_minor(message.count)
            and message.p1 == message.p2
    end

    local function is_search_or_reply(message)
        return is_search(message)
            or ((message.size == 0 or message.size == 8) and message.type ~= 0 and message.count == 0)
    end

    local function is_version(message)
        return is_empty(message) and message.type <= CA_PRIORITY_MOST and is_minor(message.count) and message.p2 == 0
            and (message.p1 == 0 or message.type == 1)
    end

    local function is_create(message)
        if is_empty(message) then
            return message.type <= 6
        end
        return has_name(message) and is_blank(message) and is_minor(message.p2)
    end

    local function is_read(message)
        return is_empty(message) and has_type(message) or has_values(message)
    end

    local function is_read_notify(message)
        return is_empty(message) and has_type(message) or (has_values(message) and has_status(message.p1))
    end

    local function is_write_notify(message)
        return is_empty(message) and has_type(message) and has_status(message.p1) or has_values(message)
    end

    local function is_event(message)
        if message.size == 0 or message.size == 16 then
            return has_type(message)
        end
        return has_values(message) and has_status(message.p1)
    end

    local function is_event_cancel(message)
        return is_empty(message) and has_type(message)
    end

    local function is_error(message)
        return message.size > CA_HEADER_BYTES and message.size <= CA_TEXT_MOST and has_status(message.p2)
    end

    local function is_beacon(message)
        return is_empty(message) and is_minor(message.type) and message.count ~= 0
    end

    local function is_repeater(message)
        return is_empty_and_blank(message) and message.p1 == 0
    end

    local function is_text(message)
        return message.size > 0 and message.size <= CA_TEXT_MOST and is_blank(message) and message.p1 == 0
            and message.p2 == 0
    end

    local function is_rights(message)
        return is_empty_and_blank(message) and message.p2 <= 3
    end

    local function is_loss(message)
        return is_empty_and_blank(message) and message.p2 == 0
    end

    messages.plausible = {
        [0] = is_version, is_event, is_event_cancel, is_read, has_values, nil, is_search_or_reply, nil, is_zero,
        is_zero, is_zero, is_error, is_empty_and_blank, is_beacon, is_search, is_read_notify, nil, is_repeater,
        is_create, is_write_notify, is_text, is_text, is_rights, is_zero, is_repeater, nil, is_loss, is_loss,
    }
end

function messages.is_plausible(message)
    -- The two halves of the header are the same, as in an array of equal numbers, or of two in turn.
    if message.p1 == message.command * 65536 + message.size and message.p2 == message.type * 65536 + message.count then
        return false
    end
    local check = messages.plausible[message.command]
    return check ~= nil and check(message)
end

-- Whether `bytes` begin with a plausible message and go on with plausible ones as far as they reach.
function messages.are_plausible(bytes)
    local at = 1
    while at <= #bytes do
        local message, cut = messages.read(bytes, at)
        if cut then
            break
        elseif not message or not messages.is_plausible(message) then
            return false
        end
        at = at + message.bytes
    end
    return at > 1
end

-- The senders of messages that only one side sends over TCP: true for the client, nil where either may.
local BY_CLIENT = { [2] = true, [4] = true, [8] = true, [9] = true, [20] = true, [21] = true, [24] = true }
local BY_SERVER = { [11] = true, [13] = true, [14] = true, [17] = true, [22] = true, [26] = true, [27] = true }

function messages.is_from_client(message)
    local command = message.command
    if BY_CLIENT[command] then
        return true
    elseif BY_SERVER[command] then
        return false
    elseif command == 6 then
        return message.count ~= 0
    elseif command == CA_CREATE_CHAN or command == 19 then
        return message.size > 0
    elseif command == 3 or command == 15 then
        return message.size == 0
    elseif command == 1 and message.size ~= 16 then
        return false
    end
    return nil
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Lanes: the stretches of one direction of a circuit that are read message by message
-- ---------------------------------------------------------------------------------------------------------------------

-- A lane begins with what comes next, and goes on for ever; where segments are missing and what follows can be read,
-- the missing stretch gets a lane of its own. Positions are those of the sender's sequence.

local LANES, LANE_BYTES, LANE_CHUNKS = 5, 2 ^ 18, 512
local LARGE_MESSAGE = 2 ^ 16

function lanes.new(first, last, aligned)
    return { next = first, last = last, aligned = aligned, bytes = 0 }
end

-- Keeps a part of the direction's bytes until what is missing before it is there. If that is too much, all is dropped.
function lanes.keep(lane, first, bytes)
    if lane.bytes + #bytes > LANE_BYTES or #lane >= LANE_CHUNKS then
        for i = #lane, 1, -1 do
            lane[i] = nil
        end
        lane.bytes, lane.aligned = 0, false
        return
    end
    local at = #lane + 1
    while at > 1 and lane[at - 1].first > first do
        at = at - 1
    end
    table.insert(lane, at, { first = first, bytes = bytes })
    lane.bytes = lane.bytes + #bytes
end

-- All bytes from the lane's next on that are there without a gap; what lies before is dropped.
function lanes.gather(lane)
    local parts, at = {}, lane.next
    local chunk = lane[1]
    while chunk and chunk.first <= at do
        if chunk.first + #chunk.bytes > at then
            parts[#parts + 1] = chunk.bytes:sub(at - chunk.first + 1)
            at = chunk.first + #chunk.bytes
        end
        table.remove(lane, 1)
        lane.bytes = lane.bytes - #chunk.bytes
        chunk = lane[1]
    end
    return table.concat(parts)
end

-- Reads messages from the start of `bytes`, which begin where the lane does; returns how many bytes they are. A message
-- of which the end is missing waits, unless it is large, or `cut`: then its header is enough.
function lanes.read(lane, bytes, cut, take)
    local at = 1
    while at <= #bytes do
        local message, more = messages.read(bytes, at)
        if not message then
            lane.aligned = more and not cut
            return more and not cut and at - 1 or #bytes
        end
        local left = #bytes - at + 1
        if message.bytes > left and not cut and message.bytes <= LARGE_MESSAGE then
            break
        end
        take(message, bytes:sub(at + message.header_bytes, at + message.bytes - 1))
        at = at + message.bytes
    end
    return at - 1
end

-- Reads what is there by now.
function lanes.advance(lane, take)
    local bytes = lanes.gather(lane)
    while bytes ~= "" do
        local read = lanes.read(lane, bytes, false, take)
        lane.next = lane.next + read
        if read < #bytes then
            lanes.keep(lane, lane.next, bytes:sub(read + 1))
            return
        end
        bytes = lanes.gather(lane)
    end
end

-- The capture has only the beginning of this segment: what is there is read, and the rest given up.
function lanes.take_cut(lane, first, bytes, last, take)
    if not lane.aligned or lane.next ~= first then
        if not messages.are_plausible(bytes) then
            lane.next, lane.aligned = max(lane.next, last), false
            return
        end
    end
    lane.aligned = true
    local read = lanes.read(lane, bytes, true, take)
    lane.next = max(first + read, last)
    lane.aligned = lane.aligned and first + read >= last
end

-- What is missing before `first`, and what waits for it, as a lane of its own.
function lanes.split(lane, first)
    local missing = lanes.new(lane.next, first, true)
    while lane[1] and lane[1].first < first do
        local chunk = table.remove(lane, 1)
        lane.bytes = lane.bytes - #chunk.bytes
        lanes.keep(missing, chunk.first, chunk.bytes)
    end
    return missing
end

-- A segment of a lane, from `first` to `last`; `bytes` may be cut short. Returns what is missing before, if that is
-- known to begin with a message.
function lanes.take(lane, first, last, bytes, take)
    if #bytes < last - first then
        lanes.take_cut(lane, first, bytes, last, take)
        return nil
    end
    local here = first == lane.next and lane.aligned
    local missing
    if not here and messages.are_plausible(bytes) then
        missing = lane.aligned and lanes.split(lane, first) or nil
        lane.next, lane.aligned = first, true
    elseif not here and not lane.aligned then
        lane.next = last
        return nil
    end
    lanes.keep(lane, first, bytes)
    lanes.advance(lane, take)
    return missing
end

-- Opens a lane, if there are not too many, and closes those that have come to their end.
function lanes.tidy(direction, opened)
    if opened and #direction < LANES then
        direction[#direction + 1] = opened
    end
    for i = #direction, 1, -1 do
        if direction[i].next >= direction[i].last then
            table.remove(direction, i)
        end
    end
end

-- The part of a segment that lies in each lane.
function lanes.take_segment(direction, first, bytes, length, take)
    local last, opened = first + length, nil
    for i = 1, #direction do
        local lane = direction[i]
        if last > lane.next and first < lane.last then
            local from, to = max(first, lane.next), min(last, lane.last)
            opened = lanes.take(lane, from, to, bytes:sub(from - first + 1, to - first), take) or opened
        end
    end
    lanes.tidy(direction, opened)
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Circuits: which client created which channel, and how long its server took
-- ---------------------------------------------------------------------------------------------------------------------

-- So many payload segments of a connection are looked at for how a circuit begins.
local CIRCUIT_TRIES = 4

local CHANNEL = "<I4BI4I4dds"

function circuits.freeze(channel)
    return Struct.pack(CHANNEL, channel.circuit, channel.result, channel.request_frame, channel.answer_frame,
        channel.request_ns, channel.answer_ns, channel.pv)
end

function circuits.channel_at(number)
    local record = state.channels[number]
    if type(record) ~= "string" then
        return record
    end
    local circuit, result, request_frame, answer_frame, request_ns, answer_ns, pv = Struct.unpack(CHANNEL, record)
    return {
        circuit = circuit, result = result, request_frame = request_frame, answer_frame = answer_frame,
        request_ns = request_ns, answer_ns = answer_ns, pv = pv,
    }
end

function circuits.note(frame, number, answers)
    local noted = state.channel_frames[frame] or {}
    state.channel_frames[frame] = noted
    noted[#noted + 1] = number * 2 + (answers and 1 or 0)
end

local function new_channel(circuit, arrival, result, pv)
    return {
        circuit = circuit.number, result = result, pv = pv, request_frame = arrival.frame, answer_frame = 0,
        request_ns = arrival.time_ns, answer_ns = 0,
    }
end

-- Requests with the same cid are answered first in, first out.
function circuits.ask(circuit, message, payload, arrival)
    local number = #state.channels + 1
    circuit.asked = true
    local pv = payload:match("^[^\0]*"):sub(1, CA_NAME_MOST)
    state.channels[number] = new_channel(circuit, arrival, CREATE_WAITING, pv)
    local waiting = circuit.waiting[message.p1] or {}
    circuit.waiting[message.p1] = waiting
    waiting[#waiting + 1] = number
    circuits.note(arrival.frame, number, false)
end

function circuits.answer(circuit, cid, result, arrival)
    local waiting = circuit.waiting[cid]
    local number = waiting and table.remove(waiting, 1)
    if not number then
        return false
    elseif #waiting == 0 then
        circuit.waiting[cid] = nil
    end
    local channel = state.channels[number]
    channel.result, channel.answer_frame, channel.answer_ns = result, arrival.frame, arrival.time_ns
    state.channels[number] = circuits.freeze(channel)
    circuits.note(arrival.frame, number, true)
    return true
end

-- From its request to the end of its circuit, or of the capture.
function circuits.has_timed_out(channel)
    local until_ns = state.circuits[channel.circuit].ended_ns or state.last_ns
    return settings.timeout_ns > 0 and until_ns - channel.request_ns > settings.timeout_ns
end

-- What a channel has come to so far.
function circuits.result(channel)
    if channel.result ~= CREATE_WAITING then
        return channel.result
    end
    local is_over = state.circuits[channel.circuit].ended_ns or circuits.has_timed_out(channel)
    return is_over and CREATE_UNANSWERED or CREATE_WAITING
end

-- An answer whose request is not in the capture.
function circuits.note_orphan()
    state.orphans = state.orphans + 1
end

function circuits.take(circuit, from_client, message, payload, arrival)
    local command = message.command
    if from_client then
        if command == CA_CREATE_CHAN then
            circuits.ask(circuit, message, payload, arrival)
        end
    elseif command == CA_CREATE_CHAN or command == CA_CREATE_CH_FAIL then
        local result = command == CA_CREATE_CHAN and CREATE_OK or CREATE_FAILED
        if not circuits.answer(circuit, message.p1, result, arrival) then
            circuits.note_orphan()
        end
    elseif command == CA_ERROR then
        local request = messages.read(payload, 1)
        if request and request.command == CA_CREATE_CHAN then
            circuits.answer(circuit, request.p1, CREATE_ERROR, arrival)
        end
    elseif command == CA_VERSION then
        circuit.hello_ns = circuit.hello_ns or arrival.time_ns
    end
end

-- Whether the sender of bytes without a handshake is the client: a server's port tells, else what is said, else that it
-- is the higher port.
local function looks_like_client(sender, receiver, bytes)
    local to_server, from_server = is_in(settings.ca_ports, receiver.port), is_in(settings.ca_ports, sender.port)
    if to_server ~= from_server then
        return to_server
    end
    local at = 1
    local message = messages.read(bytes, at)
    while message do
        local from_client = messages.is_from_client(message)
        if from_client ~= nil then
            return from_client
        end
        at = at + message.bytes
        message = messages.read(bytes, at)
    end
    return sender.port > receiver.port
end

function circuits.begin(connection, from, bytes)
    local client = connection.client
    if not connection.role_certain then
        client = looks_like_client(connection[from], connection[3 - from], bytes) and from or 3 - from
    end
    local server = connection[3 - client]
    local circuit = {
        number = #state.circuits + 1, client = client, waiting = {},
        address = server.address, port = server.port,
    }
    state.circuits[circuit.number] = circuit
    return circuit
end

-- The circuit that the connection is; nil if it is none.
function circuits.of(connection, from, segment)
    if connection.circuit or connection.no_circuit then
        return connection.circuit
    end
    local by_port = is_in(settings.ca_ports, connection[1].port) or is_in(settings.ca_ports, connection[2].port)
    connection.circuit_tries = (connection.circuit_tries or 0) + 1
    connection.no_circuit = not by_port and connection.circuit_tries == CIRCUIT_TRIES
    local bytes = segments.payload(segment, by_port and huge or CA_HEADER_BYTES)
    if by_port or (#bytes == CA_HEADER_BYTES and bytes:sub(1, 4) == "\0\0\0\0" and messages.are_plausible(bytes)
        and messages.are_plausible(segments.payload(segment, huge))) then
        connection.circuit = circuits.begin(connection, from, bytes)
        connection.no_circuit = false
    end
    return connection.circuit
end

function circuits.take_segment(connection, from, segment)
    local sender = connection[from]
    if segment.payload_bytes == 0 or not sender.seq_end then -- an RST alone begins no sequence
        return
    end
    local circuit = circuits.of(connection, from, segment)
    if not circuit then
        return
    end
    local from_client = from == circuit.client
    local offset = sequence.offset(sender, SYN[segment.flags] and (segment.seq + 1) % TWO_32 or segment.seq)
    -- Lanes begin with the connection, or with what is seen of it first.
    local direction = circuit[from] or { lanes.new(sender.started and TWO_32 or offset, huge, sender.started) }
    circuit[from] = direction
    if #direction == 1 and offset + segment.payload_bytes <= direction[1].next then
        return -- seen before, or in the middle of a large array
    end
    lanes.take_segment(direction, offset, segments.payload(segment, huge), segment.payload_bytes,
        function(message, payload)
            circuits.take(circuit, from_client, message, payload, segment)
        end)
end

-- Takes FIN and RST, and the handshake: a circuit is remembered longer than its connection.
function circuits.note_connection(connection, from, segment)
    local circuit = connection.circuit
    if circuit then
        circuit.syn_ns, circuit.syn_ack_ns = connection.syn_ns, connection.syn_ack_ns
        local ends = connections.finishes(connection[from], segment) or connections.resets(connection, from, segment)
        circuit.ended_ns = circuit.ended_ns or ends and segment.time_ns
    end
end

-- Nothing more comes of it.
function circuits.retire(connection)
    local circuit = connection.circuit
    if circuit then
        circuit[1], circuit[2], circuit.waiting = nil, nil, {}
    end
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Taking a frame's segments, on its first visit
-- ---------------------------------------------------------------------------------------------------------------------

local function take_segment(segment)
    local connection, from = connections.of(segment)
    local sender = connection[from]
    state.last_ns = max(state.last_ns, segment.time_ns)
    if connections.is_duplicate(sender, segment) then
        state.duplicates = state.duplicates + 1
        return
    end
    connections.shake_hands(connection, segment, from)
    local foreseen = not SYN[segment.flags] and not RST[segment.flags]
    local delta = foreseen and continuity.take(sender, segment) or nil
    if ACK[segment.flags] then
        sender.is_full = segment.window == 0 and not RST[segment.flags]
    end
    turns.take(connection, from, segment, delta)
    circuits.take_segment(connection, from, segment)
    circuits.note_connection(connection, from, segment)
    connections.close(connection, from, segment)
end

-- Whether the ICMP message around a quoted packet says that it did not arrive: RFC 792 types 3, 11, 12, RFC 4443 types
-- 1, 3. The message's type stands 8 bytes before the quoted IP header.
local function is_undelivered(quoted)
    local at = quoted.ip_at
    if not at or at < 8 then
        return false
    end
    local kind = quoted.buffer:raw(at - 8, 1):byte()
    if #quoted.source == 16 then
        return kind == 1 or kind == 3
    end
    return kind == 3 or kind == 11 or kind == 12
end

local function take_quoted(quoted)
    local PORTS_AND_SEQ = 8
    if #quoted.header < PORTS_AND_SEQ or not is_undelivered(quoted) then
        return
    end
    quoted.sport, quoted.dport, quoted.seq = Struct.unpack(">I2I2I4", quoted.header)
    local connection, from = connections.find(connections.key(quoted))
    if connection and not connections.is_over(connection, quoted.time_ns) then
        connections.unreachable(connection, from, quoted)
    end
end

local function take_place(place, frame, pinfo, number, time_ns)
    local segment = segments.at(place, frame, pinfo)
    segment.frame, segment.time_ns = number, time_ns
    if segment.quoted then
        if time_ns then
            take_quoted(segment)
        end
        return
    end
    state.has_tcp = true
    if time_ns and segments.read(segment) then
        state.has_payload = state.has_payload or segment.payload_bytes > 0
        take_segment(segment)
    else
        state.unread = state.unread + 1
    end
end

-- Nanoseconds since the second of the capture's first frame: a number of Lua 5.2 holds them for 104 days, but not those
-- since 1970. nil for a frame without a time.
local function time_of_frame()
    local info = find_frame_time()
    if not info then
        return nil
    end
    local time = info.value
    state.first_second = state.first_second or time.secs
    return (time.secs - state.first_second) * 1e9 + time.nsecs
end

local function take_places(frame, pinfo, number, time_ns, ...)
    for i = 1, select("#", ...) do
        take_place(select(i, ...), frame, pinfo, number, time_ns)
    end
end

-- A frame is taken once, in the order of the capture. tshark -R gives a frame that it drops and the next the same
-- number.
local function is_due(pinfo, number, time_ns)
    if number > state.last_number then
        return true
    end
    local again = number < state.last_number or pinfo.visited or time_ns == state.last_frame_ns
    if not again then
        state.frames[number] = nil
    end
    return not again
end

local function take_frame(frame, pinfo, number, time_ns)
    state.last_number, state.last_frame_ns = number, time_ns
    state.start_ns = state.start_ns or time_ns
    state.end_ns = max(state.end_ns, time_ns or -huge)
    take_places(frame, pinfo, number, time_ns, find_tcp())
    if time_ns then
        connections.retire_ended(time_ns)
    end
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Operations: what a request asks for, from the first bytes of its first frame
-- ---------------------------------------------------------------------------------------------------------------------

local OPERATION_LONGEST = 200
local ELLIPSIS = "\226\128\166"

local function words(text)
    local set = {}
    for word in text:gmatch("%S+") do
        set[word] = true
    end
    return set
end

-- Each reads what it knows: the text, and whether more of it follows the captured bytes. nil if it knows nothing.

local TLS = { "Change Cipher Spec", "Alert", "Handshake", "Application Data", "Heartbeat" }

-- What a ClientHello in the format of SSLv2 begins with: RFC 5246, section E.2
function operations.is_sslv2(bytes)
    local high, low, kind, major, minor = bytes:byte(1, 5)
    if #bytes < 11 or high < 128 or kind ~= 1 or major ~= 3 or minor > 4 then
        return false
    end
    local function number(at)
        return bytes:byte(at) * 256 + bytes:byte(at + 1)
    end
    local length, ciphers, session, challenge = (high - 128) * 256 + low, number(6), number(8), number(10)
    return ciphers > 0 and ciphers % 3 == 0 and (session == 0 or session == 16) and challenge >= 16 and challenge <= 32
        and 9 + ciphers + session + challenge == length
end

-- RFC 8446, section 5.1, RFC 6520, section 3
function operations.read_tls(bytes)
    if operations.is_sslv2(bytes) then
        return "TLS Handshake", false
    end
    local kind, major, minor = bytes:byte(1, 3)
    local name = minor and major == 3 and minor <= 4 and TLS[kind - 19]
    return name and "TLS " .. name, false
end

local HTTP_METHODS = words("GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH PROPFIND PROPPATCH MKCOL COPY MOVE "
    .. "LOCK UNLOCK")

-- RFC 9110, sections 5.6.2 and 9, RFC 5789; the methods of RFC 4918 (WebDAV) that clients really send. Any other method
-- needs a whole line with the version.
function operations.read_http(bytes)
    local method = bytes:match("^([%w!#$%%&'*+.^_`|~-]+) ")
    if not method then
        return nil
    end
    local line_end = bytes:find("\n", #method + 2, true)
    local line = line_end and bytes:sub(1, line_end - 1) or bytes
    if not HTTP_METHODS[method] and not (line_end and line:sub(#method + 2):match(". HTTP/1%.%d\r?$")) then
        return nil
    end
    -- The target ends where the last " HTTP/" begins; without a line end it may go on after the captured bytes.
    local target = line:sub(#method + 1):match("^( .*) HTTP/")
    if target then
        return method .. target, false
    elseif line_end then
        return nil
    end
    return bytes, true
end

local MEMCACHED_KEYED = words("get gets gat gats set add replace append prepend cas incr decr touch delete mg ms md ma")
local MEMCACHED_ALONE = words("stats version flush_all verbosity quit mn")

-- memcached doc/protocol.txt
function operations.read_memcached(bytes)
    local command, after = bytes:match("^([%l_]+)()[ \r\n]")
    if MEMCACHED_KEYED[command] and bytes:sub(after, after) == " " then
        local at = after + 1
        if command == "gat" or command == "gats" then -- the expiry time stands before the key
            at = (bytes:find(" ", at, true) or #bytes) + 1
        end
        local key = bytes:match("^[^ \r\n]*", at)
        return command .. " " .. key, at + #key > #bytes
    end
    return MEMCACHED_ALONE[command] and command, false
end

local MEMCACHED_OPCODES = { [0] = "get", "set", "add", "replace", "delete", "incr", "decr", "quit", "flush_all", "getq",
    "noop", "version", "getk", "getkq", "append", "prepend", "stat", "setq", "addq", "replaceq", "deleteq", "incrq",
    "decrq", "quitq", "flush_allq", "appendq", "prependq" }

-- memcached's binary protocol: 24 bytes of header, extras, key
function operations.read_memcached_binary(bytes)
    if #bytes < 24 or bytes:byte(1) ~= 0x80 then
        return nil
    end
    local _, opcode, key, extras, kind, _, body = Struct.unpack(">BBI2BBI2I4", bytes)
    if not MEMCACHED_OPCODES[opcode] or kind ~= 0 or key > 250 or key + extras > body then
        return nil
    elseif key == 0 then
        return MEMCACHED_OPCODES[opcode], false
    end
    local first = 24 + extras
    return MEMCACHED_OPCODES[opcode] .. " " .. bytes:sub(first + 1, first + key), first + key > #bytes
end

-- RESP: an array of bulk strings, redis.io/docs/reference/protocol-spec
function operations.read_redis(bytes)
    local digits, at = bytes:match("^%*%d+\r\n%$(%d*)\r\n()")
    if not digits then
        return nil
    end
    local length = digits == "" and 0 or tonumber(digits)
    local text = bytes:sub(at, at + min(length, OPERATION_BYTES) - 1)
    return text:upper(), #text < length
end

-- RFC 4253, section 4.2
function operations.read_ssh(bytes)
    return bytes:sub(1, 4) == "SSH-" and "SSH" or nil, false
end

operations.readers = { operations.read_tls, operations.read_http, operations.read_memcached,
    operations.read_memcached_binary, operations.read_redis, operations.read_ssh }

function operations.read(bytes)
    for _, read in ipairs(operations.readers) do
        local text, cut = read(bytes)
        if text then
            cut = cut or #text > OPERATION_LONGEST
            return text:sub(1, OPERATION_LONGEST):gsub("[^ -~]", ".") .. (cut and ELLIPSIS or "")
        end
    end
    return ""
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Showing
-- ---------------------------------------------------------------------------------------------------------------------

local FLAG_NAMES = {
    { RETRANSMISSION, "flags.retransmission", "retransmission" },
    { IPID_GAP, "flags.ipid_gap", "IP ID gap" },
    { OUT_OF_ORDER, "flags.out_of_order", "out of order" },
    { SHORT, "flags.short", "short" },
    { AFTER_SHORT, "flags.after_short", "after short" },
    { CHUNK_BOUNDARY, "flags.chunk_boundary", "chunk boundary" },
}

-- Where the next field of a frame goes.
function views.tree(view)
    if not view.tree then
        view.tree = view.parent:add(latency)
        view.tree:set_text("Latency")
        view.tree:set_generated()
    end
    return view.tree
end

function views.add(view, name, value)
    views.tree(view):add(fields[name], value):set_generated()
end

function views.add_time(view, name, ns)
    local seconds = floor(ns / 1e9)
    views.add(view, name, NSTime.new(seconds, ns - seconds * 1e9))
end

function views.add_bytes(view, name, bytes)
    views.add(view, name, UInt64.new(bytes % TWO_32, floor(bytes / TWO_32)))
end

-- Flags stand in the tree only when set, so that their bare name is a filter for them, as with tcp.analysis.
function views.show_flags(view, flags)
    local texts = {}
    for _, flag in ipairs(FLAG_NAMES) do
        if has(flags, flag[1]) then
            views.add(view, flag[2], true)
            -- Said already by the word before.
            if flag[1] ~= OUT_OF_ORDER or not has(flags, RETRANSMISSION) then
                texts[#texts + 1] = flag[3]
            end
        end
    end
    if #texts > 0 then
        views.add(view, "flags", table.concat(texts, ", "))
    end
end

function views.note_slow(view, what, ns)
    if settings.slow_ns > 0 and ns >= settings.slow_ns then
        view.tree:add_proto_expert_info(slow_expert, ("%s: after %.3f s"):format(what, ns / 1e9))
    end
end

function views.show_request_frame(view, request, connection)
    if request.p0_frame > 0 then
        views.add(view, "response_in", request.p0_frame)
    end
    if not view.visited then
        return
    end
    local outcome = requests.outcome(request, connection)
    views.add(view, "outcome", outcome)
    if outcome == WAITING then
        views.add_time(view, "waited", max(state.end_ns - request.q0_ns, 0))
    end
    local unanswered = outcome ~= ANSWERED and outcome ~= WAITING and outcome ~= requests.CLOSED_BY_CLIENT
    if unanswered and view.number == request.q0_frame and not requests.tls_role(request) then
        view.tree:add_proto_expert_info(unanswered_expert, "No response: " .. OUTCOMES[outcome])
    end
end

function views.show_first_response(view, request, connection)
    views.add_time(view, "first_byte", requests.first_byte(request))
    views.add_time(view, "service", requests.service(request))
    views.add_time(view, "request_spread", request.q1_ns - request.q0_ns)
    local server_ns = requests.server_time(request, connection)
    if server_ns then
        views.add_time(view, "server_time", server_ns)
    end
    local is_last = connection.request and connection.request.number == request.number
    if not requests.tls_role(request, is_last) then
        views.note_slow(view, "Slow response", requests.first_byte(request))
    end
end

function views.show_response_frame(view, request, connection, first)
    local frame = view.number
    views.add(view, "request_in", request.q0_frame)
    if frame == request.p0_frame then
        views.show_first_response(view, request, connection)
    end
    views.add_time(view, "elapsed", max(view.now_ns - request.q0_ns, 0))
    if frame == request.p0_frame then
        views.add_bytes(view, "request_bytes", request.request_bytes)
    end
    if frame == request.p1_frame and view.visited then
        views.add_time(view, "last_byte", requests.last_byte(request))
        views.add_time(view, "response_spread", request.p1_ns - request.p0_ns)
        views.add_bytes(view, "response_bytes", request.response_bytes)
    end
    if frame < request.q0_frame or view.now_ns < request.q0_ns or (first and request.reordered) then
        views.add(view, "reordered", true)
    end
end

-- Notes what columns can show of a frame: of several the one that went wrong, else the slowest.
function views.note(view, facts)
    local best = view.chosen
    view.requests = (view.requests or 0) + (facts.request and 1 or 0)
    if facts.first_byte then
        view.longest = max(view.longest or facts.first_byte, facts.first_byte)
    end
    local goes_before = not best
    if best and facts.wrong ~= best.wrong then
        goes_before = facts.wrong
    elseif best and facts.first_byte ~= best.first_byte then
        goes_before = (facts.first_byte or -1) > (best.first_byte or -1)
    elseif best then
        goes_before = (facts.elapsed or -1) > (best.elapsed or -1)
    end
    if goes_before then
        view.chosen = facts
    end
end

views.wrong = { [RESET] = true, [CLOSED] = true, [TIMED_OUT] = true }

function views.note_packet(view, request, connection, is_request)
    local facts = { request = request.number, operation = request.operation, status = "", wrong = false }
    if is_request then
        local outcome = view.visited and not requests.tls_role(request) and requests.outcome(request, connection)
        facts.wrong = views.wrong[outcome] or false
        facts.status = facts.wrong and OUTCOMES[outcome] or ""
    else
        facts.elapsed = max(view.now_ns - request.q0_ns, 0)
        if view.number == request.p0_frame then
            facts.first_byte = requests.first_byte(request)
            facts.server_time = requests.server_time(request, connection)
        end
    end
    views.note(view, facts)
end

function views.note_connection(view, connection, kind)
    local facts = { operation = "TCP connect", status = "", wrong = false }
    local unanswered = connection.result == UNANSWERED
    if kind == ITEM_ANSWER and view.number == connection.answer_frame then
        facts.elapsed = connection.connect_ns
        facts.wrong = connection.result ~= ACCEPTED and not unanswered
    elseif kind == ITEM_SYN and view.visited and unanswered then
        facts.wrong = connections.connect_result(connection) ~= CONNECT_WAITING
    end
    facts.status = facts.wrong and CONNECT_RESULTS[connection.result] or ""
    if facts.elapsed or facts.wrong then
        views.note(view, facts)
    end
end

-- Values that a request's own tree shows: these are for columns and filters.
function views.show_columns(view)
    local facts = view.chosen
    if not facts then
        return
    end
    view.tree = nil
    for _, name in ipairs({ "request", "operation", "status" }) do
        if facts[name] and facts[name] ~= "" then
            views.add(view, "frame." .. name, facts[name])
        end
    end
    for _, name in ipairs({ "first_byte", "server_time", "elapsed" }) do
        if facts[name] then
            views.add_time(view, "frame." .. name, facts[name])
        end
    end
    if view.requests > 1 then
        views.add(view, "frame.requests", view.requests)
    end
    if view.longest then
        views.add_time(view, "frame.longest", view.longest)
    end
    view.tree:set_hidden()
end

-- Each request has a tree of its own.
function views.show_packet(view, item)
    local number, spacing_ns, last, delta, flags = item, nil, nil, nil, FIRST
    if type(item) == "string" then
        number, spacing_ns, last, delta, flags = Struct.unpack(PACKET, item)
    end
    local request = requests.at(floor(number / 2))
    local connection = connections.at(request.connection)
    view.tree = nil
    views.note_packet(view, request, connection, number % 2 == 0)
    views.add(view, "request", request.number)
    view.tree:set_text(("Latency: request %d%s"):format(request.number,
        request.operation ~= "" and ", " .. request.operation or ""))
    if request.operation ~= "" then
        views.add(view, "operation", request.operation)
    end
    if number % 2 == 0 then
        views.show_request_frame(view, request, connection)
    else
        views.show_response_frame(view, request, connection, has(flags, FIRST))
    end
    if not has(flags, FIRST) then
        views.add_time(view, "spacing", spacing_ns)
        local run = number % 2 == 0 and request.asking or request.answering
        views.add_bytes(view, "byte_offset", max(last - run.low, 0))
        if has(flags, IPID) then
            views.add(view, "ipid.delta", delta)
        end
        views.show_flags(view, flags)
    end
end

function views.show_unanswered(view, connection)
    if view.visited and connection.result == UNANSWERED then
        views.add(view, "connect.result", connections.connect_result(connection))
        views.add(view, "connect.syn_retries", connection.syn_retries)
        views.add_time(view, "waited", max(state.end_ns - connection.syn_ns, 0))
    end
end

function views.show_answer(view, connection)
    if view.number ~= connection.answer_frame then
        return
    end
    views.add_time(view, "connect.time", connection.connect_ns)
    views.note_slow(view, "Slow to connect", connection.connect_ns)
    views.add(view, "connect.result", connection.result)
    views.add(view, "connect.syn_retries", connection.syn_retries)
    views.add(view, "connect.syn_in", connection.syn_frame)
    if connection.network_server_ns then
        views.add_time(view, "network.server", connection.network_server_ns)
    end
    if connection.answer_frame < connection.syn_frame then
        views.add(view, "reordered", true)
    end
end

function views.show_connection(view, item)
    local kind = -item % 4
    local connection = connections.at((-item - kind) / 4)
    views.note_connection(view, connection, kind)
    if kind == ITEM_SYN then
        views.show_unanswered(view, connection)
    elseif kind == ITEM_ANSWER then
        views.show_answer(view, connection)
    else
        views.add_time(view, "network.client", connection.network_client_ns)
    end
end

function views.show_item(view, item)
    if type(item) == "number" and item < 0 then
        views.show_connection(view, item)
    else
        views.show_packet(view, item)
    end
end

-- `again`: the frame was taken on an earlier visit, so that what came after it is known.
function views.show_frame(tree, number, time_ns, again)
    local shown, messages_shown = state.frames[number], state.channel_frames[number]
    if shown == nil and messages_shown == nil then
        return
    end
    local view = { parent = tree, number = number, now_ns = time_ns, visited = again }
    if type(shown) == "table" then
        for i = 1, #shown do
            views.show_item(view, shown[i])
        end
    elseif shown then
        views.show_item(view, shown)
    end
    views.show_columns(view)
    for i = 1, messages_shown and #messages_shown or 0 do
        views.show_channel(view, messages_shown[i])
    end
end

-- Each message has a tree of its own.
function views.show_channel(view, item)
    local channel = circuits.channel_at(floor(item / 2))
    local answers = item % 2 == 1
    view.tree = view.parent:add(latency)
    view.tree:set_text(("EPICS Channel Access (Lua), %s, %s"):format(answers and "create answered" or "CREATE_CHAN",
        channel.pv))
    view.tree:set_generated()
    views.add(view, "ca.pv", channel.pv)
    if answers then
        views.add(view, "ca.request_in", channel.request_frame)
        views.add_time(view, "ca.time", max(channel.answer_ns - channel.request_ns, 0))
        views.add(view, "ca.result", channel.result)
    elseif channel.result ~= CREATE_WAITING then
        views.add(view, "ca.response_in", channel.answer_frame)
    elseif view.visited then
        local result = circuits.result(channel)
        views.add(view, "ca.result", result)
        if result == CREATE_UNANSWERED then
            views.add(view, "ca.reason", circuits.has_timed_out(channel) and 0 or 1)
        end
    end
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables: what tshark prints at the end, and windows of Wireshark's show
-- ---------------------------------------------------------------------------------------------------------------------

-- Addresses as Wireshark shows them, by name where it resolves names.
function tables.address(bytes)
    if #bytes == 4 then
        return tostring(Address.ip(("%d.%d.%d.%d"):format(bytes:byte(1, 4))))
    elseif #bytes == 16 then
        local groups = { Struct.unpack(">I2I2I2I2I2I2I2I2", bytes) }
        groups[9] = nil
        return tostring(Address.ipv6(("%x:%x:%x:%x:%x:%x:%x:%x"):format(table.unpack(groups))))
    end
    return bytes -- it is a name
end

-- Of names anything may come: of the capture's own, too. The tables' separator does not.
function tables.address_name(bytes)
    return (tables.address(bytes):gsub("[^!-~]", "?"):gsub("|", "?"))
end

function tables.endpoint_name(address, port)
    local name = tables.address_name(address)
    return (name:find(":", 1, true) and "[%s]:%d" or "%s:%d"):format(name, port)
end

-- Five digits, down to the microsecond.
function tables.time(ns)
    if not ns then
        return "-"
    end
    local ms = ns / 1e6
    local format = ms < 99.9995 and "%.3f" or ms < 999.995 and "%.2f" or ms < 9999.95 and "%.1f" or "%.0f"
    return format:format(ms)
end

function tables.count(number)
    return ("%.0f"):format(number)
end

-- Seconds since the capture's first frame.
function tables.moment(ns)
    local since = ns - (state.start_ns or 0)
    local size = math.abs(since)
    return ("%s%d.%06d"):format(since < 0 and "-" or "", floor(size / 1e9), floor(size % 1e9 / 1e3))
end

function tables.sum(values)
    local sum = 0
    for i = 1, #values do
        sum = sum + values[i]
    end
    return sum
end

function tables.mean(values)
    return #values > 0 and tables.sum(values) / #values or nil
end

-- The sample's: n - 1. nil for one value.
function tables.deviation(values, mean)
    if #values < 2 then
        return nil
    end
    local squares = 0
    for i = 1, #values do
        squares = squares + (values[i] - mean) ^ 2
    end
    return math.sqrt(squares / (#values - 1))
end

-- At rank p·(n - 1), between the closest two linearly. `sorted` is.
function tables.percentile(sorted, fraction)
    local rank = fraction * (#sorted - 1)
    local below = floor(rank)
    local value = sorted[below + 1]
    if rank > below then
        value = value + (rank - below) * (sorted[below + 2] - value)
    end
    return value
end

local PERCENTILES = { 0, 0.25, 0.5, 0.75, 0.95, 0.99, 1 }

-- Mean, standard deviation, and percentiles from the least to the most, as texts: those of pandas' describe().
function tables.describe(values)
    table.sort(values)
    local mean = tables.mean(values)
    local cells = { tables.time(mean), tables.time(tables.deviation(values, mean)) }
    for _, fraction in ipairs(PERCENTILES) do
        cells[#cells + 1] = tables.time(#values > 0 and tables.percentile(values, fraction) or nil)
    end
    return table.unpack(cells)
end

local DESCRIPTION = "Mean\nms|Std\nms|Min\nms|p25\nms|p50\nms|p75\nms|p95\nms|p99\nms|Max\nms"

-- By server, in the order of the first of each.
function tables.group_of(groups, address, port, new)
    local key = address .. Struct.pack(">I2", port)
    local group = groups[key]
    if not group then
        group = new()
        group.address, group.port = address, port
        groups[key], groups[#groups + 1] = group, group
    end
    return group
end

-- What kept its clients waiting longest, all in all, comes first; what did so equally long, by its name.
function tables.sort_groups(groups)
    table.sort(groups, function(a, b)
        if a.weight ~= b.weight then
            return a.weight > b.weight
        end
        return tables.endpoint_name(a.address, a.port) < tables.endpoint_name(b.address, b.port)
    end)
end

function tables.plural(count, one, more)
    return ("%d %s"):format(count, count == 1 and one or more)
end

-- What tables do not count; nothing if there is none.
function tables.left_out(...)
    local texts = {}
    for _, kind in ipairs({ ... }) do
        if kind[1] > 0 then
            texts[#texts + 1] = tables.plural(kind[1], kind[2], kind[3])
        end
    end
    return #texts > 0 and "Left out: " .. table.concat(texts, ", ") .. ".\n" or ""
end

function tables.left_out_segments()
    return { state.duplicates, "second copy of a frame", "second copies of a frame" }, { state.unread,
        "TCP segment without a whole header, or a time", "TCP segments without a whole header, or a time" }
end

function tables.tls_turns(count)
    return count.handshake + count.alert > 0 and ("Not counted as requests: %s, %s.\n"):format(
        tables.plural(count.handshake, "TLS handshake", "TLS handshakes"),
        tables.plural(count.alert, "TLS alert", "TLS alerts")) or ""
end

function tables.absence_of_tcp()
    return state.has_tcp and "" or state.last_number > 0 and "The capture has no TCP.\n"
        or "The capture has no packets.\n"
end

function tables.absence_of_requests(rows)
    if state.has_tcp and not state.has_payload and #rows == 0 then
        return "No packet carries data; -z latency,connects says what became of the connections.\n"
    end
    return tables.absence_of_tcp()
end

local function new_server()
    return { requests = 0, in_tls = 0, farewells = 0, waiting = 0, bytes = 0,
        first_byte = {}, server_time = {}, last_byte = {} }
end

function tables.take_request(group, request, connection)
    group.requests = group.requests + 1
    group.in_tls = group.in_tls + (request.operation:find("^TLS ") and 1 or 0)
    if request.p0_frame == 0 then
        group.farewells = group.farewells + (request.is_farewell and 1 or 0)
        group.waiting = group.waiting + (requests.outcome(request, connection) == WAITING and 1 or 0)
        return
    end
    group.first_byte[#group.first_byte + 1] = requests.first_byte(request)
    group.last_byte[#group.last_byte + 1] = requests.last_byte(request)
    group.server_time[#group.server_time + 1] = requests.server_time(request, connection)
    group.bytes = group.bytes + request.response_bytes
end

-- The last request of each connection.
function tables.last_requests()
    local last = {}
    for number = 1, #state.requests do
        last[requests.at(number).connection] = number
    end
    return last
end

function tables.group_requests()
    local groups, last, roles = {}, tables.last_requests(), {}
    groups.tls = { handshake = 0, alert = 0 }
    for number = 1, #state.requests do
        local request = requests.at(number)
        local role = requests.tls_role(request, last[request.connection] == number)
        if role and not (role == "handshake" and roles[request.connection] == role) then
            groups.tls[role] = groups.tls[role] + 1
        elseif not role then
            local connection = connections.at(request.connection)
            local group = tables.group_of(groups, connection.server_address, connection.server_port, new_server)
            tables.take_request(group, request, connection)
        end
        roles[request.connection] = role
    end
    for _, group in ipairs(groups) do
        group.weight = tables.sum(group.first_byte)
    end
    tables.sort_groups(groups)
    return groups
end

function tables.summarize_requests(groups)
    local asked, answered, farewells, waiting, with_server_time, in_tls = 0, 0, 0, 0, 0, 0
    for _, group in ipairs(groups) do
        asked = asked + group.requests
        in_tls = in_tls + group.in_tls
        farewells = farewells + group.farewells
        waiting = waiting + group.waiting
        answered = answered + #group.first_byte
        with_server_time = with_server_time + #group.server_time
    end
    local missing = answered - with_server_time
    local awaited = waiting > 0 and (", %d waiting"):format(waiting) or ""
    local closed = farewells > 0 and (", %d closed by client"):format(farewells) or ""
    local by_turns = asked > 0 and ("; %d by turns (pipelined ones count as one)"):format(asked) or ""
    by_turns = by_turns .. (in_tls > 0 and (", %d of them in TLS that is not decrypted"):format(in_tls) or "")
    local lacking = missing > 0
        and ("; %d without server time, for no handshake was captured"):format(missing) or ""
    return ("%s, %d answered, %d unanswered%s%s%s%s.\n"):format(tables.plural(asked, "request", "requests"), answered,
        asked - answered - farewells - waiting, awaited, closed, by_turns, lacking)
end

-- Answers are not read: of turns nobody knows an error.
function tables.servers()
    local rows, groups = {}, tables.group_requests()
    for _, group in ipairs(groups) do
        local last_byte, server_time = tables.mean(group.last_byte), tables.mean(group.server_time)
        local unanswered = group.requests - #group.first_byte - group.farewells - group.waiting
        local row = { tables.endpoint_name(group.address, group.port), tables.count(group.requests),
            tables.count(unanswered), "0", tables.describe(group.first_byte) }
        row[#row + 1] = tables.time(server_time)
        row[#row + 1] = tables.count(#group.server_time)
        row[#row + 1] = tables.time(last_byte)
        row[#row + 1] = tables.count(group.bytes)
        rows[#rows + 1] = row
    end
    return {
        title = "Latency: Servers: time to first byte (TTFB), from a request's first byte to its response's",
        notes = tables.summarize_requests(groups) .. tables.left_out({ state.unsolicited,
            "frame that a server sent unasked", "frames that a server sent unasked" }, tables.left_out_segments())
            .. tables.tls_turns(groups.tls) .. tables.absence_of_requests(rows),
        columns = "<Server\n|Requests\n|No\nanswer|Errors\n|" .. DESCRIPTION
            .. "|Server\ntime ms|Of\n|Last\nbyte ms|Bytes\n",
        rows = rows,
    }
end

function tables.connects()
    local rows, counts = {}, { [0] = 0, 0, 0, 0, 0 }
    for number = 1, #state.attempts do
        local attempt = connections.at(state.attempts[number])
        local result = connections.connect_result(attempt)
        counts[result] = counts[result] + 1
        -- What names processes, Lua does not see.
        rows[number] = { tables.moment(attempt.syn_ns), "-", "-", attempt.ipv6 and "6" or "4",
            tables.address_name(attempt.client_address), tables.address_name(attempt.server_address),
            tables.count(attempt.server_port), tables.time(attempt.connect_ns), CONNECT_RESULTS[result] }
    end
    local awaited = counts[CONNECT_WAITING] > 0 and (", %d waiting"):format(counts[CONNECT_WAITING]) or ""
    return {
        title = "Latency: Connection Attempts: from the first SYN to its first answer",
        notes = ("%s: %d accepted, %d refused, %d unreachable, %d unanswered%s.\n"):format(
            tables.plural(#rows, "attempt", "attempts"), counts[ACCEPTED], counts[REFUSED], counts[UNREACHABLE],
            counts[UNANSWERED], awaited) .. tables.left_out(tables.left_out_segments()) .. tables.absence_of_tcp(),
        columns = "Time\n|<PID\n|<Command\n|IP\n|<Source\n|<Destination\n|Port\n|Latency\nms|<Result\n",
        rows = rows,
    }
end

local function new_channel_server()
    return { channels = 0, failed = 0, waiting = 0, weight = 0, create = {}, tcp_connect = {}, hello = {} }
end

function tables.take_circuit(groups, circuit)
    if not circuit.hello_ns and not circuit.asked then
        return
    end
    local group = tables.group_of(groups, circuit.address, circuit.port, new_channel_server)
    local syn, syn_ack, hello = circuit.syn_ns, circuit.syn_ack_ns, circuit.hello_ns
    group.tcp_connect[#group.tcp_connect + 1] = syn and syn_ack and max(syn_ack - syn, 0)
    group.hello[#group.hello + 1] = syn_ack and hello and max(hello - syn_ack, 0)
end

function tables.take_channel(group, channel)
    group.channels = group.channels + 1
    if channel.result == CREATE_WAITING then
        group.waiting = group.waiting + (circuits.result(channel) == CREATE_WAITING and 1 or 0)
        return
    end
    local create_ns = max(channel.answer_ns - channel.request_ns, 0)
    group.weight = group.weight + create_ns
    if channel.result == CREATE_OK then
        group.create[#group.create + 1] = create_ns
    else
        group.failed = group.failed + 1
    end
end

function tables.group_channels()
    local groups = {}
    for _, circuit in ipairs(state.circuits) do
        tables.take_circuit(groups, circuit)
    end
    for number = 1, #state.channels do
        local channel = circuits.channel_at(number)
        local circuit = state.circuits[channel.circuit]
        tables.take_channel(tables.group_of(groups, circuit.address, circuit.port, new_channel_server), channel)
    end
    tables.sort_groups(groups)
    return groups
end

function tables.summarize_channels(groups)
    local asked, created, failed, waiting = 0, 0, 0, 0
    for _, group in ipairs(groups) do
        asked, created, failed = asked + group.channels, created + #group.create, failed + group.failed
        waiting = waiting + group.waiting
    end
    local awaited = waiting > 0 and (", %d waiting"):format(waiting) or ""
    local orphans = state.orphans > 0 and ("Not counted: %s whose request is not in the capture.\n"):format(
        tables.plural(state.orphans, "channel", "channels")) or ""
    local total = ("%s: %d created, %d failed, %d unanswered%s.\n"):format(
        tables.plural(asked, "channel", "channels"), created, failed, asked - created - failed - waiting, awaited)
    return total .. "Means: TCP, from SYN to SYN-ACK; Hello, from there to VERSION.\n" .. orphans
end

tables["ca-servers"] = function()
    local rows, groups = {}, tables.group_channels()
    for _, group in ipairs(groups) do
        local row = { tables.endpoint_name(group.address, group.port), tables.count(group.channels),
            tables.count(group.failed), tables.count(group.channels - group.failed - #group.create - group.waiting),
            tables.count(#group.create), tables.describe(group.create) }
        row[#row + 1] = tables.time(tables.mean(group.tcp_connect))
        row[#row + 1] = tables.time(tables.mean(group.hello))
        rows[#rows + 1] = row
    end
    return {
        title = "Channel Access: Servers: from CREATE_CHAN to the answer, of channels that were created",
        notes = tables.summarize_channels(groups),
        columns = "<Server\n|Channels\n|Fail\n|No\nanswer|OK\n|" .. DESCRIPTION .. "|TCP\nms|Hello\nms",
        rows = rows,
    }
end

-- Head lines, widths, and which columns are flush left.
function tables.layout(columns)
    local layout = { first = {}, second = {}, widths = {}, left = {} }
    for column in columns:gmatch("[^|]+") do
        local mark, first, second = column:match("^(<?)([^\n]*)\n(.*)$")
        local i = #layout.first + 1
        layout.first[i], layout.second[i], layout.left[i] = first, second, mark == "<"
        layout.widths[i] = max(#first, #second)
    end
    return layout
end

function tables.line(layout, cells)
    local texts = {}
    for i = 1, #cells do
        local padding = (" "):rep(layout.widths[i] - #cells[i])
        local last = i == #cells
        texts[i] = layout.left[i] and cells[i] .. (last and "" or padding) or padding .. cells[i]
    end
    return table.concat(texts, "|")
end

-- As tshark prints that of the compiled plugin.
function tables.text(name)
    local made = tables[name]()
    local layout = tables.layout(made.columns)
    for _, row in ipairs(made.rows) do
        for i = 1, #row do
            layout.widths[i] = max(layout.widths[i], #row[i])
        end
    end
    local lines = { tables.line(layout, layout.first), tables.line(layout, layout.second) }
    for _, row in ipairs(made.rows) do
        lines[#lines + 1] = tables.line(layout, row)
    end
    return made.title .. "\n" .. made.notes .. "Filter: none\n" .. table.concat(lines, "\n") .. "\n"
end

local TABLES = {
    ["servers"] = "Servers",
    ["connects"] = "Connection Attempts",
    ["ca-servers"] = "Channel Access Servers",
}

-- tshark: -X lua_script1:servers,connects has them printed when the capture has been read.
function tables.print_at_the_end(names)
    local asked = {}
    for name in names:gmatch("[^,%s]+") do
        if TABLES[name] then
            asked[#asked + 1] = name
        else
            report_failure(("latency.lua has no table '%s', but servers, connects and ca-servers."):format(name))
        end
    end
    local listener = #asked > 0 and Listener.new("frame")
    if listener then
        function listener.draw()
            for _, name in ipairs(asked) do
                guarded(function() io.stdout:write("\n", tables.text(name)) end)
            end
        end
    end
end

-- Wireshark: Tools > Latency.
function tables.open_window(name)
    local window = TextWindow.new("Latency: " .. TABLES[name])
    local function fill()
        guarded(function() window:set(tables.text(name)) end)
    end
    window:add_button("Refresh", fill)
    fill()
end

function tables.add_menu()
    for _, name in ipairs({ "servers", "connects", "ca-servers" }) do
        register_menu("Latency/" .. TABLES[name], function() guarded(tables.open_window, name) end, MENU_TOOLS_UNSORTED)
    end
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Where Wireshark calls
-- ---------------------------------------------------------------------------------------------------------------------

local itself -- as a dissector, whose fields somebody may look at

local function visit(frame, pinfo, tree)
    local number, time_ns = pinfo.number, time_of_frame()
    -- Without a tree there is nothing to be taken: see lua-compat/README.md for the first pass of tshark -2.
    local due = (time_ns or find_tcp()) and is_due(pinfo, number, time_ns)
    if due then
        take_frame(frame, pinfo, number, time_ns)
    end
    -- Nobody may be looking: no tree that is printed, no column, no filter with one of our fields.
    if tree:referenced(itself) then
        views.show_frame(tree, number, time_ns, not due)
    end
end

local is_ready = false

function latency.dissector(frame, pinfo, tree)
    if is_ready then
        guarded(visit, frame, pinfo, tree)
    end
    return 0 -- the frame's list of protocols stays what it was
end

local function begin_capture()
    state = new_state()
    read_settings()
end

begin_capture()

-- Called before each reading of a capture. When Lua plugins are loaded anew, Wireshark visits the frames on the screen
-- before it begins to read the capture again; until then no field can be looked up.
function latency.init()
    is_ready = true
    begin_capture()
end

register_postdissector(latency)
itself = Dissector.get("latency")

if gui_enabled() then
    tables.add_menu()
end
for _, names in ipairs(wanted) do
    tables.print_at_the_end(names)
end
_G.latency_lua = tables -- for this file, when it is loaded again; without `_G.` only this script of 4.0 has it
