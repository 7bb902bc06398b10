-- 10. Frames: taken once each, in the order of the capture, and shown whenever Wireshark calls

local function take_segment(segment)
    local connection, from = connections.of(segment)
    local sender, flags = connection[from], segment.flags
    if connections.is_duplicate(sender, segment) then
        state.duplicates = state.duplicates + 1
        return
    end
    connections.shake_hands(connection, segment, from)
    local delta = not SYN[flags] and not RST[flags] and continuity.take(sender, segment) or nil
    if ACK[flags] then sender.is_full = segment.window == 0 and not RST[flags] end
    turns.take(connection, from, segment, delta)
    circuits.take_segment(connection, from, segment)
    connections.close(connection, from, segment)
end

-- ICMP messages that say that what they quote did not arrive: RFC 792 types 3, 11, 12, RFC 4443 types 1, 3.
local UNDELIVERED = { [4] = { [3] = true, [11] = true, [12] = true }, [16] = { [1] = true, [3] = true } }

-- Takes what an ICMP message quotes: it may answer a SYN. Its type stands 8 bytes before the quoted IP header.
local function take_quoted(quoted)
    local at, of_type = quoted.ip_at, UNDELIVERED[#quoted.source]
    if #quoted.header < 8 or not at or at < 8 or not of_type or not of_type[quoted.buffer:raw(at - 8, 1):byte()] then
        return
    end
    local connection, from = connections.find(connections.key(quoted))
    if connection and connection.attempt and connection.result == UNANSWERED and from == connection.client
        and Struct.unpack(">I4", quoted.header, 5) == connection[from].isn
        and not connections.is_over(connection, quoted.time_ns) then
        connections.answer_attempt(connection, UNREACHABLE, quoted)
    end
end

-- Takes the TCP headers of a frame.
local function take_places(pinfo, number, time_ns, ...)
    for i = 1, select("#", ...) do
        local segment = segments.at(select(i, ...), pinfo)
        segment.frame, segment.time_ns = number, time_ns
        if segment.quoted and time_ns then
            take_quoted(segment)
        elseif not segment.quoted and time_ns and segments.read(segment) then
            state.has_tcp, state.has_payload = true, state.has_payload or segment.payload_bytes > 0
            take_segment(segment)
        elseif not segment.quoted then
            state.has_tcp, state.unread = true, state.unread + 1
        end
    end
end

-- Returns nanoseconds since the second of the capture's first frame: a number of Lua 5.2 holds them for 104 days, but
-- not those since 1970. nil for a frame without a time.
local function time_of_frame()
    local time = find_frame_time()
    if not time then return nil end
    time = time.value
    state.first_second = state.first_second or time.secs
    return (time.secs - state.first_second) * 1e9 + time.nsecs
end

-- Whether the frame has not been taken. tshark -R gives a frame that it drops and the next the same number.
local function is_due(pinfo, number, time_ns)
    if number > state.last_number then return true end
    if number < state.last_number or pinfo.visited or time_ns == state.last_frame_ns then return false end
    state.frames[number] = nil
    return true
end

local itself -- as a dissector, whose fields somebody may look at
local is_ready = false

local function visit(pinfo, tree)
    local number, time_ns = pinfo.number, time_of_frame()
    -- Without a tree there is nothing to be taken: see lua-compat/README.md for the first pass of tshark -2.
    local due = (time_ns or find_tcp()) and is_due(pinfo, number, time_ns)
    if due then
        state.last_number, state.last_frame_ns, state.start_ns = number, time_ns, state.start_ns or time_ns
        state.end_ns = max(state.end_ns, time_ns or -huge)
        take_places(pinfo, number, time_ns, find_tcp())
        if time_ns then connections.retire_ended(time_ns) end
    end
    -- Nobody may be looking: no tree that is printed, no column, no filter with one of our fields.
    if (state.frames[number] or state.channel_frames[number]) and tree:referenced(itself) then
        views.show_frame(tree, number, time_ns, not due)
    end
end

function latency.dissector(_, pinfo, tree)
    if is_ready then guarded(visit, pinfo, tree) end
    return 0 -- the frame's list of protocols stays what it was
end

state = new_state()
read_settings()

-- Called before each reading of a capture. When Lua plugins are loaded anew, Wireshark visits the frames on the screen
-- before it begins to read the capture again; until then no field can be looked up.
function latency.init()
    is_ready, state = true, new_state()
    read_settings()
end

register_postdissector(latency)
itself = Dissector.get("latency")

for _, names in ipairs(wanted) do
    tables.print_at_the_end(names)
end
_G.latency_lua = tables -- for this script, when it is loaded again; without `_G.` only this one of 4.0 has it
