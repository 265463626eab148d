"""Prints what our own code costs, beside others and beside goals, in one table: CPU, ratios and counts.

No clock on the wall is read: it would measure the machine's other work. With `--write` the pages get the figures, too.
See docs/benchmarks.md.
"""

import argparse
import os
import platform

from andon.project import project
from lab import imports
from lab.figure import PAGES, Circumstances, Figure, filled, heading, parts, report
from lab.in_process import of_compaction, of_rules, of_steps
from lab.wire import ENVIRONMENT, GROUPING, of_wire


def main() -> None:
    """Measure handlers on the wire and their steps, what many rules do, what compaction saves, and a cold start."""
    parser = argparse.ArgumentParser(prog="lab", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the figures into the pages")
    write = parser.parse_args().write
    for name in [name for name in os.environ if name.startswith(("AWS_", "POWERTOOLS_"))]:
        del os.environ[name]
    os.environ.update(ENVIRONMENT | GROUPING)
    before, measured = os.getloadavg()[0], list[Figure]()
    print(heading())
    for figures in (of_wire, of_steps, of_rules, of_compaction, imports.figures):
        found = figures()
        print(report(found), flush=True)
        measured += found
    python = f"Python {platform.python_version()}"
    where = Circumstances(os.cpu_count() or 1, python, (before, os.getloadavg()[0]))
    print(where.sentence())
    if write:
        write_pages(parts(measured, where))


def write_pages(parts: dict[str, str]) -> None:
    """Write figures into the pages, by the names of their places."""
    for name in PAGES:
        file = project().root / name
        file.write_text(filled(file.read_text(), parts))


if __name__ == "__main__":
    main()
