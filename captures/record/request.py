"""What the clients that log what they ask have in common.

SPDX-License-Identifier: GPL-2.0-or-later
"""


class Request:
    """`operation` as docs/measuring.md says, written down here by hand. `ends`: what the answer ends with. A silent one is not logged."""

    def __init__(self, operation, data, ends, group=None, silent=False):
        self.operation, self.data, self.ends, self.group, self.silent = operation, data, ends, group, silent
