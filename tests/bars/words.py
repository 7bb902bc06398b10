# SPDX-License-Identifier: GPL-2.0-or-later
"""What the words of all kinds share: names, and how long the scripted answers are (scripts.py)."""

SEGMENT, SIZE = 1448, 7240


def padded(make):
    """What make(n) gives, where n makes it SIZE bytes long."""
    size = next(size for size in range(SIZE - len(make(0)), 0, -1) if len(make(size)) <= SIZE)
    data = make(size)
    if len(data) != SIZE:
        raise ValueError(f'{len(data)} bytes instead of {SIZE}')
    return data


class Words:
    """Of a protocol. Names are all different, or of a few: then answers to different requests are alike. A class of its own has make(), which gives the
    next Item; and for scripts.py small(number), a request whose answer fits in a segment, and five_segments(variant), one whose answer has SIZE bytes."""

    variants = ('',)  # of five_segments()
    alone = 0  # so many of what a conversation begins with are asked one after another

    def __init__(self, chance, is_unique):
        self.chance, self.is_unique, self.number = chance, is_unique, -1
        self.is_plain = False  # every message has an answer

    def name(self):
        self.number += 1
        chosen = self.number if self.is_unique else self.chance.randrange(8)
        return b'n%d' % chosen + b'x' * (chosen * 7 % 23)

    def some(self, *sizes):
        """A number near one of these."""
        size = self.chance.choice(sizes)
        return self.chance.randrange(size // 2, size + 1)

    def last(self):
        """What the client asks last on a connection."""
        return self.make()

    def had(self, item):
        """The client has its answer."""

    @staticmethod
    def opening():
        """What a connection begins with before anything else can be asked."""
        return []
