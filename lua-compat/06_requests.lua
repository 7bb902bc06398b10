-- 6. Requests: payload makes them and their responses by turns

-- A retransmission is given to one of so many last requests of its connection, as in the compiled plugin's one pass.
local REQUESTS_REMEMBERED = 16
-- A server that was silent for so many times as long as the request took, and so long at least, pushes something new.
local PUSH_TIMES, PUSH_NS = 8, 50000000
-- A record of TLS 1.3 that may be an alert: 5 bytes of header, 2, a type and 16 of authentication.
local TLS_ALERT_BYTES = 5 + 2 + 1 + 16
local TLS_RECORDS = { "Change Cipher Spec", "Alert", "Handshake", "Application Data", "Heartbeat" }
local TLS_ROLES = { ["TLS Handshake"] = "handshake", ["TLS Change Cipher Spec"] = "handshake", ["TLS Alert"] = "alert" }

function requests.first_byte(request)
    return max(request.p0_ns - request.q0_ns, 0)
end

function requests.last_byte(request)
    return max(request.p1_ns - request.q0_ns, 0)
end

-- Returns nil if the handshake was not captured.
function requests.server_time(request, connection)
    local network_ns = connection.network_server_ns
    return network_ns and max(request.p0_ns - request.q1_ns - network_ns, 0)
end

-- Whether what the server says next is the request's response.
function requests.is_awaited(request, connection)
    return not request.p0_frame and not request.is_overtaken and request ~= connection.cut_off
end

-- Returns the outcome so far; nil if the capture has the response before the request.
function requests.outcome(request, connection)
    if request.is_overtaken then return nil end
    if request.p0_frame then
        return ANSWERED
    elseif request.is_farewell then
        return CLOSED_BY_CLIENT
    elseif connection.reset then
        return RESET
    end
    return connections.is_closed(connection) and CLOSED or WAITING
end

-- Returns what is TLS's own and no request; nil for a request. `is_last`: of its connection.
function requests.tls_role(request, is_last)
    local lone = request.operation == "TLS Application Data" and request.request_bytes == TLS_ALERT_BYTES
    if lone and (not request.p0_frame or (is_last and request.response_bytes == TLS_ALERT_BYTES)) then
        return "alert"
    end
    return TLS_ROLES[request.operation]
end

-- Returns the type of a record of TLS (RFC 8446, section 5.1, RFC 6520, section 3); "" for other bytes.
function requests.read_operation(bytes)
    if #bytes == 11 and bytes:byte(3) == 1 and bytes:byte(4) == 3 then -- SSLv2's ClientHello: RFC 5246, section E.2
        local length, _, _, _, ciphers, session, challenge = Struct.unpack(">I2BBBI2I2I2", bytes)
        if ciphers % 3 == 0 and length - 0x8000 == 9 + ciphers + session + challenge then return "TLS Handshake" end
    end
    local kind, major, minor = bytes:byte(1, 3)
    local name = minor and major == 3 and minor <= 4 and TLS_RECORDS[kind - 19]
    return name and "TLS " .. name or ""
end

-- Begins the connection's next request, and forgets of an old one what only a retransmission needs.
function requests.begin(connection, segment, offset)
    local number, last, bytes = #state.requests + 1, connection.requests, segments.payload(segment, 11)
    local request = {
        number = number, connection = connection.number, operation = requests.read_operation(bytes),
        q0_frame = segment.frame, q0_ns = segment.time_ns, q1_ns = segment.time_ns,
        p0_frame = nil, p0_ns = nil, p1_frame = nil, p1_ns = nil, -- of its response: none
        request_bytes = 0, response_bytes = 0,
        asking = runs.begin(offset), answering = runs.begin(connections.server(connection).seq_end or 0),
    }
    connection.is_ssh = connection.is_ssh or not connection.request and bytes:sub(1, 4) == "SSH-" -- RFC 4253, 4.2
    connection.request, state.requests[number], last[#last + 1] = request, request, request
    local oldest = #last > REQUESTS_REMEMBERED and table.remove(last, 1)
    if oldest then oldest.asking, oldest.answering = oldest.asking.low, oldest.answering.low end
    return request
end

-- Gives a segment without a new byte to the request in whose bytes, or whose response's, it lies.
function turns.take_retransmission(connection, segment, place, sender, from_client)
    for i = #connection.requests, 1, -1 do
        local request = connection.requests[i]
        local run = from_client and request.asking or request.answering
        if run.low <= place.first and place.first < run.last then
            items.note_packet(segment.frame, request, not from_client, runs.add(run, segment, place, sender))
            return
        end
    end
end

function turns.take_client_payload(connection, segment, place, sender)
    local request = connection.request
    if request and (request.p0_frame or request.is_overtaken)
        and request.acknowledged and ahead(segment.seq + segment.payload_bytes, request.acknowledged) <= 0 then
        request.reordered = true
    elseif not request or not requests.is_awaited(request, connection) then
        request = requests.begin(connection, segment, place.first)
        local overtaking = connection.overtaking
        if overtaking and ahead(overtaking, segment.seq) > 0 then
            request.is_overtaken, request.acknowledged = true, overtaking
            state.overtaken = state.overtaken + 1
        end
        connection.overtaking = nil
    end
    request.q1_ns = max(request.q1_ns, segment.time_ns)
    request.request_bytes = request.request_bytes + place.fresh
    items.note_packet(segment.frame, request, false, runs.add(request.asking, segment, place, sender))
end

-- Whether the server's frame acknowledges more than its client has been seen to send: what it answers is missing, or
-- comes later in the capture. The frame is no request's, and what it answers has no response.
function turns.overtakes(connection, segment, request)
    local client = connection[connection.client]
    local acknowledged = request and request.acknowledged -- by the first frame of its response
    if not ACK[segment.flags] or acknowledged and ahead(segment.ack, acknowledged) <= 0 then return false end
    return not client.seq_end or sequence.offset(client, segment.ack) > client.seq_end
end

function turns.is_push(request, segment, place, is_full)
    if not request.p0_frame or not place.in_order or is_full or TLS_ROLES[request.operation] == "handshake" then
        return false
    end
    local silence = segment.time_ns - request.answering.last_ns
    return silence > max(PUSH_TIMES * requests.last_byte(request), PUSH_NS)
end

function turns.take_server_payload(connection, segment, place, sender)
    local request = connection.request
    if request and requests.is_awaited(request, connection) then
        request.p0_ns, request.p0_frame, request.p1_ns = segment.time_ns, segment.frame, segment.time_ns
        request.acknowledged = ACK[segment.flags] and segment.ack or nil
        request.answering = runs.begin(place.first)
        request.reordered = request.reordered or segment.time_ns < request.q1_ns or nil
    elseif turns.overtakes(connection, segment, request) then
        if request then request.is_open_ended = true end
        connection.overtaking, request = segment.ack, nil
    elseif request and (not request.p0_frame or request == connection.cut_off
        or turns.is_push(request, segment, place, connection[connection.client].is_full)) then
        request = nil
    end
    connection.unsolicited = connection.unsolicited or runs.begin(0)
    local item = runs.add(request and request.answering or connection.unsolicited, segment, place, sender)
    if not request then
        local pushes = tables.group_of(state.pushes, connection)
        pushes.weight = pushes.weight + 1
        return
    end
    items.note_packet(segment.frame, request, true, item)
    request.response_bytes = request.response_bytes + place.fresh
    request.p1_frame = segment.frame
    request.p1_ns = max(request.p1_ns, segment.time_ns)
end

-- Whether the segment repeats the byte before the next one to see whether the peer is there: RFC 9293, section 3.8.4.
function turns.is_keep_alive(sender, segment)
    local flags = segment.flags
    if segment.payload_bytes ~= 1 or SYN[flags] or FIN[flags] or PSH[flags] then return false end
    if not sender.seq_end then return ACK[flags] end
    return (segment.seq + 1) % TWO_32 == sender.seq_next
end

-- Returns where the segment's payload begins in its sender's sequence; nil if it carries none.
function turns.payload_offset(sender, segment)
    local probe = turns.is_keep_alive(sender, segment)
    local seq = SYN[segment.flags] and (segment.seq + 1) % TWO_32 or segment.seq
    if not sender.seq_end then sequence.start(sender, probe and (seq + 1) % TWO_32 or seq, true) end
    local first = sequence.offset(sender, seq)
    if segment.payload_bytes > 0 and not probe then return first end
    local is_strange = FIN[segment.flags] and not connections.finishes(sender, segment)
    if first > sender.seq_end and not is_strange then -- what lies before it has been sent, if not captured
        sequence.add(sender, first, 0)
    end
    return nil
end

local one_place = {} -- what a payload segment is to the sequence of its sender

function turns.take(connection, from, segment, delta)
    local sender = connection[from]
    local first = not RST[segment.flags] and turns.payload_offset(sender, segment)
    if not first then return end
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
    local take = from_client and turns.take_client_payload or turns.take_server_payload
    take(connection, segment, place, sender)
end
