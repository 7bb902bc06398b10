# SPDX-License-Identifier: GPL-2.0-or-later
"""What the suite is made of: a step has groups, a group has cases, and a case is a function that returns what is wrong."""
import dataclasses
import typing


class Skipped(Exception):
    """A case that cannot run here, and why."""


@dataclasses.dataclass
class Passed:
    """What a case returns that stands for so many, of which some could not run here."""
    count: int
    skipped: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Group:
    """Cases that share what they read; they run in one process. `cases()` gives (name, function) in turn. `whole`: all of it runs before
    the names are known."""
    name: str
    cases: typing.Callable
    whole: bool = False


@dataclasses.dataclass
class Step:
    """`alone`: nothing else may run beside it, for it measures time or loss. `waits`: it leaves the processors idle most of the time."""
    name: str
    groups: list
    alone: bool = False
    waits: bool = False
