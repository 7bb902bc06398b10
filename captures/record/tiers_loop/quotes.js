/* gRPC by hand, over HTTP/2: each call asks Redis once or twice, over one connection for all.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
'use strict';
const http2 = require('http2');
const { Store } = require('./calls');

const store = new Store('10.77.0.23');

http2.createServer().on('stream', async (stream, headers) => {
    const cause = headers.traceparent;
    stream.resume();
    stream.on('error', () => {});
    let rate = await store.ask(cause, 'GET', 'rate');
    if (Math.random() < .5)
        rate += await store.ask(cause, 'HGET', 'discounts', 'all');
    const message = Buffer.from(`quote ${rate}`), head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.concat([head, message]));
}).listen(50051, '10.77.0.22');
