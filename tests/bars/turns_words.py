# SPDX-License-Identifier: GPL-2.0-or-later
"""A protocol that nobody knows: whose turn it is says all."""
from conversation import Item
from words import SIZE, Words


class Turns(Words):
    def make(self):
        return Item('', b'?' + self.name() + b'~' * self.some(0, 30, 4000), b'!' * (1 + self.some(0, 30, 4000, 10000)))

    @staticmethod
    def small(number):
        return Item('', b'?' + b'small%d' % number * 4, b'!' * 60)

    @staticmethod
    def five_segments(_):
        return Item('', b'?big', b'!' * SIZE)
