-- 3. Segments: what the IP and TCP headers of a frame say

local TCP, HEADER_BYTES, HEADER_BYTES_NEEDED = 6, 20, 14

-- Returns the IP header before the TCP header at `offset`, and its place: of all in the tree the nearest. If none is
-- there, TCP lies in what Wireshark put together or decrypted: then the last of all, and no place.
function segments.ip_before(buffer, offset)
    if offset >= HEADER_BYTES then
        local bytes = buffer:raw(offset - HEADER_BYTES, HEADER_BYTES)
        if bytes:byte(1) == 0x45 and bytes:byte(10) == TCP then -- nearly always
            return bytes, offset - HEADER_BYTES
        end
    end
    local header, place
    for _, find in ipairs({ find_ip, find_ipv6 }) do
        for _, ip in ipairs({ find() }) do
            local bytes, at = ip.source:raw(ip.offset, min(40, ip.len)), ip.offset
            local first = bytes:byte() or 0
            if first >= 0x60 and at + 40 <= offset or first < 0x60 and at + first % 16 * 4 == offset then
                header, place = bytes, at
            elseif not place then
                header = bytes
            end
        end
    end
    return header, place
end

-- Fills in ID, length on the wire, and addresses, which are texts without an IP header, as in what was decrypted.
function segments.find_addresses(segment, pinfo)
    local buffer, offset = segment.buffer, segment.offset
    local reported, length = buffer:reported_len(), 0
    local ip, at = segments.ip_before(buffer, offset)
    segment.ip_at, segment.ip_id = at, nil
    if ip and #ip >= HEADER_BYTES and ip:byte() < 0x60 then
        length, segment.ip_id = Struct.unpack(">I2I2", ip, 3)
        segment.source, segment.destination = ip:sub(13, 16), ip:sub(17, 20)
    elseif ip and #ip == 40 then
        length = ip:byte(5) * 256 + ip:byte(6)
        length = length > 0 and length + 40 or 0
        segment.source, segment.destination = ip:sub(9, 24), ip:sub(25, 40)
    else
        segment.source, segment.destination = tostring(pinfo.src), tostring(pinfo.dst)
    end
    if at and length > 0 then reported = min(at + length, reported) end
    segment.reported = max(reported - offset, 0)
    segment.captured = min(buffer:captured_len() - offset, segment.reported)
end

-- One table for all segments: none is remembered, and making one for each costs more than all else.
local one_segment = {}

-- Returns what is at the place of a TCP header; the rest is read from it.
function segments.at(place, pinfo)
    local segment = one_segment
    segment.buffer, segment.offset, segment.mss = place.source, place.offset, nil
    segments.find_addresses(segment, pinfo)
    segment.header = segment.buffer:raw(segment.offset, max(min(segment.captured, HEADER_BYTES), 0))
    local icmp = find_icmp() or find_icmpv6()
    segment.quoted = icmp and icmp.offset < segment.offset
    return segment
end

-- Returns the MSS, which is kind 2 of TCP's options (RFC 9293, section 3.2); 0 if there is none.
function segments.read_mss(options)
    local i = 1
    while i <= #options and options:byte(i) ~= 0 do
        local kind, length = options:byte(i, i + 1)
        if kind ~= 1 and (not length or length < 2 or i + length - 1 > #options) then
            return 0
        elseif kind == 2 and length == 4 then
            return options:byte(i + 2) * 256 + options:byte(i + 3)
        end
        i = i + (kind == 1 and 1 or length)
    end
    return 0
end

-- Fills in the rest; false for what is too short or too odd to be a segment.
function segments.read(segment)
    local header = segment.header
    if #header < HEADER_BYTES_NEEDED then
        return false
    elseif #header < HEADER_BYTES then
        header = header .. ("\0"):rep(HEADER_BYTES - #header)
    end
    local sport, dport, seq, ack, offset, flags, window = Struct.unpack(">I2I2I4I4BBI2", header)
    local header_bytes = floor(offset / 16) * 4
    if header_bytes < HEADER_BYTES or header_bytes > segment.reported then return false end
    segment.sport, segment.dport, segment.seq, segment.ack = sport, dport, seq, ack
    segment.flags, segment.window, segment.header_bytes = flags, window, header_bytes
    segment.options_bytes, segment.payload_bytes = header_bytes - HEADER_BYTES, segment.reported - header_bytes
    if SYN[flags] and segment.captured >= header_bytes then
        segment.mss = segments.read_mss(segment.buffer:raw(segment.offset + HEADER_BYTES, segment.options_bytes))
    end
    return true
end

-- Returns the first bytes of the payload that the capture has.
function segments.payload(segment, most)
    local bytes = min(segment.captured - segment.header_bytes, most)
    return bytes > 0 and segment.buffer:raw(segment.offset + segment.header_bytes, bytes) or ""
end

-- The bytes one sender has sent so far, and which of a segment's are new.

local MOST_HOLES = 32

-- Begins with `seq` as the next byte. With `history` (no handshake was seen), new bytes may turn up before it.
function sequence.start(sender, seq, history)
    sender.seq_end, sender.seq_next, sender.holes = TWO_32, seq, history and { { 0, TWO_32 } } or nil
end

-- Returns the offset of `seq`, taken within 2^31 of the highest byte seen.
function sequence.offset(sender, seq)
    return sender.seq_end + ahead(seq, sender.seq_next)
end

function sequence.insert_hole(holes, at, first, last)
    table.insert(holes, at, { first, last })
    if #holes > MOST_HOLES then table.remove(holes, 1) end
end

-- Returns how much of [first, last) fills holes; they shrink, split or vanish.
function sequence.fill_holes(holes, first, last)
    local filled = 0
    for i = #holes, 1, -1 do
        local hole = holes[i]
        if hole[2] <= first then break end
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
