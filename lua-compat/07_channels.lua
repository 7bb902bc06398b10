-- 7. Channels of EPICS: who asked for one over Channel Access, and how long its server took

-- caProto.h of EPICS base: the commands that matter here, and the last.
local CA_VERSION, CA_ERROR, CA_CREATE_CHAN, CA_RIGHTS, CA_CREATE_CH_FAIL, CA_LAST = 0, 11, 18, 22, 26, 27
local CA_HEADER_BYTES, CA_EXTENDED_BYTES, CA_NAME_MOST, CA_TEXT_MOST = 16, 24, 500, 1024
local CIRCUIT_TRIES = 4 -- so many payload segments of a connection are looked at for how a circuit begins
local SEGMENTS_HELD = 512 -- so many segments of one direction wait for what is missing before them
local IS_READ = { [CA_VERSION] = true, [CA_ERROR] = true, [CA_CREATE_CHAN] = true, [CA_CREATE_CH_FAIL] = true }

-- Returns command, size of the payload, the channel's id and the length of the header at `at`; nil if it is cut. The
-- command is false for what is no header: EPICS drops a circuit on a size that is no multiple of 8.
function circuits.read_header(bytes, at)
    if #bytes < at + CA_HEADER_BYTES - 1 then return nil end
    local command, size, _, count, id = Struct.unpack(">I2I2I2I2I4", bytes, at)
    local header_bytes = CA_HEADER_BYTES
    if size == 0xFFFF and count == 0 then
        if #bytes < at + CA_EXTENDED_BYTES - 1 then return nil end
        size, header_bytes = Struct.unpack(">I4", bytes, at + CA_HEADER_BYTES), CA_EXTENDED_BYTES
    end
    return command <= CA_LAST and size % 8 == 0 and command, size, id, header_bytes
end

-- Whether the bytes begin with VERSION or a message about a channel: where reading begins in the middle of a circuit.
function circuits.tells(bytes)
    if #bytes < CA_HEADER_BYTES then return false end
    local command, size, type, count, _, last = Struct.unpack(">I2I2I2I2I4I4", bytes)
    local is_blank = type == 0 and count == 0
    if command == CA_VERSION then
        return size == 0 and type < 100 and count > 0 and count < 100 and last == 0
    elseif command == CA_CREATE_CHAN and size > 0 then
        return size % 8 == 0 and size <= CA_NAME_MOST + 8 and is_blank and last > 0 and last < 100
    elseif command == CA_CREATE_CHAN then
        return type < 7
    end
    return size == 0 and is_blank and (command == CA_RIGHTS and last < 4 or command == CA_CREATE_CH_FAIL and last == 0)
end

function circuits.note(frame, number, answers)
    local noted = state.channel_frames[frame] or {}
    state.channel_frames[frame] = noted
    noted[#noted + 1] = number * 2 + (answers and 1 or 0)
end

-- Notes a CREATE_CHAN. Those with the same id are answered first in, first out.
function circuits.ask(circuit, id, payload, piece)
    local number, waiting = #state.channels + 1, circuit.waiting[id] or {}
    circuit.asked = true
    state.channels[number] = {
        circuit = circuit, result = CREATE_WAITING, pv = payload:match("^[^\0]*"):sub(1, CA_NAME_MOST),
        request_frame = piece.frame, request_ns = piece.time_ns,
    }
    circuit.waiting[id] = waiting
    waiting[#waiting + 1] = number
    circuits.note(piece.frame, number, false)
end

-- Notes an answer; false if the capture does not have the CREATE_CHAN.
function circuits.answer(circuit, id, result, piece)
    local waiting = circuit.waiting[id]
    local number = waiting and table.remove(waiting, 1)
    if not number then
        return false
    elseif #waiting == 0 then
        circuit.waiting[id] = nil
    end
    local channel = state.channels[number]
    channel.result, channel.answer_frame, channel.answer_ns = result, piece.frame, piece.time_ns
    circuits.note(piece.frame, number, true)
    return true
end

-- Returns what a channel has come to so far; nil if its answer may be in what the capture lacks.
function circuits.result(channel)
    if channel.result ~= CREATE_WAITING then return channel.result end
    local circuit, connection = channel.circuit, channel.circuit.connection
    local answers = circuit[3 - circuit.client]
    if channel.request_frame <= circuit.gap_frame or answers and answers.held[1] then return nil end
    local has_ended = connection[1].fin or connection[2].fin or connection.reset
    return has_ended and CREATE_UNANSWERED or CREATE_WAITING
end

function circuits.take(circuit, from_client, command, id, payload, piece)
    if from_client then
        if command == CA_CREATE_CHAN then circuits.ask(circuit, id, payload, piece) end
    elseif command == CA_CREATE_CHAN or command == CA_CREATE_CH_FAIL then
        if not circuits.answer(circuit, id, command == CA_CREATE_CHAN and CREATE_OK or CREATE_FAILED, piece) then
            state.orphans = state.orphans + 1
        end
    elseif command == CA_VERSION then
        circuit.hello_ns = circuit.hello_ns or piece.time_ns
    else -- ERROR, which quotes the header of what was asked for
        local asked, _, asked_id = circuits.read_header(payload, 1)
        if asked == CA_CREATE_CHAN then circuits.answer(circuit, asked_id, CREATE_ERROR, piece) end
    end
end

-- Has reading go on with the next segment that tells where a message begins.
function circuits.lose(circuit, direction, piece)
    direction.aligned, direction.rest, direction.skip = false, "", 0
    if direction ~= circuit[circuit.client] then circuit.gap_frame = max(circuit.gap_frame, piece.frame) end
end

-- Reads the messages of a segment, of which a part may have been read; false if that is no message.
function circuits.read_messages(circuit, direction, piece)
    local from_client = direction == circuit[circuit.client]
    local bytes, at = direction.rest .. piece.bytes:sub(max(direction.next - piece.first, 0) + 1), 1
    while true do
        local skipped = min(direction.skip, #bytes - at + 1)
        at, direction.skip = at + skipped, direction.skip - skipped
        local command, size, id, header_bytes = circuits.read_header(bytes, at)
        if direction.skip > 0 or command == nil then
            break
        elseif not command or IS_READ[command] and size > CA_TEXT_MOST then
            return false
        elseif IS_READ[command] and #bytes < at + header_bytes + size - 1 then
            break
        elseif IS_READ[command] then
            local payload = bytes:sub(at + header_bytes, at + header_bytes + size - 1)
            circuits.take(circuit, from_client, command, id, payload, piece)
        end
        direction.skip = header_bytes + size
    end
    direction.rest = bytes:sub(at)
    local cut = piece.last - piece.first - #piece.bytes -- which the capture does not have of the segment
    direction.skip = direction.skip - cut
    return direction.skip >= 0 and (cut == 0 or direction.rest == "")
end

function circuits.read_piece(circuit, direction, piece)
    local tells = direction.aligned or circuits.tells(piece.bytes)
    direction.next = direction.aligned and direction.next or piece.first
    if not tells or not circuits.read_messages(circuit, direction, piece) then
        circuits.lose(circuit, direction, piece)
    else
        direction.aligned = true
    end
    direction.next = max(direction.next, piece.last)
end

-- Reads a segment, and what waited for it; or has it wait.
function circuits.take_piece(circuit, direction, piece)
    local held = direction.held
    if piece.last <= direction.next then
        return
    elseif direction.aligned and piece.first > direction.next then
        local at = #held + 1
        while at > 1 and held[at - 1].first > piece.first do
            at = at - 1
        end
        table.insert(held, at, piece)
        if #held > SEGMENTS_HELD then circuits.lose(circuit, direction, piece) end
    else
        circuits.read_piece(circuit, direction, piece)
    end
    while held[1] and (held[1].first <= direction.next or not direction.aligned) do
        local first = table.remove(held, 1)
        if first.last > direction.next then circuits.read_piece(circuit, direction, first) end
    end
end

-- Returns the circuit that the connection is; nil if it is none.
function circuits.of(connection, segment)
    if connection.circuit or connection.circuit_tries == CIRCUIT_TRIES then return connection.circuit end
    connection.circuit_tries = (connection.circuit_tries or 0) + 1
    local bytes = segments.payload(segment, 2 * CA_HEADER_BYTES)
    if is_in(settings.ca_ports, connection[1].port) or is_in(settings.ca_ports, connection[2].port)
        or (bytes:sub(1, 4) == "\0\0\0\0" and circuits.tells(bytes)
            and (segment.payload_bytes == CA_HEADER_BYTES or circuits.read_header(bytes, CA_HEADER_BYTES + 1))) then
        connection.circuit = { connection = connection, client = connection.client, waiting = {}, gap_frame = 0 }
        state.circuits[#state.circuits + 1] = connection.circuit
    end
    return connection.circuit
end

function circuits.take_segment(connection, from, segment)
    local sender = connection[from]
    local circuit = segment.payload_bytes > 0 and sender.seq_end -- an RST alone begins no sequence
        and circuits.of(connection, segment)
    if circuit then
        local first = sequence.offset(sender, SYN[segment.flags] and (segment.seq + 1) % TWO_32 or segment.seq)
        local piece = { first = first, last = first + segment.payload_bytes, bytes = segments.payload(segment, huge),
            frame = segment.frame, time_ns = segment.time_ns }
        local direction, received = circuit[from], connection[3 - from].acknowledged
        direction = direction or { next = sender.started and TWO_32 or first, aligned = sender.started, rest = "",
            skip = 0, held = {} }
        if direction.held[1] and received and sequence.offset(sender, received) > direction.next then
            circuits.lose(circuit, direction, piece) -- what is missing has arrived, and is not in the capture
        end
        circuit[from] = direction
        circuits.take_piece(circuit, direction, piece)
    end
end

-- Forgets what only further messages need: what waited for missing bytes is not read.
function circuits.retire(circuit, connection)
    local answers = circuit[3 - circuit.client]
    if answers and answers.held[1] then circuit.gap_frame = huge end
    circuit[1], circuit[2], circuit.waiting, circuit.connection = nil, nil, {}, connection
end
