// SPDX-License-Identifier: GPL-2.0-or-later
// Draws the figures of the page with Chart.js. Times are nanoseconds; those since 1970 are texts, for a double does not hold them.
'use strict';
(() => {
const figures = JSON.parse(document.getElementById('figures').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
// Okabe and Ito's, which the colour-blind tell apart; dashes where they come again.
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const DASHES = [[], [7, 4], [2, 3]];
const POINTS = ['circle', 'rect', 'triangle', 'rectRot', 'cross', 'star'];
const AXIS_WIDTH = 86;
const charts = [];

const unitOf = ns => ns < 1e3 ? [1, 'ns'] : ns < 1e6 ? [1e3, 'µs'] : ns < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
const time = ns => {
    if (ns === null || ns === undefined)
        return '';
    if (ns === 0)
        return '0 s';
    const [unit, name] = unitOf(ns);
    return `${+(ns / unit).toPrecision(4)} ${name}`;
};
// In a column: with as many digits as the others.
const timeCell = ns => {
    if (!ns)
        return time(ns);
    const [unit, name] = unitOf(ns);
    return `${unit === 1 || ns >= 1000 * unit ? Math.round(ns / unit) : (ns / unit).toPrecision(4)} ${name}`;
};
const count = number => number.toLocaleString('en').replaceAll(',', ' ');
const bytes = number => number < 1e3 ? `${+number.toFixed(1)} B` : number < 1e6 ? `${+(number / 1e3).toPrecision(4)} kB` :
    number < 1e9 ? `${+(number / 1e6).toPrecision(4)} MB` : `${+(number / 1e9).toPrecision(4)} GB`;
const percent = share => `${(100 * share).toFixed(1)} %`;
const sinceFirst = text => Number(BigInt(text) - BigInt(figures.first));
const date = text => new Date(Number(BigInt(text) / 1000000n)).toISOString().replace('T', ' ').replace('Z', ' UTC');
const bucketStart = bucket => 10 ** (bucket / figures.bucketsOfTen);
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// --- tables --------------------------------------------------------------------------------------------------------

// A column: its heading, its value in a row, how that reads, and a class.
function fillTable(table, columns, rows, sorted) {
    const state = { column: sorted, down: true };
    const head = table.createTHead().insertRow(), body = table.createTBody();
    const fill = () => {
        const { column, down } = state;
        const value = row => columns[column].value(row) ?? -1;
        const order = [...rows].sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (down ? -1 : 1));
        body.replaceChildren(...order.map(row => {
            const line = document.createElement('tr');
            for (const each of columns) {
                const cell = line.insertCell();
                cell.className = each.kind ?? '';
                const shown = (each.show ?? String)(each.value(row), row);
                cell.append(shown instanceof Node ? shown : shown ?? '');
            }
            return line;
        }));
        [...head.cells].forEach((cell, i) => cell.setAttribute('aria-sort', i === column ? down ? 'descending' : 'ascending' : 'none'));
    };
    columns.forEach((each, i) => {
        const cell = document.createElement('th'), button = document.createElement('button');
        cell.scope = 'col';
        cell.className = each.kind ?? '';
        button.type = 'button';
        button.textContent = each.head;
        button.addEventListener('click', () => {
            Object.assign(state, { column: i, down: state.column === i ? !state.down : each.kind === undefined });
            fill();
        });
        cell.append(button);
        head.append(cell);
    });
    fill();
}

// A channel's, one after the other.
const PHASES = [
    ['Search', 'search', '#56b4e9'], ['Client, found', 'beforeConnect', '#bbbbbb'], ['TCP connect', 'tcpConnect', '#e69f00'], ['Hello', 'hello', '#cc79a7'],
    ['Client, connected', 'beforeCreate', '#777777'], ['Create', 'create', '#0072b2'], ['First value', 'firstValue', '#009e73'],
];
// A request's in the server's host.
const STAGES = [
    ['rx', 'rx', '#56b4e9'], ['tcpip_rx', 'tcpip_rx', '#0072b2'], ['epoll', 'epoll', '#e69f00'], ['wait', 'wait', '#d55e00'],
    ['read', 'read', '#cc79a7'], ['application', 'application', '#009e73'], ['tx', 'tx', '#f0e442'],
];

const figureColumns = [
    { head: 'Requests', value: row => row.requests, show: count },
    { head: 'No answer', value: row => row.unanswered, show: count },
    { head: 'Errors', value: row => row.errors, show: count },
    { head: 'Share', value: row => row.share, show: percent },
    ...[['Mean', 'mean'], ['p50', 'p50'], ['p95', 'p95'], ['p99', 'p99'], ['Max', 'max'], ['Server time', 'serverTime']].map(
        ([head, name]) => ({ head, value: row => row[name], show: timeCell })),
    { head: 'Of', value: row => row.serverTimes, show: count },
    { head: 'Bytes', value: row => row.bytes, show: bytes },
];
const serverColumn = { head: 'Server', value: row => row.server, kind: 'text' };
const fileColumn = figures.files.length > 1 ? [{ head: 'File', value: row => figures.files[row.file], kind: 'text' }] : [];
const protocol = row => row.type === 'channel' ? 'Channel Access' : 'pvAccess';

function copyButton(text) {
    const box = document.createElement('span'), code = document.createElement('code'), button = document.createElement('button');
    code.textContent = text;
    button.type = 'button';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${text}`);
    button.addEventListener('click', () => {
        getSelection().selectAllChildren(code);
        navigator.clipboard?.writeText(text).then(() => { button.textContent = 'Copied'; }, () => {});
    });
    box.append(code, ' ', button);
    return box;
}

function fillTables() {
    const more = (name, shown) => figures.inAll[name] > shown ? ` Shown are ${shown} of ${count(figures.inAll[name])}.` : '';
    for (const name of ['servers', 'operations', 'attempts', 'paths', 'searches'])
        document.querySelector(`#${name} p`).append(more(name, figures[name].length));
    fillTable(document.querySelector('#servers table'), [serverColumn, ...figureColumns], figures.servers, 4);
    fillTable(document.querySelector('#operations table'),
        [serverColumn, { head: 'Operation', value: row => row.operation || '(unknown)', kind: 'text wide' }, ...figureColumns], figures.operations, 5);
    fillTable(document.querySelector('#slowest table'), [
        { head: 'TTFB', value: row => row.firstByte, show: timeCell },
        { head: 'Server time', value: row => row.serverTime, show: timeCell },
        { head: 'After', value: row => sinceFirst(row.time), show: timeCell },
        { head: 'Client', value: row => row.client, kind: 'text' }, serverColumn,
        { head: 'Operation', value: row => row.operation, kind: 'text wide' },
        { head: 'Status', value: row => row.status || row.outcome, kind: 'text' },
        ...fileColumn,
        { head: 'Filter', value: row => row.number, show: number => copyButton(`latency.request == ${number}`), kind: 'text' },
    ], figures.slowest, 0);
    const channelColumns = [
        { head: 'After', value: row => sinceFirst(row.time), show: timeCell },
        { head: 'Channel', value: row => row.pv, kind: 'text wide' }, { head: 'Protocol', value: protocol, kind: 'text' },
        { head: 'Client', value: row => row.client, kind: 'text' }, serverColumn, ...fileColumn,
        { head: 'Filter', value: row => row.frame, show: frame => copyButton(`frame.number == ${frame}`), kind: 'text' },
    ];
    const reason = { head: 'Reason', value: row => [row.outcome, row.reason].filter(Boolean).join(': '), kind: 'text' };
    fillTable(document.querySelector('#slow-channels table'), [{ head: 'Connect', value: row => row.took, show: timeCell },
        ...PHASES.map(([head, name]) => ({ head, value: row => row[name] || null, show: timeCell })), ...channelColumns], figures.channels, 0);
    fillTable(document.querySelector('#reasons'), [{ head: 'Channels', value: row => row.channels, show: count }, reason, { head: 'Protocol', value: protocol, kind: 'text' }],
        figures.outcomes, 0);
    fillTable(document.querySelector('#never'), [{ head: 'Waited', value: row => row.took, show: timeCell }, reason, ...channelColumns], figures.neverConnected, 0);
    fillTable(document.querySelector('#searches table'), [
        { head: 'Sent', value: row => row.attempts, show: count }, { head: 'Searches', value: row => row.searches, show: count },
        { head: 'No answer', value: row => row.unanswered, show: count }, { head: 'Name', value: row => row.name, kind: 'text wide' }], figures.searches, 0);
}

// --- pictures ------------------------------------------------------------------------------------------------------

// Powers of ten are written at it; 2 and 5 of them, too, where there are few.
function timeTick(value) {
    const first = +(value / 10 ** Math.floor(Math.log10(value) + 1e-6)).toPrecision(3);
    return first === 1 || this.max / this.min < 100 && (first === 2 || first === 5) ? time(value) : '';
}
// The next of them below, or above.
function labelled(value, above) {
    const ten = 10 ** Math.floor(Math.log10(value) + 1e-6), steps = [1, 2, 5, 10].map(step => step * ten);
    return above ? steps.find(step => step >= value * (1 - 1e-6)) : steps.reverse().find(step => step <= value * (1 + 1e-6));
}
const timeAxis = (more = {}) => ({
    type: 'logarithmic', afterFit: axis => { axis.width = AXIS_WIDTH; }, ticks: { callback: timeTick }, ...more });
const countAxis = (show = count) => ({ beginAtZero: true, afterFit: axis => { axis.width = AXIS_WIDTH; }, ticks: { maxTicksLimit: 5, callback: value => show(value) } });
const titled = (axis, text) => ({ ...axis, title: { display: true, text } });

function draw(canvas, label, config) {
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', label);
    config.options = { maintainAspectRatio: false, animation: false, ...config.options };
    charts.push(new Chart(canvas, config));
}

const ofServer = (server, i) => ({
    label: server.server, borderColor: COLOURS[i % COLOURS.length], backgroundColor: COLOURS[i % COLOURS.length],
    borderDash: DASHES[Math.floor(i / COLOURS.length) % DASHES.length], pointStyle: POINTS[i % POINTS.length], borderWidth: 2 });
const legend = { labels: { usePointStyle: true } };

function drawPercentiles() {
    const names = new Map([[0, '0 %'], [3, '50 %'], [10, '90 %'], [20, '99 %'], [30, '99.9 %'], [40, '99.99 %']]);
    const share = step => 100 * (1 - 10 ** (-step / 10));
    draw(document.querySelector('#percentiles canvas'), 'Time to first byte by percentile, a line for each server; the figures are in the table of servers', {
        type: 'line',
        data: { datasets: figures.servers.filter(server => server.curve).map((server, i) => (
            { ...ofServer(server, i), data: server.curve.map(([x, y]) => ({ x, y: Math.max(y, 1) })), pointRadius: 2 })) },
        options: {
            interaction: { mode: 'nearest', intersect: false },
            scales: {
                x: { type: 'linear', min: 0, afterBuildTicks: axis => { axis.ticks = [...names.keys()].filter(value => value <= axis.max).map(value => ({ value })); },
                    ticks: { callback: value => names.get(value) } },
                y: timeAxis() },
            plugins: { legend, tooltip: { callbacks: {
                title: items => `${share(items[0].parsed.x).toPrecision(4)} % of responses`, label: item => `${item.dataset.label}: within ${time(item.parsed.y)}` } } } } });
}

function drawDistribution() {
    const servers = figures.servers.filter(server => server.histogram);
    const used = servers.flatMap(server => server.histogram.map(([bucket]) => bucket));
    const first = Math.min(...used) - 1, last = Math.max(...used) + 1;
    const points = server => {
        const counts = new Map(server.histogram), all = server.histogram.reduce((sum, [, n]) => sum + n, 0);
        return Array.from({ length: last - first + 1 }, (_, i) => ({ x: bucketStart(first + i), y: (counts.get(first + i) ?? 0) / all, n: counts.get(first + i) ?? 0 }));
    };
    draw(document.querySelector('#distribution canvas'), 'How often which time to first byte, a line of steps for each server', {
        type: 'line',
        data: { datasets: servers.map((server, i) => ({
            ...ofServer(server, i), data: points(server), stepped: 'before', pointRadius: 0, fill: servers.length === 1 })) },
        options: {
            interaction: { mode: 'index', intersect: false },
            scales: { x: { ...timeAxis(), afterFit: undefined, ticks: { ...timeAxis().ticks, maxRotation: 0 } }, y: countAxis(percent) },
            plugins: { legend, tooltip: { callbacks: {
                title: items => `${time(items[0].parsed.x)} to ${time(items[0].parsed.x * 10 ** (1 / figures.bucketsOfTen))}`,
                label: item => `${item.dataset.label}: ${count(item.raw.n)} (${percent(item.raw.y)})` } } } } });
}

const momentLabels = () => figures.moments.map((_, i) => time(i * figures.moment));
const momentAxis = { ticks: { maxTicksLimit: 12, maxRotation: 0 }, grid: { display: false } };

function shade(share) {
    const [from, to] = dark.matches ? [[20, 40, 66], [190, 232, 255]] : [[214, 229, 244], [8, 38, 92]];
    return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * share)).join(',')})`;
}

// A row of the map is a set of bars that hang between its bounds.
function drawHeat() {
    const most = Math.max(1, ...figures.heat.map(([, , n]) => n)), rows = new Map();
    for (const [moment, bucket, n] of figures.heat) {
        if (!rows.has(bucket))
            rows.set(bucket, { data: figures.moments.map(() => null), backgroundColor: figures.moments.map(() => 'transparent'), counts: [] });
        const row = rows.get(bucket);
        row.data[moment] = [bucketStart(bucket), bucketStart(bucket + 1)];
        row.backgroundColor[moment] = shade(Math.log(1 + n) / Math.log(1 + most));
        row.counts[moment] = n;
    }
    const buckets = [...rows.keys()];
    draw(document.getElementById('heat-times'), 'Responses by when their request began and by their time to first byte', {
        type: 'bar',
        data: { labels: momentLabels(), datasets: [...rows.values()].map(row => ({
            ...row, grouped: false, barPercentage: 1, categoryPercentage: 1, borderWidth: 0, borderSkipped: false })) },
        options: {
            scales: { x: momentAxis, y: timeAxis({ min: labelled(bucketStart(Math.min(...buckets)), false), max: labelled(bucketStart(Math.max(...buckets) + 1), true) }) },
            plugins: { legend: { display: false }, tooltip: { callbacks: {
                title: items => `${items[0].label} after the start, for ${time(figures.moment)}`,
                label: item => `${count(item.dataset.counts[item.dataIndex])} responses in ${time(item.raw[0])} to ${time(item.raw[1])}` } } } } });
}

const COLUMN = { requests: 0, errors: 1, unanswered: 2, bytes: 3 };
const ofMoments = (name, label, colour, more) => (
    { label, data: figures.moments.map(moment => moment[COLUMN[name]]), backgroundColor: colour, borderColor: colour, ...more });
const barsOfMoments = { barPercentage: 1, categoryPercentage: 1 };

function drawFailures() {
    draw(document.getElementById('heat-failures'), 'Errors and requests without a response over time', {
        type: 'bar',
        data: { labels: momentLabels(), datasets: [ofMoments('errors', 'Errors', '#cc79a7', barsOfMoments), ofMoments('unanswered', 'No answer', '#d55e00', barsOfMoments)] },
        options: { scales: { x: { ...momentAxis, stacked: true }, y: { ...countAxis(), stacked: true } }, plugins: { legend } } });
}

function drawRates() {
    const seconds = figures.moment / 1e9;
    const rate = (name, label, colour, more) => {
        const set = ofMoments(name, label, colour, { pointRadius: 0, borderWidth: 2, stepped: 'middle', ...more });
        return { ...set, data: set.data.map(value => value / seconds) };
    };
    const number = value => count(+value.toPrecision(3));
    const line = (id, label, sets, show) => draw(document.getElementById(id), label, {
        type: 'line', data: { labels: momentLabels(), datasets: sets },
        options: { interaction: { mode: 'index', intersect: false }, scales: { x: momentAxis, y: countAxis(show) },
            plugins: { legend, tooltip: { callbacks: { label: item => `${item.dataset.label}: ${show(item.parsed.y)}` } } } } });
    line('rate-requests', 'Requests and errors a second',
        [rate('requests', 'Requests/s', COLOURS[0]), rate('errors', 'Errors/s', COLOURS[3], { borderDash: [6, 3] })], number);
    line('rate-bytes', 'Bytes of responses a second', [rate('bytes', 'Bytes of responses/s', COLOURS[2], { fill: true })], bytes);
}

// Rows of bars that follow each other: of each part its name, its member or value in a row, and its colour.
function drawWaterfall(canvas, label, rows, name, title, parts) {
    const value = ([, of], row) => (typeof of === 'string' ? row[of] : of(row)) ?? 0;
    const drawn = parts.filter(part => rows.some(row => value(part, row) > 0));
    canvas.parentElement.style.height = `${90 + 15 * rows.length}px`;
    draw(canvas, label, {
        type: 'bar',
        data: { labels: rows.map(name), datasets: drawn.map(part => ({ label: part[0], data: rows.map(row => value(part, row)), backgroundColor: part[2], barPercentage: 0.9 })) },
        options: { indexAxis: 'y', interaction: { mode: 'index', axis: 'y', intersect: false },
            scales: { x: { stacked: true, position: 'top', ticks: { callback: at => time(at), maxTicksLimit: 8 } }, y: { stacked: true, ticks: { autoSkip: false, font: { size: 11 } } } },
            plugins: { legend: {}, tooltip: { callbacks: {
                title: items => title(rows[items[0].dataIndex]), label: item => item.raw > 0 ? `${item.dataset.label}: ${time(item.raw)}` : null } } } } });
}

const short = text => text.length > 40 ? `${text.slice(0, 39)}…` : text;
const inHost = row => STAGES.reduce((sum, [, name]) => sum + (row[name] ?? 0), 0);
const known = row => row.serverTime !== undefined || inHost(row) > 0;

function drawSlowest() {
    drawWaterfall(document.querySelector('#slowest canvas'), 'The slowest requests, each as a row of bars: connecting, TLS, sending, round trip, server, response',
        figures.slowest, row => short(row.operation) || `request ${row.number}`, row => `${row.client} → ${row.server}, request ${row.number}`, [
            ['TCP connect', 'connect', '#e69f00'],
            ['TLS', 'handshake', '#cc79a7'],
            ['Client sends', 'asking', '#56b4e9'],
            ['Round trip', row => known(row) ? Math.max(0, row.service - (inHost(row) || row.serverTime)) : 0, '#bbbbbb'],
            ['Server', row => inHost(row) ? 0 : row.serverTime, '#0072b2'],
            ['Round trip and server', row => known(row) ? 0 : row.service, '#777777'],
            ...STAGES,
            ['Response arrives', 'answering', '#009e73'],
        ]);
}

function drawChannels() {
    drawWaterfall(document.querySelector('#channels canvas'), 'The channels that were slowest to connect, each as a row of bars by phase; the figures are in the table below',
        figures.channels, row => short(row.pv), row => `${row.client} → ${row.server}`, PHASES);
}

// A picture for each server whose host the capture was made in.
function drawStages() {
    const place = document.querySelector('#stages div'), servers = figures.servers.filter(server => server.stages);
    place.replaceChildren(...servers.map(() => Object.assign(document.createElement('div'), { className: 'chart' })));
    servers.forEach((server, i) => {
        const canvas = place.children[i].appendChild(document.createElement('canvas'));
        draw(canvas, `Mean time of a request to ${server.server} in each stage of its host, over time`, {
            type: 'line',
            data: { datasets: STAGES.map(([label, , colour], part) => ({
                label, borderColor: colour, backgroundColor: colour, fill: part ? '-1' : 'origin', borderWidth: 1, pointRadius: server.stages.length > 40 ? 0 : 2,
                data: server.stages.map(([moment, requests, ...sums]) => ({ x: moment * figures.moment, y: sums[part] / requests, n: requests })) })) },
            options: {
                interaction: { mode: 'index', intersect: false },
                scales: { x: { type: 'linear', min: 0, max: figures.moments.length * figures.moment, ticks: { callback: value => time(value), maxTicksLimit: 12, maxRotation: 0 }, grid: { display: false } },
                    y: { ...countAxis(time), stacked: true } },
                plugins: { title: { display: true, text: server.server, align: 'start' }, tooltip: { itemSort: (a, b) => b.datasetIndex - a.datasetIndex, callbacks: {
                    title: items => `${time(items[0].parsed.x)} after the start: mean of ${count(items[0].raw.n)}`, label: item => `${item.dataset.label}: ${time(item.raw.y)}` } } } } });
    });
}

function drawStacked(id, label, rows, name, parts) {
    const canvas = document.querySelector(`#${id} canvas`), drawn = rows.filter(row => parts.some(([, member]) => row[member] > 0));
    canvas.parentElement.style.height = `${90 + 24 * drawn.length}px`;
    if (drawn.length === 0) {
        document.querySelector(`#${id} p`).append(' There are none.');
        canvas.parentElement.hidden = true;
        return;
    }
    draw(canvas, label, {
        type: 'bar',
        data: { labels: drawn.map(name), datasets: parts.map(([text, member, colour]) => ({ label: text, data: drawn.map(row => row[member]), backgroundColor: colour })) },
        options: { indexAxis: 'y', scales: { x: { stacked: true, ticks: { precision: 0, callback: value => count(value) } }, y: { stacked: true, ticks: { autoSkip: false } } },
            plugins: { legend: {} } } });
}

function drawAll() {
    charts.splice(0).forEach(chart => chart.destroy());
    Chart.defaults.color = style('--text');
    Chart.defaults.borderColor = style('--line');
    if (figures.heat.length > 0) {
        drawPercentiles();
        drawDistribution();
        drawHeat();
        drawSlowest();
    }
    drawStages();
    if (figures.channels.length > 0)
        drawChannels();
    drawFailures();
    drawRates();
    drawStacked('attempts', 'Attempts to connect to each server, by result', figures.attempts, row => row.server,
        [['Accepted', 'accepted', '#009e73'], ['Refused', 'refused', '#d55e00'], ['Unreachable', 'unreachable', '#cc79a7'], ['No answer', 'unanswered', '#e69f00']]);
    drawStacked('paths', 'Frames sent again, out of order or after a gap, by sender and server', figures.paths, row => `${row.sender} ↔ ${row.server}`,
        [['Sent again', 'retransmitted', '#d55e00'], ['Out of order', 'out_of_order', '#e69f00'], ['After an IP ID gap', 'gaps', '#0072b2']]);
}

const requests = figures.moments.reduce((sum, moment) => sum + moment[COLUMN.requests], 0);
document.getElementById('about').textContent = `${count(requests)} requests of ${figures.files.join(', ')}: ` +
    `from ${date(figures.first)}, for ${time(Number(BigInt(figures.last) - BigInt(figures.first)))}.`;
document.title = `Latency report: ${figures.files[0]}`;
// What the captures have nothing of is not shown.
const has = { stages: figures.servers.some(server => server.stages), channels: figures.outcomes.length > 0, searches: figures.searches.length > 0 };
for (const [id, there] of Object.entries(has))
    for (const element of document.querySelectorAll(`#${id}, a[href="#${id}"]`))
        element.hidden = !there;
document.getElementById('slow-channels').hidden = figures.channels.length === 0;
document.getElementById('never-connected').hidden = figures.neverConnected.length === 0;
fillTables();
drawAll();
dark.addEventListener('change', drawAll);
document.documentElement.dataset.charts = charts.length;
})();
