-- 9. Tables: what tshark prints at the end, and windows of Wireshark's show

local DESCRIPTION = "Mean|Std|Min|p25|p50|p75|p95|p99|Max"
-- Percentiles, and of how many values at least they say something.
local PERCENTILES = { { 0, 0 }, { 0.25, 0 }, { 0.5, 0 }, { 0.75, 0 }, { 0.95, 20 }, { 0.99, 100 }, { 1, 0 } }

-- Returns the address as Wireshark shows it, by name where it resolves names. Of names anything may come: of the
-- capture's own, too; the tables' separator does not.
function tables.address(bytes)
    local text = bytes -- it is a name
    if #bytes == 4 then
        text = tostring(Address.ip(("%d.%d.%d.%d"):format(bytes:byte(1, 4))))
    elseif #bytes == 16 then
        local groups = { Struct.unpack(">I2I2I2I2I2I2I2I2", bytes) }
        text = tostring(Address.ipv6(("%x:%x:%x:%x:%x:%x:%x:%x"):format(table.unpack(groups, 1, 8))))
    end
    return (text:gsub("[^!-~]", "?"):gsub("|", "?"))
end

function tables.endpoint(group)
    local name = tables.address(group.address)
    return (name:find(":", 1, true) and "[%s]:%d" or "%s:%d"):format(name, group.port)
end

-- Returns a count, with commas between its thousands.
function tables.count(number)
    return (("%.0f"):format(number):reverse():gsub("%d%d%d", "%0,"):reverse():gsub("^,", ""))
end

-- Returns a number with decimals, or that it is less than the last of them, or that there is none.
function tables.decimal(number, format, last)
    return not number and "-" or number > 0 and number < last / 2 and "<" .. last or format:format(number)
end

function tables.time(ns)
    return tables.decimal(ns and ns / 1e6, "%.3f", 0.001)
end

function tables.mean(values)
    local sum = 0
    for _, value in ipairs(values) do sum = sum + value end
    return #values > 0 and sum / #values or nil
end

-- Adds the mean and, unless `percentiles` are wanted, the standard deviation of a sample and pandas' percentiles.
function tables.describe(row, values, percentiles)
    table.sort(values)
    local n, mean, squares = #values, tables.mean(values), 0
    for i = 1, n do squares = squares + (values[i] - mean) ^ 2 end
    table.insert(row, tables.time(mean))
    if not percentiles then table.insert(row, tables.time(n > 1 and math.sqrt(squares / (n - 1)) or nil)) end
    for _, percentile in ipairs(percentiles or PERCENTILES) do
        local rank, below = percentile[1] * max(n - 1, 0), floor(percentile[1] * max(n - 1, 0))
        local value, above = values[below + 1], values[below + 2]
        if rank > below then value = value + (rank - below) * (above - value) end
        table.insert(row, tables.time(n >= percentile[2] and value))
    end
end

-- Returns the counts of a server's requests, or of its channels: `times` of those that were answered.
local function new_group(address, port)
    return { address = address, port = port, asked = 0, failed = 0, waiting = 0, farewells = 0, in_tls = 0, bytes = 0,
        weight = 0, times = {}, server_time = {}, durations = {}, tcp_connect = {}, hello = {} }
end

-- Returns the group of the connection's server.
function tables.group_of(groups, connection)
    local server = connections.server(connection)
    local key = server.address .. ":" .. server.port
    if not groups[key] then
        groups[key] = new_group(server.address, server.port)
        table.insert(groups, groups[key])
    end
    return groups[key]
end

-- Sorts servers: first what kept its clients waiting longest, all in all; what did so equally long, by its name.
function tables.sort_groups(groups)
    table.sort(groups, function(a, b)
        if a.weight ~= b.weight then return a.weight > b.weight end
        return tables.endpoint(a) < tables.endpoint(b)
    end)
end

function tables.unanswered(group)
    return tables.count(group.asked - #group.times - group.failed - group.farewells - group.waiting)
end

function tables.plural(count, one, more)
    return ("%.0f %s"):format(count, count == 1 and one or more)
end

-- Returns text with what is counted, but nothing for none.
function tables.if_any(text, count)
    return count > 0 and text:format(count) or ""
end

-- Returns how many frames servers sent unasked, and which: three by name, with how many each if there are several.
function tables.pushing()
    local frames, named = 0, {}
    tables.sort_groups(state.pushes)
    for i, group in ipairs(state.pushes) do
        frames = frames + group.weight
        if i <= 3 then
            named[i] = tables.endpoint(group) .. (#state.pushes > 1 and (": %.0f"):format(group.weight) or "")
        end
    end
    local text = table.concat(named, ", ") .. tables.if_any(" and %d more", max(#state.pushes - 3, 0))
    return { frames, ("frame that a server sent unasked (%s)"):format(text),
        ("frames that a server sent unasked (%s)"):format(text) }
end

-- Returns lines that say what the table does not count, kinds of its own among it; and why it is empty.
function tables.left_out(first, last)
    local texts = {}
    for _, kind in ipairs({ first or { 0 }, { state.duplicates, "second copy of a frame", "second copies of a frame" },
        { state.unread, "TCP segment with an incomplete header or no time",
            "TCP segments with an incomplete header or no time" }, last or { 0 } }) do
        if kind[1] > 0 then table.insert(texts, tables.plural(table.unpack(kind))) end
    end
    return #texts > 0 and "Left out: " .. table.concat(texts, ", ") .. ".\n" or "",
        state.has_tcp and "" or ("The capture has no %s.\n"):format(state.last_number > 0 and "TCP" or "packets")
end

function tables.take_request(group, request, connection)
    group.asked = group.asked + 1
    group.in_tls = group.in_tls + (request.operation:find("^TLS ") and 1 or 0)
    if not request.p0_frame then
        local outcome = requests.outcome(request, connection)
        group.farewells = group.farewells + (outcome == CLOSED_BY_CLIENT and 1 or 0)
        group.waiting = group.waiting + (outcome == WAITING and 1 or 0)
        return
    end
    local duration = not request.is_open_ended and requests.last_byte(request) or nil
    group.weight, group.bytes = group.weight + (duration or 0), group.bytes + request.response_bytes
    table.insert(group.times, requests.first_byte(request))
    table.insert(group.server_time, requests.server_time(request, connection))
    table.insert(group.durations, duration)
end

-- Returns the servers, all of them as one, and how many turns were TLS's own.
function tables.group_requests()
    local groups, all, tls, last, roles = {}, new_group(), { handshake = 0, alert = 0 }, {}, {}
    for _, request in ipairs(state.requests) do last[request.connection] = request end
    for _, request in ipairs(state.requests) do
        local connection = state.connections[request.connection]
        local role = requests.tls_role(request, last[connection.number] == request)
        if role and not (role == "handshake" and roles[connection.number] == role) then
            tls[role] = tls[role] + 1
        elseif not role and not request.is_overtaken then
            tables.take_request(tables.group_of(groups, connection), request, connection)
            tables.take_request(all, request, connection)
        end
        roles[connection.number] = role
    end
    tables.sort_groups(groups)
    return groups, all, tls
end

-- Each table returns its title, notes, columns (flush left after a <) and rows. Answers are not read: of turns nobody
-- knows an error.
function tables.servers()
    local rows, groups, all, tls = {}, tables.group_requests()
    for i, group in ipairs(groups) do
        rows[i] = { tables.endpoint(group), tables.count(group.asked), "0", tables.unanswered(group),
            tables.time(group.weight), tables.decimal(all.weight > 0 and 100 * group.weight / all.weight, "%.1f", 0.1) }
        tables.describe(rows[i], group.durations)
        tables.describe(rows[i], group.times, { { 0.5, 0 }, { 0.95, 20 }, { 0.99, 100 }, { 1, 0 } })
        for _, cell in ipairs({ tables.time(tables.mean(group.server_time)), tables.count(#group.server_time),
            tables.count(group.bytes) }) do table.insert(rows[i], cell) end
    end
    local summary = ("%s, %d answered, %s unanswered%s%s%s%s%s.\n"):format(
        tables.plural(all.asked, "request", "requests"), #all.times, tables.unanswered(all),
        tables.if_any(", %d waiting", all.waiting), tables.if_any(", %d closed by client", all.farewells),
        tables.if_any("; %d by turns (pipelined ones count as one)", all.asked),
        tables.if_any(", %d of them in TLS that is not decrypted", all.in_tls),
        tables.if_any("; %d without server time, as no handshake was captured", #all.times - #all.server_time))
    local left_out, absence = tables.left_out(tables.pushing(), { state.overtaken,
        "request that was captured after its response", "requests that were captured after their responses" })
    local of_tls = tls.handshake + tls.alert > 0 and ("Not counted as requests: %s, %s.\n"):format(tables.plural(
        tls.handshake, "TLS handshake", "TLS handshakes"), tables.plural(tls.alert, "TLS alert", "TLS alerts")) or ""
    if state.has_tcp and not state.has_payload and #rows == 0 then
        absence = "No packet carries data; -z latency,connects says what became of the connections.\n"
    end
    return "Servers, by how long clients waited for them (times in ms, shares in %)",
        summary .. left_out .. of_tls .. absence, "<Server|Reqs|Err|Unans.|Total|Share|" .. DESCRIPTION ..
        "|TTFB|TTFB p50|TTFB p95|TTFB p99|TTFB Max|Server time|n|Bytes", rows
end

function tables.connects()
    local rows, counts = {}, { [0] = 0, 0, 0, 0, 0 }
    for i, attempt in ipairs(state.attempts) do
        local result, server = connections.connect_result(attempt), connections.server(attempt)
        local since = attempt.syn_ns - state.start_ns -- the capture's first frame
        local size = math.abs(since)
        counts[result] = counts[result] + 1
        -- What names processes, Lua does not see.
        rows[i] = { ("%s%d.%06d"):format(since < 0 and "-" or "", floor(size / 1e9), floor(size % 1e9 / 1e3)),
            "-", "-", attempt.ipv6 and "6" or "4", tables.address(attempt[attempt.client].address),
            tables.address(server.address), ("%d"):format(server.port), "TCP", tables.time(attempt.connect_ns),
            CONNECT_RESULTS[result] }
    end
    local left_out, absence = tables.left_out()
    return "Connection attempts, from SYN to answer (times in ms)",
        ("%s: %d accepted, %d refused, %d unreachable, %d unanswered%s.\n"):format(
            tables.plural(#rows, "attempt", "attempts"), counts[ACCEPTED], counts[REFUSED], counts[UNREACHABLE],
            counts[UNANSWERED], tables.if_any(", %d waiting", counts[CONNECT_WAITING])) .. left_out .. absence,
        "Time|<PID|<Command|IP|<Source|<Destination|Port|<Over|Latency|<Result", rows
end

function tables.take_channel(group, channel, result)
    group.asked = group.asked + 1
    group.waiting = group.waiting + (result == CREATE_WAITING and 1 or 0)
    if channel.answer_frame then
        local create_ns = max(channel.answer_ns - channel.request_ns, 0)
        group.weight = group.weight + create_ns
        group.failed = group.failed + (result == CREATE_OK and 0 or 1)
        table.insert(group.times, result == CREATE_OK and create_ns or nil)
    end
end

-- Returns the servers, all of them as one, and how many channels may have been answered where the capture has a gap.
function tables.group_channels()
    local groups, all, unknown = {}, new_group(), 0
    for _, circuit in ipairs(state.circuits) do
        local connection, hello_ns = circuit.connection, circuit.hello_ns
        local syn_ns, answer_ns = connection.syn_ns, connection.syn_ack_ns
        if hello_ns or circuit.asked then
            local group = tables.group_of(groups, connection)
            table.insert(group.tcp_connect, syn_ns and answer_ns and max(answer_ns - syn_ns, 0))
            table.insert(group.hello, answer_ns and hello_ns and max(hello_ns - answer_ns, 0))
        end
    end
    for _, channel in ipairs(state.channels) do
        local result = circuits.result(channel)
        if result then
            tables.take_channel(tables.group_of(groups, channel.circuit.connection), channel, result)
            tables.take_channel(all, channel, result)
        end
        unknown = unknown + (result and 0 or 1)
    end
    tables.sort_groups(groups)
    return groups, all, unknown
end

tables["ca-servers"] = function()
    local rows, groups, all, unknown = {}, tables.group_channels()
    for i, group in ipairs(groups) do
        rows[i] = { tables.endpoint(group), tables.count(group.asked), tables.count(group.failed),
            tables.unanswered(group), tables.count(#group.times) }
        tables.describe(rows[i], group.times)
        table.insert(rows[i], tables.time(tables.mean(group.tcp_connect)))
        table.insert(rows[i], tables.time(tables.mean(group.hello)))
    end
    local orphans = state.orphans > 0 and ("Not counted: %s whose request is not in the capture.\n"):format(
        tables.plural(state.orphans, "channel", "channels")) or ""
    return "Channel Access servers, from CREATE_CHAN to its answer (times in ms)",
        ("%s: %d created, %d failed, %s unanswered%s.\n"):format(tables.plural(all.asked, "channel", "channels"),
            #all.times, all.failed, tables.unanswered(all), tables.if_any(", %d waiting", all.waiting))
            .. "Means: TCP, from SYN to SYN-ACK; Hello, from there to VERSION.\n" .. orphans
            .. tables.if_any("Not counted: %d that may have been answered in what the capture lacks.\n", unknown),
        "<Server|Channels|Fail|Unans.|OK|" .. DESCRIPTION .. "|TCP|Hello", rows
end

-- Returns the table's text, as tshark prints that of the compiled plugin with -o latency.columns:wide.
function tables.text(name)
    local title, notes, columns, rows = tables[name]()
    local lines, widths, is_left, headings = {}, {}, {}, {}
    for mark, heading in columns:gmatch("(<?)([^|]+)") do
        table.insert(is_left, mark == "<")
        table.insert(headings, heading)
    end
    table.insert(rows, 1, headings)
    for _, row in ipairs(rows) do
        for i, cell in ipairs(row) do widths[i] = max(widths[i] or 0, #cell) end
    end
    for _, row in ipairs(rows) do
        for i, cell in ipairs(row) do
            local padding = (" "):rep(widths[i] - #cell)
            row[i] = not is_left[i] and padding .. cell or i == #row and cell or cell .. padding
        end
        table.insert(lines, table.concat(row, "|"))
    end
    return title .. "\n" .. notes .. table.concat(lines, "\n") .. "\n"
end

local TITLES = { servers = "Servers", connects = "Connection Attempts", ["ca-servers"] = "Channel Access Servers" }

-- Has tshark print the tables that -X lua_script1 asks for when the capture has been read.
function tables.print_at_the_end(names)
    local asked = {}
    for name in names:gmatch("[^,%s]+") do
        if TITLES[name] then
            table.insert(asked, name)
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

-- Opens a window of Wireshark's: Tools > Latency.
function tables.open_window(name)
    local window = TextWindow.new("Latency: " .. TITLES[name])
    local function fill()
        guarded(function() window:set(tables.text(name)) end)
    end
    window:add_button("Refresh", fill)
    fill()
end

if gui_enabled() then
    for _, name in ipairs({ "servers", "connects", "ca-servers" }) do
        register_menu("Latency/" .. TITLES[name], function() guarded(tables.open_window, name) end, MENU_TOOLS_UNSORTED)
    end
end
