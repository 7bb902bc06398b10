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

const time = ns => {
    if (ns === null || ns === undefined)
        return '';
    if (ns === 0)
        return '0 s';
    const [unit, name] = ns < 1e3 ? [1, 'ns'] : ns < 1e6 ? [1e3, 'µs'] : ns < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
    return `${+(ns / unit).toPrecision(4)} ${name}`;
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

const figureColumns = [
    { head: 'Requests', value: row => row.requests, show: count },
    { head: 'No answer', value: row => row.unanswered, show: count },
    { head: 'Errors', value: row => row.errors, show: count },
    { head: 'Share', value: row => row.share, show: percent },
    ...[['Mean', 'mean'], ['p50', 'p50'], ['p95', 'p95'], ['p99', 'p99'], ['Max', 'max'], ['Server time', 'serverTime']].map(
        ([head, name]) => ({ head, value: row => row[name], show: time })),
    { head: 'Of', value: row => row.serverTimes, show: count },
    { head: 'Bytes', value: row => row.bytes, show: bytes },
];
const serverColumn = { head: 'Server', value: row => row.server, kind: 'text' };

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
    const more = (name, shown) => figures[`${name}InAll`] > shown ? ` Shown are ${shown} of ${count(figures[`${name}InAll`])}.` : '';
    for (const name of ['servers', 'operations', 'attempts', 'paths'])
        document.querySelector(`#${name} p`).append(more(name, figures[name].length));
    fillTable(document.querySelector('#servers table'), [serverColumn, ...figureColumns], figures.servers, 4);
    fillTable(document.querySelector('#operations table'),
        [serverColumn, { head: 'Operation', value: row => row.operation || '(unknown)', kind: 'text wide' }, ...figureColumns], figures.operations, 5);
    fillTable(document.querySelector('#slowest table'), [
        { head: 'TTFB', value: row => row.firstByte, show: time },
        { head: 'Server time', value: row => row.serverTime, show: time },
        { head: 'After', value: row => sinceFirst(row.time), show: time },
        { head: 'Client', value: row => row.client, kind: 'text' }, serverColumn,
        { head: 'Operation', value: row => row.operation, kind: 'text wide' },
        { head: 'Status', value: row => row.status || row.outcome, kind: 'text' },
        ...figures.files.length > 1 ? [{ head: 'File', value: row => figures.files[row.file].name, kind: 'text' }] : [],
        { head: 'Filter', value: row => row.number, show: number => copyButton(`latency.request == ${number}`), kind: 'text' },
    ], figures.slowest, 0);
}

// --- pictures ------------------------------------------------------------------------------------------------------

const timeAxis = (more = {}) => ({
    type: 'logarithmic', afterFit: axis => { axis.width = AXIS_WIDTH; },
    ticks: { callback: value => Number.isInteger(+Math.log10(value).toFixed(6)) ? time(value) : '' }, ...more });
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
        const counts = new Map(server.histogram), all = server.requests - server.unanswered;
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
            scales: { x: momentAxis, y: timeAxis({ min: bucketStart(Math.min(...buckets)), max: bucketStart(Math.max(...buckets) + 1) }) },
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

function drawSlowest() {
    const parts = [
        ['Client sends', row => row.asking, '#56b4e9'],
        ['Round trip', row => row.serverTime === undefined ? 0 : row.service - row.serverTime, '#e69f00'],
        ['Server', row => row.serverTime ?? 0, '#0072b2'],
        ['Round trip and server', row => row.serverTime === undefined ? row.service : 0, '#999999'],
        ['Response arrives', row => row.answering ?? 0, '#009e73'],
    ].filter(([, value]) => figures.slowest.some(row => value(row) > 0));
    const canvas = document.querySelector('#slowest canvas');
    const name = row => row.operation.length > 40 ? `${row.operation.slice(0, 39)}…` : row.operation || `request ${row.number}`;
    canvas.parentElement.style.height = `${90 + 15 * figures.slowest.length}px`;
    draw(canvas, 'The slowest requests, each as a row of bars: sending, round trip, server, response', {
        type: 'bar',
        data: { labels: figures.slowest.map(name), datasets: parts.map(([label, value, colour]) => ({ label, data: figures.slowest.map(value), backgroundColor: colour, barPercentage: 0.9 })) },
        options: { indexAxis: 'y', interaction: { mode: 'index', axis: 'y', intersect: false },
            scales: { x: { stacked: true, position: 'top', ticks: { callback: value => time(value), maxTicksLimit: 8 } }, y: { stacked: true, ticks: { autoSkip: false, font: { size: 11 } } } },
            plugins: { legend: {}, tooltip: { callbacks: {
                title: items => { const row = figures.slowest[items[0].dataIndex]; return `${row.client} → ${row.server}, request ${row.number}`; },
                label: item => item.raw > 0 ? `${item.dataset.label}: ${time(item.raw)}` : null } } } } });
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
    drawFailures();
    drawRates();
    drawStacked('attempts', 'Attempts to connect to each server, by result', figures.attempts, row => row.server,
        [['Accepted', 'accepted', '#009e73'], ['Refused', 'refused', '#d55e00'], ['Unreachable', 'unreachable', '#cc79a7'], ['No answer', 'unanswered', '#e69f00']]);
    drawStacked('paths', 'Frames sent again, out of order or after a gap, by sender and server', figures.paths, row => `${row.sender} ↔ ${row.server}`,
        [['Sent again', 'retransmitted', '#d55e00'], ['Out of order', 'outOfOrder', '#e69f00'], ['After an IP ID gap', 'gaps', '#0072b2']]);
}

const requests = figures.moments.reduce((sum, moment) => sum + moment[COLUMN.requests], 0);
document.getElementById('about').textContent = `${count(requests)} requests of ${figures.files.map(file => file.name).join(', ')}: ` +
    `from ${date(figures.first)}, for ${time(Number(BigInt(figures.last) - BigInt(figures.first)))}.`;
document.title = `Latency report: ${figures.files[0].name}`;
fillTables();
drawAll();
dark.addEventListener('change', drawAll);
addEventListener('beforeprint', () => charts.forEach(chart => chart.resize()));
document.documentElement.dataset.charts = charts.length;
})();
