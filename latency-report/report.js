// SPDX-License-Identifier: GPL-2.0-or-later
// Draws the figures of the page with Chart.js. Times are nanoseconds; those since 1970 are texts, for a double does not hold them.
'use strict';
(() => {
const figures = JSON.parse(document.getElementById('figures').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
// In the light, and in the dark: each stands out from the page, and the colour-blind tell them apart.
const INKS = {
    blue: ['#0072b2', '#8fd3ff'], orange: ['#d55e00', '#d55e00'], green: ['#009e73', '#009e73'], purple: ['#7a2f63', '#9a8cff'], strong: ['#222222', '#e6e6e6'],
    pink: ['#cc6fa3', '#cc79a7'], deep: ['#005a40', '#ffc04d'], violet: ['#5b4bb5', '#f0e442'], brown: ['#997300', '#56b4e9'], grey: ['#777777', '#9a9a9a'],
};
const ink = name => INKS[name][dark.matches ? 1 : 0];
// Those of servers; dashes where they come again.
const SERIES = ['blue', 'orange', 'green', 'purple', 'strong', 'pink'];
const DASHES = [[], [7, 4], [2, 3]];
const POINTS = ['circle', 'rect', 'triangle', 'rectRot', 'cross', 'star'];
const AXIS_WIDTH = 86;

const unitOf = ns => ns < 1e3 ? [1, 'ns'] : ns < 1e6 ? [1e3, 'µs'] : ns < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
const time = ns => {
    if (ns === null || ns === undefined)
        return '';
    if (ns === 0)
        return '0 s';
    const [unit, name] = unitOf(ns);
    return `${+(ns / unit).toPrecision(4)} ${name}`;
};
// In a column: in milliseconds, with as many digits behind the point as the others.
const timeCell = ns => ns === null || ns === undefined ? '–' : (ns / 1e6).toLocaleString('en', { minimumFractionDigits: 3, maximumFractionDigits: 3 }).replaceAll(',', ' ');
const count = number => number.toLocaleString('en').replaceAll(',', ' ');
const bytes = number => number < 1e3 ? `${+number.toFixed(1)} B` : number < 1e6 ? `${+(number / 1e3).toPrecision(4)} kB` :
    number < 1e9 ? `${+(number / 1e6).toPrecision(4)} MB` : `${+(number / 1e9).toPrecision(4)} GB`;
const some = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
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
            line.row = row;
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
    ['Search', 'search', 'blue'], ['Client, found', 'beforeConnect', 'grey'], ['TCP connect', 'tcpConnect', 'orange'], ['Hello', 'hello', 'pink'],
    ['Client, connected', 'beforeCreate', 'strong'], ['Create', 'create', 'purple'], ['First value', 'firstValue', 'green'],
];
// A request's in the server's host.
const STAGES = [
    ['rx', 'rx', 'pink'], ['tcpip_rx', 'tcpip_rx', 'purple'], ['epoll', 'epoll', 'strong'], ['wait', 'wait', 'orange'],
    ['read', 'read', 'violet'], ['application', 'application', 'blue'], ['tx', 'tx', 'deep'],
];

// A part of all waiting, as a bar behind its number.
function shareBar(share) {
    const bar = document.createElement('span');
    bar.className = 'bar';
    bar.style.setProperty('--share', `${100 * share}%`);
    bar.textContent = percent(share);
    return bar;
}
const problems = number => {
    const text = document.createElement('span');
    text.className = number > 0 ? 'problem' : '';
    text.textContent = count(number);
    return text;
};
// Of fewer durations the percentile is the longest of them.
const ofAtLeast = (least, name) => row => row.durations < least ? null : row[name];
const figureColumns = [
    { head: 'Share', value: row => row.share, show: shareBar },
    { head: 'Total', value: row => row.waited, show: timeCell },
    { head: 'Requests', value: row => row.requests, show: count },
    { head: 'Errors', value: row => row.errors, show: problems },
    { head: 'Unanswered', value: row => row.unanswered, show: problems },
    ...[['Mean', row => row.mean], ['p50', row => row.p50], ['p95', ofAtLeast(20, 'p95')], ['p99', ofAtLeast(100, 'p99')], ['Max', row => row.max],
        ['TTFB', row => row.firstByte], ['Server time', row => row.serverTime]].map(([head, value]) => ({ head, value, show: timeCell })),
    { head: 'n', value: row => row.serverTimes, show: count },
    { head: 'Bytes', value: row => row.bytes, show: bytes },
];
const serverColumn = { head: 'Server', value: row => row.server, kind: 'text' };
const fileColumn = figures.files.length > 1 ? [{ head: 'File', value: row => figures.files[row.file], kind: 'text' }] : [];
// Those with a row of bars, and those that are folded.
const SLOWEST_SHOWN = 20;
const slowest = figures.slowest.slice(0, SLOWEST_SHOWN), otherSlow = figures.slowest.slice(SLOWEST_SHOWN);
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

// Shows its pictures, if it has any.
function operationCell(name, row) {
    if (!row.curve)
        return name;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'pick';
    button.textContent = name;
    button.setAttribute('aria-pressed', row === picked);
    button.addEventListener('click', () => pick(row));
    return button;
}

const slowestColumns = () => [
    { head: 'Duration', value: row => row.duration, show: timeCell },
    { head: 'TTFB', value: row => row.firstByte, show: timeCell },
    { head: 'Server time', value: row => row.serverTime, show: timeCell },
    { head: 'After', value: row => sinceFirst(row.time), show: timeCell },
    { head: 'Operation', value: row => row.operation, kind: 'text wide' },
    { head: 'Client', value: row => row.client, kind: 'text' }, serverColumn,
    { head: 'Status', value: row => (row.status || row.outcome) + (row.stream ? ', a stream' : ''), kind: 'text' },
    ...fileColumn,
    { head: 'Filter', value: row => row.number, show: number => copyButton(`latency.request == ${number}`), kind: 'text' },
];

function fillTables() {
    const more = (name, shown) => figures.inAll[name] > shown ? ` Shown are ${shown} of ${count(figures.inAll[name])}.` : '';
    for (const name of ['servers', 'operations', 'attempts', 'paths', 'searches'])
        document.querySelector(`#${name} p`).append(more(name, figures[name].length));
    fillTable(document.querySelector('#servers table'), [serverColumn, ...figureColumns], figures.servers, 1);
    fillTable(document.querySelector('#operations table'),
        [{ head: 'Operation', value: row => row.operation || '(unknown)', show: operationCell, kind: 'text wide' }, serverColumn, ...figureColumns], figures.operations, 2);
    const folded = document.querySelector('#slowest details');
    fillTable(document.querySelector('#slowest table'), slowestColumns(), slowest, 0);
    fillTable(folded.querySelector('table'), slowestColumns(), otherSlow, 0);
    folded.querySelector('summary').textContent = `The next ${count(otherSlow.length)}`;
    folded.hidden = otherSlow.length === 0;
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
        { head: 'Unanswered', value: row => row.unanswered, show: count }, { head: 'Name', value: row => row.name, kind: 'text wide' }], figures.searches, 0);
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
// `low`, `high`: of what is drawn.
const timeAxis = (low, high, more = {}) => ({
    type: 'logarithmic', min: labelled(low, false), max: labelled(high, true), afterFit: axis => { axis.width = AXIS_WIDTH; }, ticks: { callback: timeTick }, ...more });
const countAxis = (show = count, more = {}) => (
    { beginAtZero: true, afterFit: axis => { axis.width = AXIS_WIDTH; }, ticks: { maxTicksLimit: 5, callback: value => show(value), ...more } });
function draw(canvas, label, config) {
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', label);
    config.options = { maintainAspectRatio: false, animation: false, ...config.options };
    Chart.getChart(canvas)?.destroy();
    new Chart(canvas, config);
}

const ofServer = (server, i) => ({
    label: server.server, borderColor: ink(SERIES[i % SERIES.length]), backgroundColor: ink(SERIES[i % SERIES.length]),
    borderDash: DASHES[Math.floor(i / SERIES.length) % DASHES.length], pointStyle: POINTS[i % POINTS.length], borderWidth: 2 });
// What has one series needs none.
const legendOf = sets => ({ display: sets.length > 1, labels: { usePointStyle: true } });

const CURVE_TICKS = new Map([[0, '0 %'], [3, '50 %'], [10, '90 %'], [20, '99 %'], [30, '99.9 %'], [40, '99.99 %']]);

// A line for each row that has a curve.
function drawCurves(canvas, label, rows) {
    const share = step => 100 * (1 - 10 ** (-step / 10));
    const sets = rows.map((row, i) => ({ ...ofServer(row, i), data: row.curve.map(([x, y]) => ({ x, y: Math.max(y, 1) })), pointRadius: 2 }));
    const times = sets.flatMap(set => set.data.map(point => point.y));
    draw(canvas, label, {
        type: 'line',
        data: { datasets: sets },
        options: {
            interaction: { mode: 'nearest', intersect: false },
            scales: {
                x: { type: 'linear', min: 0, afterBuildTicks: axis => { axis.ticks = [...CURVE_TICKS.keys()].filter(value => value <= axis.max).map(value => ({ value })); },
                    ticks: { callback: value => CURVE_TICKS.get(value) } },
                y: timeAxis(Math.min(...times), Math.max(...times)) },
            plugins: { legend: legendOf(sets), tooltip: { callbacks: {
                title: items => `${share(items[0].parsed.x).toPrecision(4)} % of responses`,
                label: item => `${sets.length > 1 ? `${item.dataset.label}: ` : ''}within ${time(item.parsed.y)}` } } } } });
}

function drawPercentiles() {
    drawCurves(document.querySelector('#percentiles canvas'), 'Duration by percentile, a line for each server; the figures are in the table of servers',
        figures.servers.filter(server => server.curve));
}

function drawDistribution() {
    const servers = figures.servers.filter(server => server.histogram);
    const used = servers.flatMap(server => server.histogram.map(([bucket]) => bucket));
    const first = Math.min(...used) - 1, last = Math.max(...used) + 1;
    const points = server => {
        const counts = new Map(server.histogram), all = server.histogram.reduce((sum, [, n]) => sum + n, 0);
        return Array.from({ length: last - first + 1 }, (_, i) => ({ x: bucketStart(first + i), y: (counts.get(first + i) ?? 0) / all, n: counts.get(first + i) ?? 0 }));
    };
    draw(document.querySelector('#distribution canvas'), 'How often each duration occurred, a stepped line for each server', {
        type: 'line',
        data: { datasets: servers.map((server, i) => ({
            ...ofServer(server, i), data: points(server), stepped: 'before', pointRadius: 0, fill: servers.length === 1 })) },
        options: {
            interaction: { mode: 'index', intersect: false },
            scales: { x: timeAxis(bucketStart(first), bucketStart(last), { afterFit: undefined, ticks: { callback: timeTick, maxRotation: 0 } }), y: countAxis(percent) },
            plugins: { legend: legendOf(servers), tooltip: { callbacks: {
                title: items => `${time(items[0].parsed.x)} to ${time(items[0].parsed.x * 10 ** (1 / figures.bucketsOfTen))}`,
                label: item => `${item.dataset.label}: ${count(item.raw.n)} (${percent(item.raw.y)})` } } } } });
}

// The shortest round time that leaves room for what is written at it.
const WIDTH_OF_TICK = 75;
function stepOfTicks(width) {
    for (let ten = 10 ** Math.floor(Math.log10(figures.moment) + 1e-6); ; ten *= 10)
        for (const step of [ten, 2 * ten, 5 * ten])
            if (step % figures.moment === 0 && figures.moments.length * figures.moment / step <= Math.max(1, width / WIDTH_OF_TICK))
                return step / figures.moment;
}
const momentAxis = {
    grid: { display: false },
    afterBuildTicks: axis => {
        const step = stepOfTicks(axis.chart.width - AXIS_WIDTH);
        axis.ticks = figures.moments.map((_, i) => ({ value: i })).filter(({ value }) => value % step === 0);
    },
    ticks: { autoSkip: false, maxRotation: 0, callback: value => time(value * figures.moment) },
};
const momentLabels = () => figures.moments.map((_, i) => time(i * figures.moment));

function shade(n, most) {
    const share = most > 1 ? Math.log(n) / Math.log(most) : 1;
    const [from, to] = dark.matches ? [[64, 105, 150], [190, 232, 255]] : [[88, 145, 198], [8, 38, 92]];
    return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * share)).join(',')})`;
}

// Says what the colours of a map mean, which is an element before it.
function fillScale(scale, most) {
    const shown = [...new Set([0, 0.25, 0.5, 0.75, 1].map(share => Math.round(most ** share)))];
    scale.replaceChildren('Responses:', ...shown.flatMap(n => {
        const patch = document.createElement('i'), label = document.createElement('span');
        patch.style.background = shade(n, most);
        label.append(patch, count(n));
        return label;
    }));
}

// Each row of the map is a set of bars that hang between its bounds.
function rowsOfMap(heat, most) {
    const rows = new Map();
    for (const [moment, first, ...counts] of heat)
        counts.forEach((n, i) => {
            const bucket = first + i;
            if (n === 0)
                return;
            if (!rows.has(bucket))
                rows.set(bucket, { data: figures.moments.map(() => null), backgroundColor: figures.moments.map(() => 'transparent'), counts: [] });
            const row = rows.get(bucket);
            row.data[moment] = [bucketStart(bucket), bucketStart(bucket + 1)];
            row.backgroundColor[moment] = shade(n, most);
            row.counts[moment] = n;
        });
    return rows;
}

function drawMap(canvas, label, heat) {
    const most = Math.max(...heat.flatMap(([, , ...counts]) => counts)), rows = rowsOfMap(heat, most), buckets = [...rows.keys()];
    fillScale(canvas.parentElement.previousElementSibling, most);
    draw(canvas, label, {
        type: 'bar',
        data: { labels: momentLabels(), datasets: [...rows.values()].map(row => ({
            ...row, grouped: false, barPercentage: 1, categoryPercentage: 1, borderWidth: 0, borderSkipped: false })) },
        options: {
            scales: { x: momentAxis, y: timeAxis(bucketStart(Math.min(...buckets)), bucketStart(Math.max(...buckets) + 1)) },
            plugins: { legend: { display: false }, tooltip: { callbacks: {
                title: items => `${items[0].label} after the start, for ${time(figures.moment)}`,
                label: item => `${count(item.dataset.counts[item.dataIndex])} responses in ${time(item.raw[0])} to ${time(item.raw[1])}` } } } } });
}

// The operation whose pictures are shown: that for which clients waited longest, until another is chosen.
let picked = figures.operations.find(row => row.curve);

function drawPicked() {
    const name = `${picked.operation || '(unknown)'} on ${picked.server}`;
    document.querySelector('#operation h3').textContent = name;
    drawCurves(document.getElementById('operation-percentiles'), `Duration of ${name} by percentile`, [picked]);
    drawMap(document.getElementById('operation-heat'), `Responses to ${name} by when their request began and by their duration`, picked.heat);
}

function pick(row) {
    picked = row;
    for (const button of document.querySelectorAll('#operations .pick'))
        button.setAttribute('aria-pressed', button.closest('tr').row === row);
    drawPicked();
}

const COLUMN = { requests: 0, errors: 1, unanswered: 2, bytes: 3 };
const ofMoments = (name, label, colour, more) => (
    { label, data: figures.moments.map(moment => moment[COLUMN[name]]), backgroundColor: colour, borderColor: colour, ...more });
const barsOfMoments = { barPercentage: 1, categoryPercentage: 1 };

function drawFailures() {
    const canvas = document.getElementById('heat-failures');
    const sets = [['errors', 'Errors', 'purple'], ['unanswered', 'Unanswered', 'orange']].map(([name, label, colour]) => ofMoments(name, label, ink(colour), barsOfMoments))
        .filter(set => set.data.some(value => value > 0));
    canvas.parentElement.hidden = sets.length === 0;
    if (sets.length > 0)
        draw(canvas, `${sets.map(set => set.label).join(' and ')} over time`, {
            type: 'bar',
            data: { labels: momentLabels(), datasets: sets },
            options: { scales: { x: { ...momentAxis, stacked: true }, y: { ...countAxis(count, { precision: 0 }), stacked: true, title: { display: true, text: sets.length > 1 ? 'Failures' : sets[0].label } } },
                plugins: { legend: legendOf(sets) } } });
}

function drawRates() {
    const seconds = figures.moment / 1e9;
    const rate = (name, label, colour, more) => {
        const set = ofMoments(name, label, ink(colour), { pointRadius: 0, borderWidth: 2, stepped: 'middle', ...more });
        return { ...set, data: set.data.map(value => value / seconds) };
    };
    const number = value => count(+value.toPrecision(3));
    const line = (id, label, sets, show) => draw(document.getElementById(id), label, {
        type: 'line', data: { labels: momentLabels(), datasets: sets },
        options: { interaction: { mode: 'index', intersect: false }, scales: { x: momentAxis, y: { ...countAxis(show), title: { display: true, text: sets.length > 1 ? 'a second' : sets[0].label } } },
            plugins: { legend: legendOf(sets), tooltip: { callbacks: { label: item => `${item.dataset.label}: ${show(item.parsed.y)}` } } } } });
    const errors = figures.all.errors > 0 ? [rate('errors', 'Errors/s', 'orange', { borderDash: [6, 3] })] : [];
    line('rate-requests', 'Requests and errors a second', [rate('requests', 'Requests/s', 'blue'), ...errors], number);
    line('rate-bytes', 'Bytes of responses a second', [rate('bytes', 'Bytes/s', 'green', { fill: true })], bytes);
}

// Rows of bars that follow each other: of each part its name, its member or value in a row, and its colour.
function drawWaterfall(canvas, label, rows, name, title, parts) {
    const value = ([, of], row) => (typeof of === 'string' ? row[of] : of(row)) ?? 0;
    const drawn = parts.filter(part => rows.some(row => value(part, row) > 0));
    canvas.parentElement.style.height = `${90 + 15 * rows.length}px`;
    draw(canvas, label, {
        type: 'bar',
        data: { labels: rows.map(name), datasets: drawn.map(part => ({ label: part[0], data: rows.map(row => value(part, row)), backgroundColor: ink(part[2]), barPercentage: 0.9 })) },
        options: { indexAxis: 'y', interaction: { mode: 'index', axis: 'y', intersect: false },
            scales: { x: { stacked: true, position: 'top', ticks: { callback: at => time(at), maxTicksLimit: 8 } }, y: { stacked: true, ticks: { autoSkip: false, font: { size: 11 } } } },
            plugins: { legend: legendOf(drawn), tooltip: { callbacks: {
                title: items => title(rows[items[0].dataIndex]), label: item => item.raw > 0 ? `${item.dataset.label}: ${time(item.raw)}` : null } } } } });
}

const short = text => text.length > 40 ? `${text.slice(0, 39)}…` : text;
const inHost = row => STAGES.reduce((sum, [, name]) => sum + (row[name] ?? 0), 0);
const known = row => row.serverTime !== undefined || inHost(row) > 0;

function drawSlowest() {
    drawWaterfall(document.querySelector('#slowest canvas'), 'The slowest requests, each as a row of bars: connecting, TLS, sending, round trip, server, response',
        slowest, row => short(row.operation) || `request ${row.number}`, row => `${row.client} → ${row.server}, request ${row.number}`, [
            ['TCP connect', 'connect', 'orange'],
            ['TLS', 'handshake', 'pink'],
            ['Client sends', 'asking', 'brown'],
            ['Round trip', row => known(row) ? Math.max(0, row.service - (inHost(row) || row.serverTime)) : 0, 'grey'],
            ['Server', row => inHost(row) ? 0 : row.serverTime, 'blue'],
            ['Round trip and server', row => known(row) ? 0 : row.service, 'strong'],
            ...STAGES,
            ['Response arrives', 'answering', 'green'],
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
                label, borderColor: ink(colour), backgroundColor: ink(colour), fill: part ? '-1' : 'origin', borderWidth: 1, pointRadius: server.stages.length > 40 ? 0 : 2,
                data: server.stages.map(([moment, requests, ...sums]) => ({ x: moment * figures.moment, y: sums[part] / requests, n: requests })) })) },
            options: {
                interaction: { mode: 'index', intersect: false },
                scales: { x: { type: 'linear', min: 0, max: figures.moments.length * figures.moment, ticks: { callback: value => time(value), maxTicksLimit: 12, maxRotation: 0 }, grid: { display: false } },
                    y: { ...countAxis(time), stacked: true } },
                plugins: { title: { display: true, text: server.server, align: 'start' }, tooltip: { itemSort: (a, b) => b.datasetIndex - a.datasetIndex, callbacks: {
                    title: items => `${time(items[0].parsed.x)} after the start: mean of ${count(items[0].raw.n)}`, label: item => `${item.dataset.label}: ${time(item.raw.y)}` } } } } });
    });
}

// Says, instead of a picture, why it would be empty; once, for all is drawn anew when the colours change.
function leaveOut(id, why) {
    const chart = document.querySelector(`#${id} canvas`).parentElement;
    if (!chart.hidden)
        document.querySelector(`#${id} p`).append(` ${why}`);
    chart.hidden = true;
}

function drawStacked(id, label, rows, name, parts) {
    const canvas = document.querySelector(`#${id} canvas`), drawn = rows.filter(row => parts.some(([, member]) => row[member] > 0));
    canvas.parentElement.style.height = `${90 + 24 * drawn.length}px`;
    if (drawn.length === 0) {
        leaveOut(id, 'There are none.');
        return;
    }
    const sets = parts.filter(([, member]) => drawn.some(row => row[member] > 0))
        .map(([text, member, colour]) => ({ label: text, data: drawn.map(row => row[member]), backgroundColor: ink(colour) }));
    draw(canvas, label, {
        type: 'bar',
        data: { labels: drawn.map(name), datasets: sets },
        options: { indexAxis: 'y',
            scales: { x: { stacked: true, ticks: { precision: 0, callback: value => count(value) }, title: { display: sets.length === 1, text: sets[0].label } },
                y: { stacked: true, ticks: { autoSkip: false } } },
            plugins: { legend: legendOf(sets) } } });
}

function drawAll() {
    Chart.defaults.color = style('--text');
    Chart.defaults.borderColor = style('--line');
    if (figures.heat.length > 0) {
        drawPicked();
        drawPercentiles();
        drawDistribution();
        drawMap(document.getElementById('heat-times'), 'Responses by when their request began and by their duration', figures.heat);
    } else {
        const { streams, longPolls } = figures.all;
        const why = streams + longPolls > 0 ? 'There is no chart: each response is a stream, or answers a request that awaits an event, and these have no duration.'
            : 'There is no chart: no request has a response.';
        for (const id of ['percentiles', 'distribution', 'heat'])
            leaveOut(id, why);
    }
    if (slowest.length > 0)
        drawSlowest();
    else
        leaveOut('slowest', 'There are none.');
    if (edges.length > 0)
        drawServices();
    drawStages();
    if (figures.channels.length > 0)
        drawChannels();
    drawFailures();
    drawRates();
    drawStacked('attempts', 'Connection attempts to each server, by result', figures.attempts, row => row.server,
        [['Accepted', 'accepted', 'green'], ['Refused', 'refused', 'orange'], ['Unreachable', 'unreachable', 'purple'], ['Unanswered', 'unanswered', 'strong']]);
    drawStacked('paths', 'Frames sent again, out of order or after a gap, by sender and server', figures.paths, row => `${row.sender} ↔ ${row.server}`,
        [['Sent again', 'retransmitted', 'orange'], ['Out of order', 'out_of_order', 'purple'], ['After an IP ID gap', 'gaps', 'blue']]);
}

// --- who calls whom ------------------------------------------------------------------------------------------------

const NODE_WIDTH = 160, PORT = 26, NODE_LEAST = 46, SPACE = 24, LOOP = 34, EDGE_WIDEST = 10, TIP = 9, NAME_MOST = 22, LETTER = 5.6;
function svg(name, attributes, ...inner) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes))
        element.setAttribute(key, value);
    element.append(...inner);
    return element;
}
const { nodes = [], edges = [] } = figures.calls ?? {};
const nodeName = node => node.server ?? 'clients';
const isOfClients = edge => nodes[edge.from].server === undefined;
const callsOf = edge => isOfClients(edge) ? some(edge.calls, 'request', 'requests') : some(edge.calls, 'call', 'calls');
const failuresOfEdge = edge => [edge.errors > 0 ? some(edge.errors, 'error', 'errors') : '', edge.unanswered > 0 ? `${count(edge.unanswered)} unanswered` : ''].filter(Boolean);
const edgeText = edge => [callsOf(edge), ...failuresOfEdge(edge), time(edge.time)].join(', ');
// A line is level where its text stands, and bends before.
const LEVEL = 2 * TIP + Math.min(240, LETTER * Math.max(0, ...edges.map(edge => edgeText(edge).length))), BEND = 80, BETWEEN = LEVEL + BEND;
const edgeColour = edge => edge.errors + edge.unanswered === 0 ? 'blue' : edge.errors >= edge.unanswered ? 'purple' : 'orange';

// Edges from left to right: one that leads back to where its caller is called from is turned, of one node that calls itself there is none.
function linksOf() {
    const links = [], visited = nodes.map(() => 0);
    const visit = node => {
        visited[node] = 1;
        for (const edge of edges.filter(each => each.from === node && each.to !== node)) {
            const turned = visited[edge.to] === 1;
            links.push({ edge, turned, left: turned ? edge.to : node, right: turned ? node : edge.to });
            if (visited[edge.to] === 0)
                visit(edge.to);
        }
        visited[node] = 2;
    };
    const isCalled = node => edges.some(edge => edge.to === node && edge.from !== node);
    for (const node of [...nodes.keys()].sort((a, b) => isCalled(a) - isCalled(b)))
        if (visited[node] === 0)
            visit(node);
    return links;
}

// The column of each node, behind those of all that call it; one that nobody calls stands just before what it calls.
function columnsOf(links) {
    const columns = nodes.map(() => 0);
    for (let changed = true; changed;) {
        changed = false;
        for (const { left, right } of links)
            if (columns[right] <= columns[left]) {
                columns[right] = columns[left] + 1;
                changed = true;
            }
    }
    nodes.forEach((node, i) => {
        const called = links.filter(link => link.left === i).map(link => columns[link.right]);
        if (node.server !== undefined && called.length > 0 && !links.some(link => link.right === i))
            columns[i] = Math.min(...called) - 1;
    });
    return columns;
}

// What stands in the columns: nodes, and places where a line passes. A link gets all that it passes, from its left end to its right.
function itemsOf(links, columns) {
    const places = nodes.map((node, i) => {
        const ports = Math.max(links.filter(link => link.left === i).length, links.filter(link => link.right === i).length);
        const loop = edges.find(edge => edge.from === i && edge.to === i);
        return { node, loop, column: columns[i], height: Math.max(NODE_LEAST, PORT * ports), above: loop ? LOOP : 0, links: [] };
    });
    const items = [...places];
    for (const link of links) {
        link.path = [places[link.left]];
        for (let column = columns[link.left] + 1; column < columns[link.right]; column++) {
            const passed = { column, height: PORT, above: 0, links: [] };
            items.push(passed);
            link.path.push(passed);
        }
        link.path.push(places[link.right]);
        link.path.forEach(item => item.links.push(link));
    }
    return items;
}

// Puts the items of each column below each other, near those that they are linked with.
function placeItems(items) {
    const columns = [];
    for (const item of items)
        (columns[item.column] ??= []).push(item);
    const stack = () => columns.forEach(column => {
        let at = -column.reduce((sum, item) => sum + item.above + item.height + SPACE, -SPACE) / 2;
        for (const item of column) {
            item.y = at + item.above;
            at = item.y + item.height + SPACE;
        }
    });
    const middle = item => item.y + item.height / 2;
    const pull = (item, step) => {
        const near = item.links.map(link => link.path[link.path.indexOf(item) + step]).filter(Boolean);
        return near.length ? near.reduce((sum, each) => sum + middle(each), 0) / near.length : middle(item);
    };
    stack();
    for (const step of [-1, 1, -1, 1, -1])
        for (const column of step < 0 ? columns : [...columns].reverse()) {
            const pulled = new Map(column.map(item => [item, pull(item, step)]));
            column.sort((a, b) => pulled.get(a) - pulled.get(b));
            stack();
        }
    const top = Math.min(...items.map(item => item.y - item.above));
    for (const item of items) {
        item.x = item.column * (NODE_WIDTH + BETWEEN);
        item.y -= top;
    }
    return { width: columns.length * (NODE_WIDTH + BETWEEN) - BETWEEN, height: Math.max(...items.map(item => item.y + item.height)) };
}

// Where a link leaves its left end, and where it comes to its right end: side by side with the others there, in the order of where these lead.
function portOf(item, link, step) {
    if (!item.node)
        return item.y + item.height / 2;
    const beside = item.links.filter(each => each.path.at(step > 0 ? 0 : -1) === item);
    const leads = each => {
        const other = each.path.at(step > 0 ? 1 : -2);
        return other.y + other.height / 2;
    };
    beside.sort((a, b) => leads(a) - leads(b));
    return item.y + item.height / 2 + (beside.indexOf(link) - (beside.length - 1) / 2) * PORT;
}

// The line with its tip, and what is written at it.
function edgeParts(edge, path, tip, label) {
    const colour = ink(edgeColour(edge)), most = Math.max(...edges.map(each => each.time), 1), width = 1.5 + (EDGE_WIDEST - 1.5) * edge.time / most;
    const told = [`${nodeName(nodes[edge.from])} → ${nodeName(nodes[edge.to])}: ${callsOf(edge)}`, ...failuresOfEdge(edge), `${time(edge.time)} in all`].join(', ');
    const half = 4 + width / 2, back = tip.x - tip.towards * TIP;
    return [svg('g', { class: 'edge' }, svg('title', {}, told),
        svg('path', { d: path, fill: 'none', stroke: colour, 'stroke-width': width.toFixed(1) }),
        svg('path', { d: tip.towards ? `M${tip.x},${tip.y} L${back},${tip.y - half} L${back},${tip.y + half} Z` : `M${tip.x},${tip.y} L${tip.x - half},${tip.y - TIP} L${tip.x + half},${tip.y - TIP} Z`, fill: colour })),
    svg('text', { class: 'label', x: label.x, y: label.y - width / 2 - 3, 'text-anchor': label.anchor }, edgeText(edge))];
}

function linkParts(link) {
    const points = link.path.map((item, i) => ({ from: item.x, to: item.x + NODE_WIDTH, into: portOf(item, link, -1), out: portOf(item, link, 1), last: i === link.path.length - 1 }));
    const begin = points[0], end = points.at(-1);
    let path = `M${begin.to + (link.turned ? TIP : 0)},${begin.out}`, [x, y] = [begin.to, begin.out];
    points.slice(1).forEach((point, i) => {
        const from = link.turned && i === 0 ? x + LEVEL : x, to = link.turned ? point.from : point.from - LEVEL, middle = (from + to) / 2;
        path += ` L${from},${y} C${middle},${y} ${middle},${point.into} ${to},${point.into} L${point.last ? point.from - (link.turned ? 0 : TIP) : point.to},${point.into}`;
        [x, y] = [point.to, point.into];
    });
    return link.turned ? edgeParts(link.edge, path, { x: begin.to, y: begin.out, towards: -1 }, { x: begin.to + TIP + 4, y: begin.out, anchor: 'start' })
        : edgeParts(link.edge, path, { x: end.from, y: end.into, towards: 1 }, { x: end.from - TIP - 4, y: end.into, anchor: 'end' });
}

function loopParts(item) {
    const [from, to] = [item.x + NODE_WIDTH - 60, item.x + NODE_WIDTH - 24];
    return edgeParts(item.loop, `M${from},${item.y} C${from},${item.y - 24} ${to},${item.y - 24} ${to},${item.y - 8}`, { x: to, y: item.y, towards: 0 }, { x: from - 10, y: item.y - 4, anchor: 'end' });
}

function nodeGroup(item) {
    const name = nodeName(item.node), middle = item.x + NODE_WIDTH / 2, at = item.y + item.height / 2, protocol = item.node.protocol || (item.node.server ? '' : 'no servers');
    return svg('g', {}, svg('title', {}, name), svg('rect', { x: item.x, y: item.y, width: NODE_WIDTH, height: item.height, rx: 6 }),
        svg('text', { class: 'name', x: middle, y: protocol ? at - 2 : at + 4, 'text-anchor': 'middle' }, name.length > NAME_MOST ? `…${name.slice(1 - NAME_MOST)}` : name),
        svg('text', { x: middle, y: at + 14, 'text-anchor': 'middle' }, protocol));
}

function drawServices() {
    const links = linksOf(), items = itemsOf(links, columnsOf(links)), { width, height } = placeItems(items);
    const places = items.filter(item => item.node), parts = [...links.map(linkParts), ...places.filter(item => item.loop).map(loopParts)];
    const picture = svg('svg', { viewBox: `-2 -2 ${width + 4} ${height + 4}`, role: 'img', 'aria-label': 'Who calls whom: servers, and lines from each to those that it calls; the figures are in the table below' },
        ...parts.map(([line]) => line), ...parts.map(([, label]) => label), ...places.map(nodeGroup));
    picture.style.maxWidth = `${width + 4}px`;
    picture.style.minWidth = `${Math.round(0.7 * width)}px`;
    document.querySelector('#calls .map').replaceChildren(picture);
    document.querySelector('#calls .legend').replaceChildren(...[['blue', 'none failed'], ['purple', 'some errors'], ['orange', 'some unanswered, and fewer errors']].map(([colour, text]) => {
        const patch = document.createElement('i'), label = document.createElement('span');
        patch.style.background = ink(colour);
        label.append(patch, text);
        return label;
    }));
}

// How many calls the map is made of, and how many are not in it.
function toldCalls() {
    const { told, several, none, moreEdges, joined, moreJoined } = figures.calls;
    const known = Object.values(told).reduce((sum, n) => sum + n, 0), all = known + several + none;
    const rules = Object.entries(told).map(([rule, n]) => `${count(n)} ${rule}`).join(', ');
    const why = none === 0 ? 'any of several requests may have caused them' : several === 0 ? 'no request was seen that could have caused them'
        : `any of several requests may have caused ${count(several)}, and none was seen for ${count(none)}`;
    const untold = several + none > 0 ? ` ${count(several + none)} of ${count(all)} calls have no line: ${why}.` : '';
    const joins = joined.length > 0 ? ` Joined as one host: ${[...joined, ...moreJoined > 0 ? [`and ${count(moreJoined)} more`] : []].join('; ')}.` : '';
    return `${some(known, 'call', 'calls')} with a known cause: ${rules} (docs/calls.md).${untold}${moreEdges > 0 ? ` And ${some(moreEdges, 'line', 'lines')} more, with less time.` : ''}${joins}`;
}

function fillCalls() {
    document.querySelector('#calls .told').textContent = toldCalls();
    fillTable(document.querySelector('#calls table'), [
        { head: 'Total', value: row => row.time, show: timeCell },
        { head: 'Calls', value: row => row.calls, show: count },
        { head: 'Errors', value: row => row.errors, show: problems },
        { head: 'Unanswered', value: row => row.unanswered, show: problems },
        { head: 'By worker', value: row => row.byWorker, show: count },
        { head: 'From', value: row => nodeName(nodes[row.from]), kind: 'text' },
        { head: 'To', value: row => nodeName(nodes[row.to]), kind: 'text' },
        { head: 'Protocol', value: row => nodes[row.to].protocol, kind: 'text' }], edges, 0);
}

// Bars from their beginnings, as parts of the whole; or a wide one of all for that of its calls.
function barsOf(row, whole) {
    const bars = document.createElement('span');
    const add = (from, took, name) => {
        const bar = document.createElement('i');
        bar.className = name;
        bar.style.left = `${(100 * from / whole).toFixed(2)}%`;
        bar.style.width = `${(100 * took / whole).toFixed(2)}%`;
        bars.append(bar);
    };
    bars.className = row.critical ? 'bars critical' : 'bars';
    if (row.count === 1)
        add(row.from, row.took, 'whole');
    row.bars.forEach(([from, took]) => add(from, took, 'own'));
    bars.title = `from ${time(row.from)}, ${time(row.time) || 'no response'}${row.own === undefined ? '' : `, own time ${time(row.own)}`}`;
    return bars;
}

function rowName(row) {
    const name = document.createElement('span');
    name.style.paddingLeft = `${1.2 * row.depth + (row.critical ? 0 : 0.9)}rem`;
    if (row.more) {
        name.textContent = `… ${count(row.more)} more`;
        return name;
    }
    const mark = document.createElement('span'), failed = document.createElement('span');
    mark.className = 'critical';
    mark.textContent = row.critical ? '● ' : '';
    failed.className = 'problem';
    failed.textContent = row.failed ? `, ${row.failed}` : '';
    const cause = row.cause ? ` (${row.cause}${row.probability ? ` ${row.probability} %` : ''})` : '';
    name.append(mark, `${row.count > 1 ? `${count(row.count)} × ` : ''}${row.operation || '(unknown)'} @ ${row.server}${cause}`, failed);
    return name;
}

// Calls for which nobody waits end later than the whole: of these the axis has as much again.
const axisOf = ({ rows, took }) => Math.max(1, Math.min(2 * took, Math.max(...rows.map(row => row.more ? 0 : row.from + row.took))));

function waterfallOf(waterfall) {
    const { rows, took, after, file } = waterfall, whole = axisOf(waterfall);
    const table = document.createElement('table'), head = table.createTHead().insertRow(), body = table.createTBody(), title = document.createElement('h3'), about = document.createElement('p');
    const axis = document.createElement('span'), [root] = rows, scroll = document.createElement('div');
    title.textContent = `${root.operation || '(unknown)'} @ ${root.server}, ${time(took)}`;
    about.append(`${time(after)} after the start${figures.files.length > 1 ? `, in ${figures.files[file]}` : ''}. `, copyButton(`latency.request == ${root.number}`));
    axis.className = 'axis';
    axis.append(...[0, whole / 2, whole].map(at => Object.assign(document.createElement('span'), { textContent: time(at) })));
    for (const [text, kind] of [['Request', 'text'], ['Time', ''], ['Own', ''], [axis, '']]) {
        const cell = document.createElement('th');
        cell.scope = 'col';
        cell.className = kind;
        cell.append(text);
        head.append(cell);
    }
    for (const row of rows) {
        const line = body.insertRow();
        for (const [shown, kind] of [[rowName(row), 'text'], [row.more ? '' : timeCell(row.time), ''], [row.more ? '' : timeCell(row.own), ''], [row.more ? '' : barsOf(row, whole), '']]) {
            const cell = line.insertCell();
            cell.className = kind;
            cell.append(shown);
        }
    }
    table.className = 'waterfall';
    scroll.className = 'scroll tall';
    scroll.tabIndex = 0;
    scroll.append(table);
    const place = document.createElement('div');
    place.append(title, about, scroll);
    return place;
}

// --- what it comes to ----------------------------------------------------------------------------------------------

function strong(text) {
    const element = document.createElement('code');
    element.textContent = text;
    return element;
}
const called = row => strong(row.operation || '(unknown)');

// That for which clients waited longest, and another if it is certain that the one waits for the other: the one that is waited for comes first.
function foremost() {
    const [first] = figures.operations, inner = figures.operations[first.waitsFor];
    const outer = figures.operations.find(row => row.waitsFor === 0);
    return inner ? [inner, first] : outer ? [first, outer] : [first];
}

function failuresOf(row) {
    const parts = [];
    if (row.errors > 0)
        parts.push(`${count(row.errors)} of ${count(row.requests)} `, called(row), ' failed. ');
    if (row.unanswered > 0)
        parts.push(`${count(row.unanswered)} of ${count(row.requests)} `, called(row), ' had no answer. ');
    return parts;
}

// What was captured, how long clients waited, and for what.
function finding() {
    const { requests, waited } = figures.all;
    const captured = `${some(requests, 'request', 'requests')} in ${time(Number(BigInt(figures.last) - BigInt(figures.first)))}`;
    if (requests === 0)
        return ['The captures have no requests.'];
    if (!(waited > 0))
        return [`${captured}; no client is known to have waited for any of them.`];
    const rows = foremost(), share = rows.reduce((sum, row) => sum + row.waited, 0) / waited;
    const names = [called(rows[0]), ` on ${rows[0].server}`, ...rows.length > 1 ? [' and ', called(rows[1]), ` on ${rows[1].server}, which waits for it,`] : []];
    return [`${captured}; their clients waited ${time(waited)} in total. `, ...names, rows.length > 1 ? ' make up ' : ' makes up ', `${percent(share)} of that. `, ...rows.flatMap(failuresOf)];
}

// Where from, and how the sum is to be read.
function about() {
    const { unanswered, inFlight, errors, streams, longPolls, waited, outermost } = figures.all;
    const failed = errors + unanswered > 0 ? ` In all, ${some(errors, 'request', 'requests')} failed, and ${count(unanswered)} had no answer.` : '';
    const flying = inFlight > 0 ? ` ${some(inFlight, 'request was', 'requests were')} still in flight when the capture ended, which does not count as an error.` : '';
    const flowing = streams > 0 ? ` ${some(streams, 'response is a stream', 'responses are streams')}: clients wait only for the first byte.` : '';
    const polling = longPolls > 0 ? ` ${some(longPolls, 'request awaits an event', 'requests await an event')}, which does not count as waiting.` : '';
    const within = outermost > 0 && outermost < waited ?
        ` Of this waiting, ${time(outermost)} are those of clients that serve nobody themselves; meanwhile, servers waited for other servers.` : '';
    return `From ${figures.files.join(', ')}, since ${date(figures.first)}.${failed}${flying}${flowing}${polling}${within} Times in tables are in milliseconds.`;
}

document.getElementById('finding').append(...finding());
document.getElementById('about').textContent = about();
document.title = `Latency report: ${figures.files[0]}`;
// What the captures have nothing of is not shown.
const has = { calls: edges.length > 0, waterfalls: edges.length > 0, stages: figures.servers.some(server => server.stages), channels: figures.outcomes.length > 0, searches: figures.searches.length > 0 };
for (const [id, there] of Object.entries(has))
    for (const element of document.querySelectorAll(`#${id}, a[href="#${id}"]`))
        element.hidden = !there;
document.getElementById('operation').hidden = !picked;
document.getElementById('slow-channels').hidden = figures.channels.length === 0;
document.getElementById('never-connected').hidden = figures.neverConnected.length === 0;
fillTables();
if (edges.length > 0) {
    fillCalls();
    document.querySelector('#waterfalls div').replaceChildren(...figures.waterfalls.map(waterfallOf));
}
drawAll();
dark.addEventListener('change', drawAll);
document.documentElement.dataset.charts = Object.keys(Chart.instances).length;
})();
