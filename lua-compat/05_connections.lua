-- 5. Connections: who is the client, how long the handshake took, and when it ends

local RECENT_FRAMES, DUPLICATE_WITHIN_NS = 8, 10000000
local END_WINDOW = 2 ^ 24 -- from the sender's next byte to FIN or RST; an old connection's lie anywhere
local DEFAULT_MSS_IPV4, DEFAULT_MSS_IPV6 = 536, 1220 -- of a host that announces none: RFC 9293, section 3.7.1
local FIRST_RETRY_NS = 1e9 -- after so long without an answer a client sends its SYN again
local LINGERS_NS = 120e9 -- so long after its end a connection is remembered for stray segments
local FAREWELL_NS = 10000000 -- who closes so soon after asking awaits no answer

local registered_ports = DissectorTable.get("tcp.port")

-- Returns how likely a port is the server's; the higher wins: of equally likely ones the lower port.
local function likelihood(port)
    local is_known = registered_ports:get_dissector(port) or is_in(settings.ca_ports, port)
    return (is_in(settings.server_ports, port) and 2 or is_known and 1 or 0) * TWO_31 - port
end

function connections.new_sender(address, port)
    return {
        address = address, port = port,
        largest = 0, -- payload
        steps = 0, constant = 0, swapped = 0, random = 0, -- of IP IDs
        recent = {}, -- times of the last frames by their names, which stand in [1] to [8]
        next_recent = 1,
    }
end

-- Returns what tells one direction of a connection from all others.
function connections.key(segment)
    return segment.source .. segment.destination .. segment.header:sub(1, 4)
end

function connections.begin(segment, key)
    local ports = segment.header:sub(3, 4) .. segment.header:sub(1, 2)
    local connection = { number = #state.connections + 1, ipv6 = #segment.source ~= 4,
        key = key, key_back = segment.destination .. segment.source .. ports, -- of each direction
        client = likelihood(segment.sport) > likelihood(segment.dport) and 2 or 1, -- until a SYN tells
        last_ns = segment.time_ns,
        syn_retries = 0, syns_refused = 0, result = UNANSWERED,
        requests = {}, -- the last of them
        connections.new_sender(segment.source, segment.sport),
        connections.new_sender(segment.destination, segment.dport),
    }
    state.connections[connection.number] = connection
    state.by_key[key], state.by_key[connection.key_back] = connection, connection
    return connection
end

function connections.server(connection)
    return connection[3 - connection.client]
end

-- Returns the connection that has this key, and the index of the segment's sender; nil if there is none.
function connections.find(key)
    local connection = state.by_key[key]
    return connection, connection and (connection.key == key and 1 or 2)
end

function connections.has_ended(connection)
    return connection.reset or connection[1].fin and connection[2].fin
end

-- Whether it has ended, and nothing has come of it for so long that what comes now is another one's.
function connections.is_over(connection, now_ns)
    return connection.over and now_ns - connection.last_ns >= LINGERS_NS
end

-- Members of a connection that it and its requests show when nothing more comes of it.
local KEPT = { "number", "client", "connect_ns", "network_server_ns", "network_client_ns", "syn_ns", "syn_frame",
    "answer_frame", "syn_retries", "syn_ack_ns", "result", "reset", "replaced", "ipv6", "over" }

-- Forgets what only further segments need.
function connections.retire(connection)
    local kept = {}
    for i, each in ipairs(connection) do kept[i] = { address = each.address, port = each.port, fin = each.fin } end
    for _, name in ipairs(KEPT) do kept[name] = connection[name] end
    state.connections[connection.number] = kept
    if connection.attempt then state.attempts[connection.attempt] = kept end
    if connection.circuit then circuits.retire(connection.circuit, kept) end
    if state.by_key[connection.key] == connection then
        state.by_key[connection.key], state.by_key[connection.key_back] = nil, nil
    end
end

function connections.retire_ended(now_ns)
    local ended = state.ended
    while ended.first <= ended.last and connections.is_over(ended[ended.first], now_ns) do
        local connection = ended[ended.first]
        ended[ended.first] = nil
        ended.first = ended.first + 1
        if state.connections[connection.number] == connection then connections.retire(connection) end
    end
end

-- Returns the segment's connection, and its sender's index. A SYN begins another one, and so does, after the end, a
-- SYN-ACK that does not answer the connection's own.
function connections.of(segment)
    local key = connections.key(segment)
    local connection, from = connections.find(key)
    if not connection then return connections.begin(segment, key), 1 end
    local isn, client = SYN[segment.flags] and connection[from].isn, connection[connection.client]
    if isn and isn ~= segment.seq and (not ACK[segment.flags] or connections.has_ended(connection)
        and not (connection.attempt and connections.acknowledges_syn(connection, segment, client.seq_next)))
        or connections.is_over(connection, segment.time_ns) then
        connection.replaced = true
        connections.retire(connection)
        return connections.begin(segment, key), 1
    end
    connection.last_ns = max(connection.last_ns, segment.time_ns)
    return connection, from
end

-- Whether the sender's frame has been captured just before; else remembers it.
function connections.is_duplicate(sender, segment)
    local name = segment.header .. (segment.ip_id or "") .. ":" .. segment.payload_bytes
    local recent, before_ns = sender.recent, sender.recent[name]
    if before_ns and math.abs(segment.time_ns - before_ns) <= DUPLICATE_WITHIN_NS then return true end
    local at = sender.next_recent
    if sender[at] and sender[at] ~= name then recent[sender[at]] = nil end
    sender[at], recent[name] = name, segment.time_ns
    sender.next_recent = at % RECENT_FRAMES + 1
    return false
end

function connections.note_isn(sender, receiver, segment)
    if SYN[segment.flags] then
        if sender.isn and sender.isn ~= segment.seq then receiver.acknowledged = nil end -- of a connection without SYN
        sender.isn = segment.seq
    elseif not sender.isn then
        sender.isn = (segment.seq - 1) % TWO_32
    end
    if not receiver.isn and ACK[segment.flags] then receiver.isn = (segment.ack - 1) % TWO_32 end
end

function connections.take_syn_options(connection, sender, receiver, segment)
    -- A SYN sent again, or one that the capture has after the data, changes nothing.
    if not sender.seq_end then
        sequence.start(sender, (segment.seq + 1) % TWO_32, false)
        sender.started = true
    end
    if not segment.mss then return end -- its options were not captured
    sender.mss = segment.mss > 0 and segment.mss or (connection.ipv6 and DEFAULT_MSS_IPV6 or DEFAULT_MSS_IPV4)
    if receiver.mss then
        sender.negotiated_mss = min(sender.mss, receiver.mss)
        receiver.negotiated_mss = sender.negotiated_mss
    end
end

function connections.begin_attempt(connection, segment)
    connection.attempt = #state.attempts + 1
    state.attempts[connection.attempt] = connection
    connection.syn_frame, connection.syn_ns, connection.last_syn_ns = segment.frame, segment.time_ns, segment.time_ns
    connection.syn_next = (segment.seq + 1 + segment.payload_bytes) % TWO_32
    if connection.syn_ack_ns then -- the capture has the answer before the SYN
        connection.result, connection.connect_ns, connection.answer_frame = ACCEPTED, 0, connection.syn_ack_frame
    end
end

function connections.answer_attempt(connection, result, segment)
    connection.result, connection.answer_frame = result, segment.frame
    connection.connect_ns = max(segment.time_ns - connection.syn_ns, 0)
    connection.network_server_ns = result == ACCEPTED and max(segment.time_ns - connection.last_syn_ns, 0) or nil
    items.note_connection(segment.frame, ITEM_ANSWER, connection)
end

-- Whether it acknowledges the client's SYN, and nothing from `next` on: else it answers none (RFC 9293, 3.10.7.3).
function connections.acknowledges_syn(connection, segment, next)
    local client = connection[connection.client]
    return ACK[segment.flags] and ahead(segment.ack, client.isn or 0) > 0 and ahead(segment.ack, next or 0) <= 0
end

function connections.take_syn(connection, segment, open)
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

-- Takes the server's SYN-ACK, which may answer an attempt; without an attempt it may do so later.
function connections.take_syn_ack(connection, segment, open)
    local attempt, next = connection.attempt, connection[connection.client].seq_next
    if attempt and not connections.acknowledges_syn(connection, segment, next) then return end
    if not connection.network_client_ns then
        connection.syn_ack_ns, connection.syn_ack_frame = segment.time_ns, segment.frame
    end
    if not attempt then
        items.note_connection(segment.frame, ITEM_ANSWER, connection)
    elseif open and (connection.result ~= REFUSED or connection.syns_refused > 0) then
        connection.syn_retries = connection.syn_retries + connection.syns_refused
        connections.answer_attempt(connection, ACCEPTED, segment)
        local sent_ns = connections.server(connection).sent_ns or huge
        if sent_ns < segment.time_ns then connection.network_server_ns = nil end -- it is sent again
    end
end

function connections.shake_hands(connection, segment, from)
    local flags = segment.flags
    local sender, receiver = connection[from], connection[3 - from]
    connections.note_isn(sender, receiver, segment)
    if ACK[flags] then sender.acknowledged = segment.ack end
    if SYN[flags] then
        connections.take_syn_options(connection, sender, receiver, segment)
        if not connection.role_certain and not connection.request then
            connection.client, connection.role_certain = ACK[flags] and 3 - from or from, true
        end
    end
    local from_client = from == connection.client
    local open = connection.attempt and connection.result ~= ACCEPTED
    if RST[flags] then
        if not from_client and open and connection.result == UNANSWERED
            and connections.acknowledges_syn(connection, segment, connection.syn_next) then
            connections.answer_attempt(connection, REFUSED, segment)
        end
    elseif SYN[flags] and ACK[flags] then
        if not from_client then connections.take_syn_ack(connection, segment, open) end
    elseif from_client and SYN[flags] then
        connections.take_syn(connection, segment, open)
    elseif from_client and ACK[flags] and connection.syn_ack_ns and not connection.network_client_ns then
        connection.network_client_ns = max(segment.time_ns - connection.syn_ack_ns, 0)
        items.note_connection(segment.frame, ITEM_ACK, connection)
    end
end

-- Returns what the attempt has come to so far: it waits until its client would send the SYN again, or another segment
-- tells that it is over.
function connections.connect_result(connection)
    local is_waiting = connection.result == UNANSWERED and connection.syn_retries == 0
        and state.end_ns - connection.syn_ns < FIRST_RETRY_NS and not connection.replaced
        and not connection[connection.client].acknowledged and not connection.reset and not connection.over
    return is_waiting and CONNECT_WAITING or connection.result
end

-- Whether the server can send nothing more: its FIN, or a new connection in its place.
function connections.is_closed(connection)
    return connection.replaced or connections.server(connection).fin
end

local function is_near(sender, seq)
    return math.abs(ahead(seq, sender.seq_next)) <= END_WINDOW
end

-- Whether the segment's FIN is the end of what its sender says.
function connections.finishes(sender, segment)
    return FIN[segment.flags]
        and (not sender.seq_end or is_near(sender, (segment.seq + segment.payload_bytes) % TWO_32))
end

-- Whether the segment's RST ends the connection: RFC 9293, section 3.10.7.3 and 4, without knowing the window.
function connections.resets(connection, from, segment)
    local sender = connection[from]
    if not RST[segment.flags] then
        return false
    elseif sender.seq_end then
        -- Not before what the other side has acknowledged, or before the SYN.
        local before = ahead(connection[3 - from].acknowledged or (sender.isn + 1) % TWO_32, segment.seq)
        return is_near(sender, segment.seq) and (before <= 0 or before > END_WINDOW)
    end
    return from == connection.client or not connection.attempt
        or connections.acknowledges_syn(connection, segment, connection[connection.client].seq_next)
end

function connections.note_farewell(connection, from, segment)
    local request = connection.request
    if RST[segment.flags] or connection[from].fin then return end
    if request and (from == connection.client or connection.is_ssh) and requests.is_awaited(request, connection)
        and not request.is_farewell and segment.time_ns - request.q0_ns < FAREWELL_NS then
        request.is_farewell = true
        connection.closes_second = connections.is_closed(connection) and not connection.is_ssh
    end
end

-- Takes FIN and RST, once the segment's payload is done with.
function connections.close(connection, from, segment)
    if connections.finishes(connection[from], segment) then
        connections.note_farewell(connection, from, segment)
        connection[from].fin = true
    end
    if connections.resets(connection, from, segment) then
        connection.reset, connection.cut_off = true, connection.request
        -- A server that had closed before the client says so that it has not read what the client said last.
        if connection.request and connection.closes_second then connection.request.is_farewell = nil end
    end
    if not connection.over and connections.has_ended(connection) then
        connection.over = true
        local ended = state.ended
        ended.last, ended[ended.last + 1] = ended.last + 1, connection
    end
end
