#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the tests: suite.py [quick | here | all] [-x] [-k WORD] [--step NAME]   (tests/run.sh builds what they need, and calls this)

A step has groups, a group has cases that share what they read, and a case is a function that returns what is wrong. A group runs in one
process. Prints each step as it ends, what failed, the slowest cases, what was skipped and left out, and last: N passed, N failed[, N skipped]
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import multiprocessing
import os
import pathlib
import signal
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LANES, SLOWEST, PROBLEMS_SHOWN = 2, 5, 8
sys.path[1:1] = [str(HERE / folder) for folder in ('cases', 'lua', 'gui', 'kernel', 'reference')]  # before what is installed: PyTables is called tables, too
import needs  # noqa: E402
from outline import Passed, Skipped  # noqa: E402
from steps import ALONE, STEPS, Steps  # noqa: E402


@dataclasses.dataclass
class Result:
    name: str
    seconds: float
    passed: int = 0
    problems: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)


def run_case(name, check):
    begun = time.monotonic()
    result = Result(name, 0)
    try:
        found = check()
        if isinstance(found, Passed):
            result.passed, result.skipped = found.count, found.skipped
        else:
            result.problems = [str(problem) for problem in found or ()]
            result.passed = int(not result.problems)
    except Skipped as reason:
        result.skipped = [str(reason)]
    except Exception as error:  # a case that cannot run has failed
        result.problems = [f'{type(error).__name__}: {error}']
    result.seconds = time.monotonic() - begun
    return result


def run_group(step, group, word, stops):
    """The results of those of its cases whose names contain the word."""
    prefix = ': '.join(filter(None, (step.name, group.name)))
    if group.whole and word not in prefix:
        return []
    results, begun = [], time.monotonic()
    try:
        for name, check in group.cases():
            full = f'{prefix}: {name}' if name else prefix
            if group.whole or word in full:
                results.append(run_case(full, check))
                # what it took to come by the case counts, too
                now = time.monotonic()
                results[-1].seconds, begun = now - begun, now
                if stops and results[-1].problems:
                    break
    except Exception as error:
        results.append(Result(prefix, time.monotonic() - begun, problems=[f'{type(error).__name__}: {error}']))
    return results


class Report:
    """`left_out`: the names of the steps that this run does not have."""

    def __init__(self, left_out):
        self.results, self.steps, self.left_out = [], collections.defaultdict(list), left_out

    def add(self, step, results):
        for each in results:
            if each.problems:
                print(f'FAILED {each.name}', *each.problems[:PROBLEMS_SHOWN], sep='\n    ')
                if len(each.problems) > PROBLEMS_SHOWN:
                    print(f'    … and {len(each.problems) - PROBLEMS_SHOWN} more')
            for reason in each.skipped:
                print(f'SKIPPED {each.name}: {reason}')
        self.results += results
        self.steps[step.name] += results
        sys.stdout.flush()

    def end_step(self, step):
        results = self.steps[step.name]
        if results:
            print(f'{step.name}: {counts(results)} in {sum(each.seconds for each in results):.1f} s', flush=True)

    def end(self, seconds):
        print(f'\nThe slowest of {len(self.results)} cases, which took {seconds:.0f} s:')
        for each in sorted(self.results, key=lambda each: -each.seconds)[:SLOWEST]:
            print(f'{each.seconds:7.1f} s  {each.name}')
        for step, results in self.steps.items():
            for reason, times in collections.Counter(reason for each in results for reason in each.skipped).items():
                print(f'Skipped in {step}: {times} {"case" if times == 1 else "cases"}: {reason}')
        if self.left_out:
            print(f'Left out, of what `tests/run.sh all` runs: {"; ".join(self.left_out)}')
        print(counts(self.results))

    @property
    def failed(self):
        return any(each.problems for each in self.results)


def counts(results):
    passed, failed = sum(each.passed for each in results), sum(bool(each.problems) for each in results)
    skipped = sum(len(each.skipped) for each in results)
    return f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else '')


steps = []  # of this run; the processes of the lanes have them from their parent


def run_numbered(step, group, word, stops):
    return run_group(steps[step], steps[step].groups[group], word, stops)


def open_lanes():
    """Two for what computes, and as many beside them for what mostly waits. A lane's process leads a group, so that the programs that it runs end with it."""
    return concurrent.futures.ProcessPoolExecutor(LANES, multiprocessing.get_context('fork'), os.setpgrp)


def run_side_by_side(chosen, report, options):
    left = {number: len(steps[number].groups) for number in chosen}
    with open_lanes() as busy, open_lanes() as idle:
        jobs = {(idle if steps[number].waits else busy).submit(run_numbered, number, group, options.k, options.x): number
                for number in chosen for group in range(left[number])}
        for job in concurrent.futures.as_completed(jobs):
            number = jobs[job]
            report.add(steps[number], job.result())
            left[number] -= 1
            if not left[number]:
                report.end_step(steps[number])
            if options.x and report.failed:
                for lanes in busy, idle:
                    for process in list(lanes._processes.values()):
                        os.killpg(process.pid, signal.SIGKILL)
                    lanes.shutdown(wait=False, cancel_futures=True)
                return


def run(options):
    """Steps that stand side by side as far as there is no other between them."""
    report, begun = Report(options.left_out), time.monotonic()
    together = []
    for number, step in enumerate([*steps, None]):
        if step and not step.alone:
            together.append(number)
            continue
        if together:
            run_side_by_side(together, report, options)
            together = []
        for group in step.groups if step else ():
            if not (options.x and report.failed):
                report.add(step, run_group(step, group, options.k, options.x))
        if step:
            report.end_step(step)
        if options.x and report.failed:
            break
    report.end(time.monotonic() - begun)
    return report.failed or not report.results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('which', nargs='?', choices=['quick', 'here', 'all', 'whole', 'dozen'], default='all',
                        help='whole and dozen: of the captures, in another Wireshark')
    parser.add_argument('-x', action='store_true', help='stop at the first failure')
    parser.add_argument('-k', metavar='WORD', default='', help='only the cases whose name contains WORD')
    parser.add_argument('--step', metavar='NAME', choices=list(STEPS), help='only this step')
    parser.add_argument('--steps', action='store_true', help='print the steps, each with the run that it is in first and whether anything may run beside it, and run nothing')
    parser.add_argument('--builds', metavar='DIR', type=pathlib.Path, default=HERE.parent / 'build', help='where release/ and asan/ are')
    parser.add_argument('--needs', action='store_true', help='print what has to be built, and the packages, and run nothing')
    options = parser.parse_args()
    if options.steps:
        print(*(f'{run}|{"alone" if name in ALONE else "beside others"}|{name}' for name, (run, _) in STEPS.items()), sep='\n')
        return 0
    made = Steps(options)
    if options.needs:
        print(*(' '.join(each) for each in needs.of_run(options.which, made.names)), sep='\n')
        return 0
    if missing := needs.unbuilt(options.builds, options.which, made.names):
        parser.error(f'{options.builds}/{missing[0]} must be built before: tests/run.sh does that')
    with made:
        steps.extend(made.steps)
        options.left_out = made.left_out
        return run(options)


if __name__ == '__main__':
    sys.exit(main())
