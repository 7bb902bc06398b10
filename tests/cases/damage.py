# SPDX-License-Identifier: GPL-2.0-or-later
"""What happens to packets between a host and its capture."""
import random


def damage(frames, spared, seed, how):
    """The frames' numbers in their order: without 2 % that are `removed`, or with 2 % later; none of the spared."""
    chance = random.Random(seed)
    chosen = {frame for frame in frames if frame not in spared and chance.random() < 0.02}
    if how == 'removed':
        return [frame for frame in frames if frame not in chosen]
    left = []
    for frame in frames:
        left.insert(max(0, len(left) - chance.randrange(1, 4)) if frame in chosen else len(left), frame)
    return left
