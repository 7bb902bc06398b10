-- 4. Packets: the payload frames of a request, or of a response, as one row

-- A counter shared by a whole host skips what it sends elsewhere; a jump further than this is no counter's.
local FURTHEST_STEP = 1000

-- Returns the payload of a filled segment, given this one's TCP options; 0 if nothing tells.
function continuity.full_size(sender, segment)
    local negotiated = (sender.negotiated_mss or 0) - segment.options_bytes
    return negotiated > 0 and negotiated or sender.largest
end

function continuity.is_full(sender, segment)
    local full = continuity.full_size(sender, segment)
    return full > 0 and segment.payload_bytes > 0 and segment.payload_bytes % full == 0
end

local function swap(id)
    return id % 256 * 256 + floor(id / 256)
end

-- Whether the sender's IP IDs count up, by the majority of the steps from one packet's to the next's.
function continuity.counts_up(sender)
    local half = floor(sender.steps / 2)
    return sender.steps > 0 and sender.constant <= half and sender.swapped <= half and sender.random <= half
end

-- Takes the step to `id` and returns how far it lies after the expected one.
function continuity.take_step(sender, id)
    local packets = sender.last_packets
    local delta = (id - sender.last_id - packets) % 65536
    sender.steps = sender.steps + 1
    if id == sender.last_id then
        sender.constant = sender.constant + 1
    elseif delta ~= 0 and swap(id) == (swap(sender.last_id) + packets) % 65536 then
        sender.swapped = sender.swapped + 1
    elseif delta > FURTHEST_STEP then
        sender.random = sender.random + 1
    end
    return delta >= 32768 and delta - 65536 or delta
end

-- Takes the sender's next segment but SYN and RST. Returns the IP ID less the expected one; nil if none was expected.
function continuity.take(sender, segment)
    sender.largest = max(sender.largest, segment.payload_bytes)
    if not segment.ip_id then return nil end
    local delta = sender.last_id and continuity.take_step(sender, segment.ip_id) or nil
    local full = continuity.full_size(sender, segment)
    -- Segmentation offload hands one frame to the capture and several packets, each with an ID, to the wire.
    sender.last_packets = full > 0 and max(1, floor((segment.payload_bytes + full - 1) / full)) or 1
    sender.last_id = segment.ip_id
    return delta
end

-- A row of packets, from the offset `start` of its sender's sequence.
function runs.begin(start)
    return { start = start, low = start, last = 0, last_ns = 0, after_first = false, last_short = false }
end

local one_item = {}

-- Adds a packet to the row and returns what it is there, until the next is added. `place`: in its sender's sequence.
function runs.add(run, segment, place, sender)
    local flags = place.delta and IPID or 0
    if place.delta and place.delta ~= 0 and continuity.counts_up(sender) then flags = flags + IPID_GAP end
    flags = flags + (place.in_order and 0 or OUT_OF_ORDER) + (place.fresh == 0 and RETRANSMISSION or 0)
    local short = not continuity.is_full(sender, segment)
    flags = flags + (short and SHORT or 0) + (run.last_short and AFTER_SHORT or 0)
    local offset, chunk = place.first - run.start, settings.chunk_bytes
    flags = flags + (chunk > 0 and offset > 0 and offset % chunk == 0 and CHUNK_BOUNDARY or 0)
    local item = one_item
    item.flags = flags + (run.after_first and 0 or FIRST)
    item.spacing_ns, item.last, item.delta = max(segment.time_ns - run.last_ns, 0), place.last, place.delta or 0
    run.last_short, run.after_first, run.last_ns = run.after_first and short, true, segment.time_ns
    if place.fresh > 0 then run.low, run.last = min(run.low, place.first), max(run.last, place.last) end
    return item
end

-- Kinds of an item about a connection. One about a request is of a request's frame or of a response's.
local ITEM_SYN, ITEM_ANSWER, ITEM_ACK = 0, 1, 2
local PACKET = "<I4ddi2I2"

-- Notes what a frame shows when it is visited again: `item`, and what was noted before.
function items.note(frame, item)
    local before = state.frames[frame]
    if type(before) == "table" then
        table.insert(before, item)
    else
        state.frames[frame] = before and { before, item } or item
    end
end

-- Notes a packet in few bytes: a number for the first of a request or a response, a string for another one of theirs.
function items.note_packet(frame, request, of_response, item)
    local number = request.number * 2 + (of_response and 1 or 0)
    items.note(frame, has(item.flags, FIRST) and number
        or Struct.pack(PACKET, number, item.spacing_ns, item.last, item.delta, item.flags))
end

-- Notes a negative number.
function items.note_connection(frame, kind, connection)
    items.note(frame, -(connection.number * 4 + kind))
end
