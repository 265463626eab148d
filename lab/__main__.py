"""Prints what our own code costs, beside others and beside goals, in one table: CPU, ratios and counts.

No clock on the wall is read: it would measure the machine's other work. With `--write` the pages get the figures, too.
See docs/benchmarks.md.
"""

import argparse
import os
import platform

from andon.project import project
from lab import clients, compaction, figure, imports, page, rules, steps, wire


def main() -> None:
    """Measure handlers on the wire and their steps, what many rules do, what compaction saves, and a cold start."""
    parser = argparse.ArgumentParser(prog="lab", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the figures into the pages")
    write = parser.parse_args().write
    for name in [name for name in os.environ if name.startswith(("AWS_", "POWERTOOLS_"))]:
        del os.environ[name]
    os.environ.update(clients.ENVIRONMENT | clients.GROUPING)
    before, measured = os.getloadavg()[0], list[figure.Figure]()
    print(figure.heading())
    for part in (wire, steps, rules, compaction, imports):
        found = part.figures()
        print(figure.report(found), flush=True)
        measured += found
    python = f"Python {platform.python_version()}"
    where = page.Circumstances(os.cpu_count() or 1, python, (before, os.getloadavg()[0]))
    print(where.sentence())
    if write:
        write_pages(page.parts(measured, where))


def write_pages(parts: dict[str, str]) -> None:
    """Write figures into the pages, by the names of their places."""
    for name in page.PAGES:
        file = project().root / name
        file.write_text(page.filled(file.read_text(), parts))


if __name__ == "__main__":
    main()
