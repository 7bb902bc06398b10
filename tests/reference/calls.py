# SPDX-License-Identifier: GPL-2.0-or-later
"""Which request caused which, by the rules `same` and `only` (docs/calls.md), told anew from the rows of JSON lines, one request after another and in as
many comparisons as there are pairs. It knows no ids.

    Calls(rows, attempts).told    # {number of a call: (rule, number of its cause or None, candidates)}

`rows`: lines of type request, whose kinds have numbers folded; `attempts`: lines of type attempt."""
import collections

ENDLESS = (1 << 63, 1 << 32)
LOOKED_AT = 256
LOGINS = ('postgresql', 'startup'), ('mysql', 'login')


def begin(row):
    return row['request_time'], row['request_frame']


def end(row):
    return (row['response_end_time'], row['response_end_frame']) if 'response_end_time' in row else ENDLESS


def contains(cause, call):
    return begin(cause) < begin(call) and (end(call) if 'response_end_time' in call else begin(call)) < end(cause)


def language(row):
    return 'http' if row['framing'] == 'http2' else row['framing']


def asks_for_same(cause, call):
    return bool(call.get('operation')) and call['framing'] != 'turns' and (language(call), call['operation']) == (language(cause), cause.get('operation'))


def waits(row):
    """Whether the client waits for all of the response."""
    return not row.get('streaming') and not row.get('long_poll')


def kind(row):
    return row['server'], row['server_port'], row['framing'], row['kind']


class Habit:
    def __init__(self):
        self.known = self.single = self.alone = self.others = self.asked = self.opened = self.ahead = 0


class Host:
    def __init__(self, asked, made, whole):
        self.asked, self.habits, self.some = asked, collections.defaultdict(Habit), {}
        self.settled = min(row['request_time'] for row in asked)
        if not whole:
            self.settled += max([0, *(row['response_end_time'] - row['request_time'] for row in asked if 'response_end_time' in row)])
        self.idle, self.pairs = self.idle_part(made), collections.defaultdict(set)
        for row in asked:
            self.habit(row).asked += 1
        for call in made:
            self.learn(call)
        habits = [self.habit(call) for call in made]
        self.is_partial = sum(0 < habit.alone < habit.known for habit in habits) > sum(not habit.alone for habit in habits)
        self.told = {call['number']: self.tell(call) for call in made}
        self.tell_logins(made)

    def habit(self, row):
        return self.habits[kind(row)]

    def pair(self, call, cause):
        """The requests of the cause's kind that alone contain a call of its kind."""
        return self.pairs[kind(call), kind(cause)]

    def is_habit(self, call, cause):
        return self.habit(call).known * self.idle >= 4.6 or 2 * len(self.pair(call, cause)) >= self.habit(cause).asked

    def idle_part(self, made):
        """Of the time from when the host is known on: in which part nothing was outstanding."""
        last = max([self.settled, *(call['request_time'] for call in made), *(row.get('response_end_time', row['request_time']) for row in self.asked)])
        steps = collections.Counter()
        for row in filter(waits, self.asked):
            start, stop = max(row['request_time'], self.settled), min(end(row)[0], last)
            if start < stop:
                steps[start] += 1
                steps[stop] -= 1
        outstanding, before, idle = 0, self.settled, 0
        for moment in sorted([*steps, last]):
            idle += 0 if outstanding else moment - before
            outstanding, before = outstanding + steps[moment], moment
        return idle / (last - self.settled) if last > self.settled else 0

    def tell_logins(self, made):
        """A login is for the request that follows on its connection, if none of ten or more was ever made ahead."""
        by_connection, logins, rows = collections.defaultdict(list), [], {row['number']: row for row in self.asked}
        for call in made:
            by_connection[call['client'], call['client_port'], call['server'], call['server_port']].append(call)
        for calls in by_connection.values():
            logins += [(login, following) for login, following in zip(calls, calls[1:]) if (login['framing'], login.get('operation')) in LOGINS and self.told[following['number']][1]]
        for login, following in logins:
            self.habit(login).opened += 1
            cause = rows[self.told[following['number']][1]]
            self.habit(login).ahead += not contains(cause, login) or login.get('response_end_time', ENDLESS[0]) > following['request_time']
        for login, following in logins:
            habit = self.habit(login)
            if self.told[login['number']][0] == 'several' and habit.opened >= 10 and not habit.ahead and not habit.alone:
                self.told[login['number']] = self.told[following['number']]

    def learn(self, call):
        some = self.some[call['number']] = [row for row in self.asked if contains(row, call)]
        if call['request_time'] < self.settled:
            return
        habit = self.habit(call)
        habit.known += 1
        habit.single += len(some) == 1
        if len(some) == 1:
            self.pair(call, some[0]).add(some[0]['number'])
        habit.alone += not any(map(waits, some))
        habit.others += call['framing'] != 'turns' and bool(call.get('operation')) and not any(asks_for_same(row, call) for row in some)

    def tell(self, call):
        some, habit = self.some[call['number']], self.habit(call)
        is_known = call['request_time'] >= self.settled
        is_only = len(some) == 1 and is_known and not self.is_partial and waits(some[0]) and not habit.alone and habit.single >= habit.known // 2 and self.is_habit(call, some[0])
        same = [row for row in some if asks_for_same(row, call)] if not habit.others else []
        some = same or some
        if len(some) == 1 and (same or is_only):
            return 'same' if same else 'only', some[0]['number'], 1
        return 'several' if some else 'none', None, len(some)


class Calls:
    def __init__(self, rows, attempts):
        began = {(row['client'], row['client_port'], row['server'], row['server_port']) for row in attempts}
        asked, made = collections.defaultdict(list), collections.defaultdict(list)
        for row in sorted(rows, key=begin):
            asked[row['server']].append(row)
            made[row['client']].append(row)
        self.told, self.uncertain = {}, set()
        for host in asked.keys() & made.keys():
            whole = all((row['client'], row['client_port'], row['server'], row['server_port']) in began for row in asked[host])
            self.told.update(Host(asked[host], made[host], whole).told)
            # When these ended is not in the lines, or more than are looked at may have been outstanding.
            if any('response_end_time' not in row for row in asked[host]) or any(len(some) >= LOOKED_AT for some in (asked[host],)):
                self.uncertain.update(row['number'] for row in made[host])
