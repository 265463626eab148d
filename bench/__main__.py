"""Prints what our own code costs, beside others and beside goals, in one table: CPU, ratios and counts.

No clock on the wall is read: it would measure the machine's other work. See docs/benchmarks.md.
"""

import os

from bench import clients, compaction, figure, imports, rules, steps, wire


def main() -> None:
    """Measure handlers on the wire and their steps, what many rules do, what compaction saves, and a cold start."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "POWERTOOLS_"))]:
        del os.environ[name]
    os.environ.update(clients.ENVIRONMENT)
    print(figure.heading())
    for part in (wire, steps, rules, compaction, imports):
        print(figure.report(part.figures()), flush=True)


if __name__ == "__main__":
    main()
