/* What visitors ask: an event loop that asks several services at a time, over few connections. It tries again what was refused, gives up what takes
 * long, and asks one service after it has answered. Every 150 ms it asks Redis for nobody.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
'use strict';
const crypto = require('crypto');
const dns = require('dns');
const http = require('http');
const http2 = require('http2');
const { now, addressOf, logCall, Store } = require('./calls');

const GIVE_UP_MS = 45, IDLE_MS = 400;
const stock = { host: '10.77.0.21', port: 80, agent: new http.Agent({ keepAlive: true, maxSockets: 4 }) };
const audit = { host: '10.77.0.24', port: 80, agent: new http.Agent({ keepAlive: true, maxSockets: 2 }) };
const store = new Store('10.77.0.23');
const resolver = new dns.promises.Resolver();
resolver.setServers(['10.77.0.25']);

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/* The same trace, with a span of its own. */
const child = (cause) => cause.replace(/^(00-\w+)-\w+/, `$1-${crypto.randomBytes(8).toString('hex')}`);

/* Asks by HTTP; status 0 if it took longer than the limit. A call begins when it has a connection, and is none if it never had one. */
function ask(service, method, path, cause, limit) {
    return new Promise((resolve) => {
        let begin, client, timer;
        const end = (status, body) => {
            clearTimeout(timer);
            if (begin)
                logCall(cause, `${method} ${path}`, client, begin);
            resolve({ status, body });
        };
        const request = http.request({ ...service, method, path, headers: { traceparent: child(cause) } }, (response) => {
            let body = '';
            response.on('data', (data) => body += data).on('end', () => end(response.statusCode, body));
        });
        request.on('socket', (socket) => {
            const sent = () => { begin = now(); client = addressOf(socket); };
            if (socket.connecting)
                socket.once('connect', sent);
            else
                sent();
        });
        request.on('error', () => end(0, ''));
        if (limit)
            timer = setTimeout(() => request.destroy(new Error('it takes too long')), limit);
        request.end();
    });
}

/* The connection for gRPC, which is closed when it is idle: a capture that begins later has its begin, without which HPACK cannot be read. */
let connected;
function quotes() {
    if (!connected || connected.closed) {
        const session = connected = http2.connect('http://10.77.0.22:50051');
        session.setTimeout(IDLE_MS, () => session.close());
    }
    return connected;
}

/* Asks by gRPC. The trace's id stays out of HPACK's table, so that it can be overwritten in a capture. */
function quote(number, cause) {
    const path = '/shop.Quotes/Get', begin = now(), session = quotes();
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', traceparent: child(cause),
                                    [http2.sensitiveHeaders]: ['traceparent'] });
    const message = Buffer.from(`number ${number}`), head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([head, message]));
    return new Promise((resolve) => {
        let body = '', client;
        stream.on('response', () => client = addressOf(session.socket));
        stream.on('data', (data) => body += data.subarray(5)).on('close', () => {
            logCall(cause, path, client, begin);
            resolve(body);
        });
    });
}

/* The resolver does not say which port it has asked from. */
async function resolve(cause) {
    const begin = now();
    await resolver.resolve4('stock.shop.test');
    logCall(cause, 'A stock.shop.test', '10.77.0.20', begin);
}

const pages = {
    async product(number, cause) {
        await resolve(cause);
        const answers = await Promise.all([ask(stock, 'GET', `/stock/${number}`, cause), quote(number, cause), store.ask(cause, 'GET', `seen:${number}`)]);
        return [200, `${answers[0].body} ${answers[1]} ${answers[2]}`];
    },
    async basket(number, cause) {
        const answers = await Promise.all([ask(stock, 'GET', `/stock/${number}`, cause), ask(stock, 'GET', `/stock/${number + 1}`, cause),
                                           quote(number, cause), quote(number + 1, cause)]);
        await store.ask(cause, 'INCR', 'baskets');
        return [200, answers.map((answer) => answer.body ?? answer).join(' ')];
    },
    async order(number, cause) {
        let answer;
        for (let tries = 0; tries < 8 && answer?.status !== 200; tries++) {
            await pause(tries ? 3 : 0);
            answer = await ask(stock, 'POST', `/reserve/${number}`, cause);
        }
        return [answer.status, answer.body, async () => {
            await pause(2);
            await ask(audit, 'POST', `/audit/${number}`, cause);
        }];
    },
    async slow(number, cause) {
        const answer = await ask(stock, 'GET', `/slow/${number}`, cause, GIVE_UP_MS);
        return [answer.status || 504, answer.body];
    }
};

http.createServer(async (request, response) => {
    const [, page, number] = request.url.split('/');
    const [status, body, later] = await pages[page](Number(number), request.headers.traceparent);
    response.writeHead(status).end(`${body}\n`);
    if (later)
        later();
}).listen(80, '10.77.0.20');
setInterval(() => store.ask(null, 'PING'), 150);
