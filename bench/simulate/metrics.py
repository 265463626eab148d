"""The metrics of our own that a stage pays for: a name by a view, or by a service, is one, whatever its values are.

What the sampled functions write is counted from their lines, in an hour in which machines report; what others write is
declared beside what writes it. A metric is paid for by the hour in which it has values, so that what is seldom written
is left out: what an edit, a replay, an error or a model that cannot be read adds.
"""

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from andon.drift import recompute
from andon.packages.discovery import recomputed
from andon.stores.archive import sweep_days
from andon.stores.lake import batch


class Metric(NamedTuple):
    """A name by the `view` or the `service` of a package; every stage has its own."""

    dimension: str
    package: str
    name: str


UNSAMPLED: Final = frozenset(
    Metric("view", package, name)
    for package, names in (
        ("lake", batch.COUNTS),
        ("archive", sweep_days.COUNTS),
        *((view.name, recompute.COUNTS) for view in recomputed()),
    )
    for name in names
)
"""Metrics of functions that run all the time, but not in the sample."""

FILTERS: Final = 1
"""So many metrics are counted from other logs, see `library/andon/cdk/api.py`."""


def metrics_in(line: str, package: str) -> Iterator[Metric]:
    """Yield what CloudWatch reads from a line of a package's function."""
    if '"_aws"' not in line:
        return
    for directive in json.loads(line)["_aws"]["CloudWatchMetrics"]:
        for dimension, _ in directive["Dimensions"]:
            for metric in directive["Metrics"]:
                yield Metric(dimension, package, metric["Name"])
