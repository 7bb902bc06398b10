/* What the programs of the event loop share: how they log whom they asked for which request, and a client of Redis that sends on one connection
 * without waiting for earlier answers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
'use strict';
const fs = require('fs');
const net = require('net');
const path = require('path');
const { performance } = require('perf_hooks');

const log = fs.openSync(path.join(process.env.TIERS_LOG, `${path.basename(process.argv[1], '.js')}.jsonl`), 'a');

/* The time in ns since 1970, to a microsecond. */
const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000) * 1000;

const addressOf = (socket) => `${socket.localAddress}:${socket.localPort}`;

function logCall(cause, call, client, begin) {
    fs.writeSync(log, JSON.stringify({ cause, call, client, begin_ns: begin, end_ns: now() }) + '\n');
}

class Store {
    constructor(host) {
        this.socket = net.connect(6379, host).setNoDelay();
        this.waiting = [];
        this.text = '';
        this.socket.on('data', (data) => this.take(data));
    }

    take(data) {
        this.text += data;
        for (let reply; (reply = this.text.match(/^\$\d+\r\n(.*)\r\n|^[$:+-](.*)\r\n/)); this.waiting.shift()(reply[1] ?? reply[2]))
            this.text = this.text.slice(reply[0].length);
    }

    ask(cause, ...words) {
        const begin = now();
        this.socket.write(`*${words.length}\r\n` + words.map((word) => `$${word.length}\r\n${word}\r\n`).join(''));
        return new Promise((resolve) => this.waiting.push((reply) => {
            logCall(cause, words[0], addressOf(this.socket), begin);
            resolve(reply);
        }));
    }
}

module.exports = { now, addressOf, logCall, Store };
