"""Prints what our own code costs, beside others and beside goals, in one table: CPU, ratios and counts.

No clock on the wall is read: it would measure the machine's other work. With `--write` the pages get the figures, too.
See docs/benchmarks.md.
"""

import argparse
import os
import platform
import sys

from andon.project import project
from lab import imports
from lab.figure import PAGES, Circumstances, Figure, filled, heading, missed, parts, report
from lab.in_process import of_compaction, of_requests, of_rules, of_steps
from lab.wire import ENVIRONMENT, GROUPING, of_wire


def main() -> int:
    """Measure handlers on the wire and their steps, what many rules do, what compaction saves, and a cold start.

    Exit status: 1 if a goal is missed.
    """
    parser = argparse.ArgumentParser(prog="lab", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the figures into the pages")
    parser.add_argument("--held", action="store_true", help="measure nothing: say which goals the pages miss")
    options = parser.parse_args()
    if options.held:
        return held()
    for name in [name for name in os.environ if name.startswith(("AWS_", "POWERTOOLS_"))]:
        del os.environ[name]
    os.environ.update(ENVIRONMENT | GROUPING)
    before, measured = os.getloadavg()[0], list[Figure]()
    print(heading())
    for figures in (of_wire, of_steps, of_requests, of_rules, of_compaction, imports.figures):
        found = figures()
        print(report(found), flush=True)
        measured += found
    python = f"Python {platform.python_version()}"
    where = Circumstances(os.cpu_count() or 1, python, (before, os.getloadavg()[0]))
    print(where.sentence())
    if options.write:
        write_pages(parts(measured, where))
    return int(any(one.goal is not None and not one.goal.met_by(one.measured) for one in measured))


def held() -> int:
    """Print the goals that the pages miss; 1 if there are any."""
    found = [f"{name}: {line}" for name in PAGES for line in missed((project().root / name).read_text())]
    print("\n".join(found) or "every goal on the pages is met")
    return int(bool(found))


def write_pages(parts: dict[str, str]) -> None:
    """Write figures into the pages, by the names of their places."""
    for name in PAGES:
        file = project().root / name
        file.write_text(filled(file.read_text(), parts))


if __name__ == "__main__":
    sys.exit(main())
