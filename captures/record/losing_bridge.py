"""losing_bridge.py DEVICE DEVICE SEED LOST LATE: a bridge between two devices that loses and delays what passes, each so many in a hundred.

What is late comes up to 8 ms after the rest, and so behind some of it. ARP always passes.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import heapq
import itertools
import random
import select
import socket
import sys
import time

ETH_P_ALL, PACKET_OUTGOING = 3, 4
DELAY, LATE_MOST = 0.0005, 0.008


def main(names, seed, lost, late):
    chance, waiting, number = random.Random(seed), [], itertools.count()
    devices = [socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)) for _ in names]
    for device, name in zip(devices, names):
        device.bind((name, 0))
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, device, frame = heapq.heappop(waiting)
            device.send(frame)
        ready, _, _ = select.select(devices, [], [], waiting[0][0] - now if waiting else None)
        for device in ready:
            frame, (_, _, kind, *_) = device.recvfrom(65536)
            is_ip = frame[12:14] == b'\x08\x00'
            if kind == PACKET_OUTGOING or (is_ip and chance.random() * 100 < lost):
                continue
            delay = DELAY + (chance.uniform(0, LATE_MOST) if is_ip and chance.random() * 100 < late else 0)
            heapq.heappush(waiting, (time.monotonic() + delay, next(number), devices[device is devices[0]], frame))


if __name__ == '__main__':
    main(sys.argv[1:3], *map(float, sys.argv[3:6]))
