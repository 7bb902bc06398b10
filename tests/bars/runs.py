# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures that are made: kinds with damages, so many connections of each, of different depths and seen from different places."""
import dataclasses

import scripts
from capture import Capture, Damage
from conversation import Conversation
from network import Weather

PLACES = (0, 1, 0.5)


@dataclasses.dataclass(frozen=True)
class Run:
    """`bar`: of the requests that are whole in the capture, so many are right (None: it is not said). `script`: gives conversations of a kind."""
    weather: Weather = Weather()
    damage: Damage = Damage()
    bar: float = 1
    script: object = None


DAMAGES = {
    'none': Run(),
    'late-2': Run(Weather(late=0.02)), 'late-5': Run(Weather(late=0.05)),
    'lost-2': Run(Weather(lost=0.02)), 'lost-5': Run(Weather(lost=0.05)),
    'both-2': Run(Weather(0.02, 0.02)), 'both-5': Run(Weather(0.05, 0.05)),
    'holes': Run(Weather(lost=0.02, holes=True)),
    'shuffled-2': Run(damage=Damage(shuffled=0.02)), 'shuffled-5': Run(damage=Damage(shuffled=0.05)),
    'gone-0.2': Run(damage=Damage(gone=0.002), bar=0.9), 'gone-2': Run(damage=Damage(gone=0.02), bar=0.4),
    'burst': Run(damage=Damage(burst=30), bar=0.85),
    'middle': Run(damage=Damage(middle=True), bar=None),
    'snap-96': Run(damage=Damage(snap=96), bar=None), 'snap-128': Run(damage=Damage(snap=128), bar=None),
    'snap-160': Run(damage=Damage(snap=160), bar=None), 'snap-200': Run(damage=Damage(snap=200), bar=None),
    'orders': Run(script=lambda kind: [each for variant in kind.words.variants for each in scripts.orders(kind, variant)]),
    'ask-cut': Run(script=lambda kind: scripts.cuts(kind, True, False)), 'ask-cut-late': Run(script=lambda kind: scripts.cuts(kind, True, True)),
    'say-cut': Run(script=lambda kind: scripts.cuts(kind, False, False)), 'say-cut-late': Run(script=lambda kind: scripts.cuts(kind, False, True))}
WITH_IDS, WITH_KEYS = {'gone-0.2': 0.98, 'gone-2': 0.8, 'burst': 0.95}, {'gone-2': 0.8}
# Of answers that have numbers which the client does not say, but counts: once it is not known how many it has asked, all that follows is lost.
WITH_NUMBERS = {'gone-0.2': 0.8, 'burst': 0.75}
# Where 1460 bytes are missing there can be 243 requests: of a client that keeps many in flight from the first, nothing says how many.
SHORT = {'gone-0.2': 0.8, 'burst': 0.85}


def is_promised(kind, name):
    """Not of unknown protocols where packets are missing for good: nobody can tell a turn that is not there."""
    return kind.name != 'turns' or not (DAMAGES[name].damage.gone or DAMAGES[name].damage.burst)


def bar(kind, name):
    """How many of the requests that are whole in the capture are to be right, or None."""
    if kind.has_short and name in SHORT:
        return SHORT[name]
    return (WITH_IDS if kind.has_ids else WITH_KEYS if kind.has_keys else WITH_NUMBERS if kind.has_numbers else {}).get(name, DAMAGES[name].bar)


def conversations(kind, name, seeds, depth, first):
    """Seeds go through depths and places in turn. After a burst most is to be right, so there is much after it, and there are fewer connections."""
    run = DAMAGES[name]
    seeds = max(4, seeds // 4) if run.damage.burst else seeds
    for seed in range(first, first + seeds):
        deep = depth or kind.depths[seed % len(kind.depths)]
        count = 1000 if run.damage.burst and is_promised(kind, name) else 60 + 3 * deep
        conversation = Conversation(kind, seed, deep, count, run.weather, PLACES[seed // 4 % 3])
        conversation.state.is_plain = bool(run.damage.snap)
        yield conversation.run()


def make(kind, name, seeds, depth, path, first=0):
    run = DAMAGES[name]
    return Capture(list(run.script(kind) if run.script else conversations(kind, name, seeds, depth, first)), run.damage, path)
