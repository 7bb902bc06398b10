-- 2. Fields and preferences, and what is known of a capture

local latency = Proto("latency", "Latency (Lua)")

-- Of headers only the places are taken: what they say is read from the bytes.
local find_frame_time, find_tcp = Field.new("frame.time_epoch"), Field.new("tcp")
local find_ip, find_ipv6 = Field.new("ip"), Field.new("ipv6")
local find_icmp, find_icmpv6 = Field.new("icmp"), Field.new("icmpv6")

-- Name (after "latency." but for those of Channel Access), kind, label, blurb, and what numbers mean or frames are.
local FIELDS = {
    { "request", "uint32", "Request", "Number of the request in the capture, from 1" },
    { "operation", "string", "Operation", "What the request asks for" },
    { "response_in", "framenum", "Response in", "First frame of the response", frametype.RESPONSE },
    { "request_in", "framenum", "Request in", "First frame of the request", frametype.REQUEST },
    { "first_byte", "time", "Time to first byte", "From the request's first frame to the response's first" },
    { "service", "time", "Service", "From the request's last frame to the response's first" },
    { "request_spread", "time", "Request spread", "From the request's first frame to its last" },
    { "server_time", "time", "Server time", "Service minus the RTT to the server, as the handshake shows it" },
    { "elapsed", "time", "Elapsed", "From the request's first frame to this one" },
    { "last_byte", "time", "Last byte", "From the request's first frame to the response's last" },
    { "transfer", "time", "Transfer", "From the response's first frame to its last" },
    { "request_bytes", "uint64", "Request bytes", "Payload of the request, each byte counted once" },
    { "response_bytes", "uint64", "Response bytes", "Payload of the response, each byte counted once" },
    { "frame.request", "uint32", "Request", "Number of the frame's request" },
    { "frame.operation", "string", "Operation", "What that request asks for" },
    { "frame.status", "string", "Status", "Why there is no response" },
    { "frame.duration", "time", "Duration", "Duration of that request, on its response's last frame" },
    { "frame.first_byte", "time", "Time to first byte", "Time to first byte of that request" },
    { "frame.server_time", "time", "Server time", "Server time of that request" },
    { "frame.duration_ms", "double", "Duration (ms)" }, { "frame.first_byte_ms", "double", "Time to first byte (ms)" },
    { "frame.server_time_ms", "double", "Server time (ms)" },
    { "outcome", "uint8", "Outcome", "Whether the request was answered, or why not", OUTCOMES },
    { "waited", "time", "Waited", "From the request's first frame, or the first SYN, to the capture's latest" },
    { "reordered", "bool", "Reordered", "Captured before what it answers: a time that would be negative is 0" },
    { "spacing", "time", "Spacing", "Since the previous frame with payload of the same request or response" },
    { "byte_offset", "uint64", "Byte offset", "From the request's or response's first byte to the end of this frame" },
    { "ipid.delta", "int16", "IP ID delta", "IP ID minus the expected one" },
    { "flags", "string", "Flags", "The names of the flags that are set, except latency.flags.short" },
    { "flags.ipid_gap", "bool", "IP ID gap", "IP IDs of this sender are missing before this frame" },
    { "flags.out_of_order", "bool", "Out of order", "Does not begin at the next expected sequence number" },
    { "flags.retransmission", "bool", "Retransmission", "All of its bytes were seen before" },
    { "flags.short", "bool", "Short", "Smaller than a full segment" },
    { "flags.after_short", "bool", "After short", "The frame before was short: its sender had no more data" },
    { "flags.chunk_boundary", "bool", "Chunk boundary", "Begins at a multiple of the chunk size" },
    { "connect.time", "time", "Connect time", "From the first SYN to its answer" },
    { "connect.result", "uint8", "Connect result", "How the connection attempt ended", CONNECT_RESULTS },
    { "connect.syn_retries", "uint32", "SYN retries", "How often the SYN was sent again before the answer" },
    { "connect.syn_in", "framenum", "SYN in", "The first SYN", frametype.REQUEST },
    { "network.server", "time", "RTT to server", "From the last SYN to the SYN-ACK: capture point to server and back" },
    { "network.client", "time", "RTT to client", "From the SYN-ACK to its ACK: capture point to client and back" },
    -- Beside those of cashark's ca.lua, of which one has the same name.
    { "ca.pv", "string", "Channel", "Name of the channel that the message is about" },
    { "ca.create.time", "time", "Create time", "From CREATE_CHAN to its answer" },
    { "ca.create.result", "uint8", "Create result", "How the request to create the channel ended", CREATE_RESULTS },
    { "ca.create.reason", "uint8", "Reason", "Why the request was not answered", CREATE_REASONS },
    { "ca.create.request_in", "framenum", "Create request in", "The request that this answers", frametype.REQUEST },
    { "ca.create.response_in", "framenum", "Create response in", "The answer to this message", frametype.RESPONSE },
    -- Never there, as nobody knows of them here: for columns, colours and filters that name them.
    { "status", "string", "Status" },
    { "error", "bool", "Error" }, { "streaming", "bool", "Streaming" }, { "long_poll", "bool", "Long poll" },
    { "frame.requests", "uint32", "Requests" }, { "ca.command", "uint16", "Command" },
}

local fields = {}

for _, row in ipairs(FIELDS) do
    local short, kind, label, blurb, more = table.unpack(row)
    local name = short:find("^ca%.") and short or "latency." .. short
    if kind == "time" or kind == "double" then
        fields[short] = ProtoField[kind == "time" and "relative_time" or kind](name, label, blurb)
    elseif kind == "bool" then
        fields[short] = ProtoField.bool(name, label, base.NONE, nil, nil, blurb)
    elseif kind == "string" then
        fields[short] = ProtoField.string(name, label, base.NONE, blurb)
    elseif kind == "framenum" then
        fields[short] = ProtoField.framenum(name, label, base.NONE, more, 0, blurb)
    else
        fields[short] = ProtoField[kind](name, label, base.DEC, more, nil, blurb)
    end
end
latency.fields = fields

local function new_expert(name, text)
    return ProtoExpert.new("latency." .. name, text, expert.group.SEQUENCE, expert.severity.NOTE)
end
local slow_expert, unanswered_expert = new_expert("slow", "Slow"), new_expert("unanswered", "Request without response")
latency.experts = { slow_expert, unanswered_expert, new_expert("truncated", "The response ends before its length"),
    new_expert("connect.failed", "Not connected"), new_expert("connect.unanswered", "SYN unanswered") } -- never there

local prefs = latency.prefs
prefs.server_ports = Pref.range("Server ports", "", "TCP ports of servers, for connections whose start was not "
    .. "captured: 80,8000-8999. Else the port that Wireshark knows is the server's, or the lower one.", 65535)
prefs.chunk_size = Pref.uint("Chunk size (bytes)", 9000, "Packets that begin at a multiple of this many bytes in "
    .. "their response get the flag latency.flags.chunk_boundary. 0: none does.")
prefs.slow = Pref.uint("Slow from (milliseconds)", 100, "What takes at least this long is slow. A response up to "
    .. "its last byte, and the answer to a SYN, then get the expert item latency.slow, which the profiles' colours and "
    .. "buttons use. 0: nothing is slow.")
prefs.ca_ports = Pref.range("Channel Access ports", "5064", "TCP ports of EPICS Channel Access servers. On other "
    .. "ports a connection is recognised by its first bytes.", 65535)

-- Reads a range as Wireshark writes it.
local function read_range(text)
    local range = {}
    for from, to in text:gmatch("(%d+)%-?(%d*)") do
        range[#range + 1] = { tonumber(from), tonumber(to) or tonumber(from) }
    end
    return range
end

local function is_in(range, value)
    for i = 1, #range do
        if range[i][1] <= value and value <= range[i][2] then return true end
    end
    return false
end

local settings

local function read_settings()
    settings = {
        server_ports = read_range(prefs.server_ports), ca_ports = read_range(prefs.ca_ports),
        chunk_bytes = prefs.chunk_size, slow_ns = prefs.slow * 1e6,
    }
end

latency.prefs_changed = read_settings

-- Whatever a later visit of a frame needs.
local state

local function new_state()
    return {
        connections = {}, requests = {}, circuits = {}, channels = {}, -- by number
        by_key = {}, -- connections that have not been replaced, by their endpoints
        attempts = {}, -- connections, by the number of the attempt to connect
        frames = {}, -- by frame number: what it shows (see items.note)
        channel_frames = {}, -- by frame number: numbers of channels asked for (times 2), or answered (and 1)
        ended = { first = 1, last = 0 }, -- connections in the order of their end
        end_ns = -huge, last_number = 0, -- the latest time of any frame, and the number of the last that was taken
        duplicates = 0, unread = 0, pushes = {}, overtaken = 0, orphans = 0, -- what tables leave out
        has_tcp = false, has_payload = false,
    }
end
