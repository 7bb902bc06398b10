# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of kinds and damages, and the bars."""
from runs import bar, is_promised

ALONE_LEAST = 0.95  # with a snap length, of the requests in flight alone
HEAD = 'damage       kind      frames requests  right %  lost % unansw % inexact %  turn % wrong missing extra   ms: make, read, judge'


class Report:
    def __init__(self):
        self.counts = {}
        print(HEAD, flush=True)

    def add(self, kind, name, counts):
        self.counts[kind, name] = counts
        whole = max(1, counts['requests'])
        shares = [f'{100 * counts[verdict] / whole:.2f}' for verdict in ('right', 'lost', 'unanswered', 'inexact', 'turn')]
        print(f'{name:12} {kind.name:8} {counts["frames"]:7} {counts["requests"]:8} {shares[0]:>8} {shares[1]:>7} {shares[2]:>8} {shares[3]:>9} {shares[4]:>7} '
              f'{counts["wrong"]:5} {counts["missing"]:7} {counts["extra"]:5}   {counts["ms"]}', flush=True)

    def matrix(self):
        """Right of a hundred, and how many are wrong, in short."""
        kinds, names = ([*dict.fromkeys(each[i] for each in self.counts)] for i in (0, 1))
        print(f'\n{"right % / wrong":15}' + ''.join(f'{kind.name:>12}' for kind in kinds))
        for name in names:
            cells = [self.counts.get((kind, name), {}) for kind in kinds]
            shares = [f'{100 * each["right"] / max(1, each["requests"]):.1f} /{each["wrong"]:4}' if each else '' for each in cells]
            print(f'{name:15}' + ''.join(f'{each:>12}' for each in shares))

    def end(self):
        """The bars; 1 if one is not met."""
        self.matrix()
        print('\nBars')
        met, failed = 0, 0
        for (kind, name), counts in self.counts.items():
            if not is_promised(kind, name):
                print(f'  -  {name:12} {kind.name:8} nothing is promised: right {counts["right"] / max(1, counts["requests"]):.4f}, {counts["wrong"]} wrong')
                continue
            least, whole, found = bar(kind, name), max(1, counts['requests']), []
            share = counts['right'] / whole
            if least is not None and share < least:
                found.append(f'right {share:.4f}, at least {least}')
            if counts['wrong']:
                found.append(f'{counts["wrong"]} wrong, not 0')
            if name[:4] != 'snap' and counts['extra']:
                found.append(f'{counts["extra"]} rows too many, not 0')
            alone = counts['alone right'] / max(1, counts['alone'])
            if name[:4] == 'snap':
                least = 0 if kind.is_of_frames else ALONE_LEAST
                found += [f'{counts["alone missing"]} of {counts["alone"]} that are in flight alone have no row'] if counts['alone missing'] and least else []
                found += [f'right of these {alone:.4f}, at least {least}'] if alone < least else []
            elif counts['silent']:
                found.append(f'{counts["silent"]} called unanswered of whose answer bytes are there, not 0')
            if counts['differences']:
                found.append('one pass, two, sharkd and JSON differ')
            failed += bool(found)
            met += not found
            said = '; '.join(found) or (f'alone {alone:.4f}, 0 wrong' if name[:4] == 'snap' else f'right {share:.4f}, 0 wrong')
            print(f'{"no " if found else "yes"}  {name:12} {kind.name:8} {said}')
        print(f'{met} of {sum(is_promised(*each) for each in self.counts)} met')
        return 1 if failed else 0
