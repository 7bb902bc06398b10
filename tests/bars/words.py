# SPDX-License-Identifier: GPL-2.0-or-later
"""What the words of all kinds share: names."""


class Words:
    """Names are all different, or of a few: then answers to different requests are alike."""

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
