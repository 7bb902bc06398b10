-- 8. Views: what a frame shows

local FLAG_NAMES = {
    { RETRANSMISSION, "flags.retransmission", "retransmission" },
    { IPID_GAP, "flags.ipid_gap", "IP ID gap" },
    { OUT_OF_ORDER, "flags.out_of_order", "out of order" },
    { SHORT, "flags.short", "short" }, { AFTER_SHORT, "flags.after_short", "after short" },
    { CHUNK_BOUNDARY, "flags.chunk_boundary", "chunk boundary" },
}
local IS_WRONG = { [RESET] = true, [CLOSED] = true }

-- Begins a tree: each request has its own.
function views.begin(view, text)
    view.tree = view.parent:add(latency)
    view.tree:set_text(text)
    view.tree:set_generated()
end

function views.add(view, name, value)
    view.tree:add(fields[name], value):set_generated()
end

-- Adds a time, if there is one.
function views.add_time(view, name, ns)
    if ns then
        local seconds = floor(ns / 1e9)
        views.add(view, name, NSTime.new(seconds, ns - seconds * 1e9))
    end
end

function views.add_bytes(view, name, bytes)
    views.add(view, name, UInt64.new(bytes % TWO_32, floor(bytes / TWO_32)))
end

function views.add_slow(view, text, ns, first_byte_ns)
    if settings.slow_ns > 0 and ns >= settings.slow_ns then
        view.tree:add_proto_expert_info(slow_expert, text:format(ns / 1e6, (first_byte_ns or 0) / 1e6))
    end
end

-- Adds the flags that are set, so that their bare name is a filter for them, as with tcp.analysis.
function views.add_flags(view, flags)
    local texts = {}
    for _, flag in ipairs(FLAG_NAMES) do
        if has(flags, flag[1]) then
            views.add(view, flag[2], true)
            local is_idle = flag[1] == SHORT or flag[1] == OUT_OF_ORDER and has(flags, RETRANSMISSION) -- said before
            texts[#texts + 1] = not is_idle and flag[3] or nil
        end
    end
    if #texts > 0 then views.add(view, "flags", table.concat(texts, ", ")) end
end

function views.show_request(view, request, connection, columns)
    if request.p0_frame then views.add(view, "response_in", request.p0_frame) end
    local outcome = view.visited and requests.outcome(request, connection)
    if not outcome then return end
    views.add(view, "outcome", outcome)
    if outcome == WAITING then
        views.add_time(view, "waited", max(state.end_ns - request.q0_ns, 0))
    elseif IS_WRONG[outcome] and not requests.tls_role(request) then
        columns.status = OUTCOMES[outcome]
        if view.number == request.q0_frame then
            view.tree:add_proto_expert_info(unanswered_expert, "No response: " .. columns.status)
        end
    end
end

function views.show_response(view, request, connection, columns, is_first)
    views.add(view, "request_in", request.q0_frame)
    if view.number == request.p0_frame then
        columns.first_byte = requests.first_byte(request)
        columns.server_time = requests.server_time(request, connection)
        views.add_time(view, "first_byte", columns.first_byte)
        views.add_time(view, "server_time", columns.server_time)
        views.add_time(view, "service", max(request.p0_ns - request.q1_ns, 0))
        views.add_time(view, "request_spread", request.q1_ns - request.q0_ns)
        views.add_bytes(view, "request_bytes", request.request_bytes)
    end
    local elapsed = max(view.now_ns - request.q0_ns, 0)
    local last_frame = view.visited and (request.is_open_ended and 0 or request.p1_frame) or request.p0_frame
    if view.number == last_frame and not requests.tls_role(request, connection.request == request) then
        views.add_slow(view, columns.first_byte and "Slow: %.1f ms" or "Slow: %.1f ms, TTFB %.1f ms", elapsed,
            requests.first_byte(request))
    end
    views.add_time(view, "elapsed", elapsed)
    if view.number == request.p1_frame and view.visited and not request.is_open_ended then
        columns.duration = requests.last_byte(request)
        views.add_time(view, "last_byte", columns.duration)
        views.add_time(view, "transfer", request.p1_ns - request.p0_ns)
        views.add_bytes(view, "response_bytes", request.response_bytes)
    end
    if view.number < request.q0_frame or view.now_ns < request.q0_ns or (is_first and request.reordered) then
        views.add(view, "reordered", true)
    end
end

-- Returns what columns can show of the packet.
function views.show_packet(view, item)
    local number, spacing_ns, last, delta, flags = item, nil, nil, nil, FIRST
    if type(item) == "string" then number, spacing_ns, last, delta, flags = Struct.unpack(PACKET, item) end
    local request, is_request = state.requests[floor(number / 2)], number % 2 == 0
    local connection = state.connections[request.connection]
    local columns = { request = request.number, operation = request.operation ~= "" and request.operation or nil }
    views.begin(view, ("Latency: request %d%s"):format(request.number,
        columns.operation and ", " .. columns.operation or ""))
    views.add(view, "request", request.number)
    if columns.operation then views.add(view, "operation", columns.operation) end
    local show = is_request and views.show_request or views.show_response
    show(view, request, connection, columns, has(flags, FIRST))
    if not has(flags, FIRST) then
        views.add_time(view, "spacing", spacing_ns)
        local row = is_request and request.asking or request.answering -- or its first byte, once it is old
        views.add_bytes(view, "byte_offset", max(last - (tonumber(row) or row.low), 0))
        if has(flags, IPID) then views.add(view, "ipid.delta", delta) end
        views.add_flags(view, flags)
    end
    return columns
end

-- Returns what columns can show of an attempt to connect; nil if nothing.
function views.show_connection(view, item)
    local kind = -item % 4
    local connection = state.connections[(-item - kind) / 4]
    local result = connection.syn_ns and connections.connect_result(connection)
    local columns = { operation = "TCP connect" }
    views.begin(view, "Latency")
    if kind == ITEM_ACK then
        views.add_time(view, "network.client", connection.network_client_ns)
    elseif kind == ITEM_SYN and view.visited and connection.result == UNANSWERED then
        views.add(view, "connect.result", result)
        views.add(view, "connect.syn_retries", connection.syn_retries)
        views.add_time(view, "waited", max(state.end_ns - connection.syn_ns, 0))
        columns.status = result == UNANSWERED and CONNECT_RESULTS[result] or nil
    elseif kind == ITEM_ANSWER and view.number == connection.answer_frame then
        views.add_time(view, "connect.time", connection.connect_ns)
        views.add_slow(view, "Slow to connect: %.1f ms", connection.connect_ns)
        views.add(view, "connect.result", result)
        views.add(view, "connect.syn_retries", connection.syn_retries)
        views.add(view, "connect.syn_in", connection.syn_frame)
        views.add_time(view, "network.server", connection.network_server_ns)
        if connection.answer_frame < connection.syn_frame then views.add(view, "reordered", true) end
        columns.duration = connection.connect_ns
        columns.status = result ~= ACCEPTED and CONNECT_RESULTS[result] or nil
    end
    return (columns.duration or columns.status) and columns
end

-- Shows values for columns, which the request's own tree has, too; nothing for a frame with several.
function views.show_columns(view, all)
    if #all ~= 1 then return end
    local columns = all[1]
    views.begin(view, "Latency")
    for _, name in ipairs({ "request", "operation", "status" }) do
        if columns[name] then views.add(view, "frame." .. name, columns[name]) end
    end
    for _, name in ipairs({ "duration", "first_byte", "server_time" }) do
        views.add_time(view, "frame." .. name, columns[name])
        if columns[name] then views.add(view, "frame." .. name .. "_ms", floor(columns[name] / 1000 + 0.5) / 1000) end
    end
    view.tree:set_hidden()
end

function views.show_channel(view, item)
    local channel, answers = state.channels[floor(item / 2)], item % 2 == 1
    views.begin(view, ("EPICS Channel Access (Lua), %s, %s"):format(answers and "create answered" or "CREATE_CHAN",
        channel.pv))
    views.add(view, "ca.pv", channel.pv)
    local result = circuits.result(channel)
    if answers then
        views.add(view, "ca.create.request_in", channel.request_frame)
        views.add_time(view, "ca.create.time", max(channel.answer_ns - channel.request_ns, 0))
        views.add(view, "ca.create.result", result)
    elseif channel.answer_frame then
        views.add(view, "ca.create.response_in", channel.answer_frame)
    elseif view.visited and result then
        views.add(view, "ca.create.result", result)
        if result == CREATE_UNANSWERED then views.add(view, "ca.create.reason", CONNECTION_CLOSED) end
    end
end

-- Shows what was noted for the frame. `again`: it was taken on an earlier visit, so that what came after is known.
function views.show_frame(tree, number, time_ns, again)
    local shown, all = state.frames[number], {}
    local view = { parent = tree, number = number, now_ns = time_ns, visited = again }
    for _, item in ipairs(type(shown) == "table" and shown or { shown }) do
        local is_connection = type(item) == "number" and item < 0
        all[#all + 1] = (is_connection and views.show_connection or views.show_packet)(view, item)
    end
    views.show_columns(view, all)
    for _, item in ipairs(state.channel_frames[number] or {}) do views.show_channel(view, item) end
end
