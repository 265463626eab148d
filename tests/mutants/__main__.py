"""`make mutants`: change the code in small ways, one at a time, and see that a test notices.

SINCE=origin/main (what a change touched; so it is if nothing is said), FILE=library/andon/views/seen.py, NIGHT=3 (the
third seventh of everything), LAWS=1 (what `breaks.toml` beside the tests says), TESTS=… instead of those of the room.
Exits with 1 at a survivor that `tests/mutants/accepted.toml` does not name.
"""

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest

from tests.mutants import chosen, mutate, run
from tests.mutants.breaks import Breaks, all_breaks, tried_in_a_copy
from tests.mutants.mutate import Mutant
from tests.mutants.run import Verdict

_BEFORE = " as before"


def main() -> int:
    """Try the chosen mutants; return the exit status."""
    options, counts = _options(), Counter[str]()
    files = [*options.file, *(chosen.files()[options.night - 1 :: chosen.NIGHTS] if options.night else ())]
    laws = [one for one in all_breaks() if options.laws and options.laws in f"{one.folder} {one.then}"]
    if options.night:
        laws = [*all_breaks()][options.night - 1 :: chosen.NIGHTS]
    if files:
        _try([one for file in files for one in mutate.mutants_of(file)], [], options, counts)
    if laws:
        _try_laws(laws, counts)
    if not files and not laws:
        since = options.since or chosen.base()
        if since is None:
            print("no history to compare with: no mutants")
            return 0
        _try(*chosen.touched(since), options, counts)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    numbers = "".join(f", {number} {name}" for name, number in sorted(counts.items()) if number)
    print(f"{counts.total()} mutants{numbers} ({sum(one.ru_utime + one.ru_stime for one in used):.0f} CPU seconds)")
    return int(bool(counts[run.SURVIVED] + counts[run.UNTESTED]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--since", default="", metavar="REVISION")
    parser.add_argument("--file", nargs="+", default=[])
    parser.add_argument("--night", type=int, choices=range(1, chosen.NIGHTS + 1))
    parser.add_argument("--laws", nargs="?", const=" ", default="", metavar="TEXT", help="all, or those of a text")
    parser.add_argument("--tests", nargs="+", default=[])
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS")
    return parser.parse_args()


def _try(new: Sequence[Mutant], old: Sequence[Mutant], options: argparse.Namespace, counts: Counter[str]) -> None:
    """Try mutants, as far as there is time: first what functions did not have before.

    What survives in a part that a change left as it was is said, and no failure of the change.
    """
    known, began = chosen.accepted(), time.monotonic()
    left = [[one for one in some if (one.of, one.said) not in known] for some in (new, old)]
    counts["accepted"] = len(new) + len(old) - sum(map(len, left))
    every = [one for some in left for one in chosen.drawn(some)]
    tests = options.tests or [*dict.fromkeys(name for one in every for name in chosen.tests_of(one.file))]
    within_s = options.within - (time.monotonic() - began)
    for number, (mutant, verdict) in enumerate(zip(every, run.tried(every, tests, within_s), strict=True)):
        _count(mutant, verdict, counts, _BEFORE if number >= len(left[0]) else "")


def _try_laws(laws: Iterable[Breaks], counts: Counter[str]) -> None:
    of_code, of_texts = [one for one in laws if one.of], [one for one in laws if one.file]
    mutants, tests = [one.mutant() for one in of_code], [*dict.fromkeys(one.test for one in of_code)]
    for law, verdict in zip(of_code, run.tried(mutants, tests), strict=True):
        _count(f"{law.of}: {law.then}", verdict, counts)
    for law, status in zip(of_texts, tried_in_a_copy(of_texts) if of_texts else (), strict=True):
        noticed = status == pytest.ExitCode.TESTS_FAILED
        _count(f"{law.file}: {law.then}", Verdict(run.NOTICED if noticed else run.SURVIVED, law.test), counts)


def _count(what: object, verdict: Verdict, counts: Counter[str], when: str = "") -> None:
    """Count a verdict, and say it if a test should have noticed."""
    name = f"{verdict.verdict}{when}" if verdict.verdict in {run.SURVIVED, run.UNTESTED} else verdict.verdict
    counts[name] += 1
    if name.startswith((run.SURVIVED, run.UNTESTED)):
        print(f"{name}: {what}{f'  ({verdict.by})' if verdict.by else ''}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
