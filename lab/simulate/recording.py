"""Lambda and S3's requests of what is recorded: the lake's listener, and the archive's sweep each hour."""

from collections.abc import Iterator
from typing import Final

from andon.cdk.sizes import OF_STORES, SIZES
from andon.project import Size
from lab import prices
from lab.simulate import limits, recorded
from lab.simulate.line import Line
from lab.simulate.model import FleetModel
from lab.simulate.recorded import DAY_HOURS, lake_facts, lake_objects
from lab.simulate.settings import MONTH_S

READ_AGAIN: Final = sum(range(1, DAY_HOURS + 1)) / DAY_HOURS
"""So often the sweeps of its day read an event: each hour those of the day until then."""


def recording(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month, at so many reports a second."""
    facts, objects = (of(model) * rate * MONTH_S for of in (lake_facts, lambda model: lake_objects(model, rate)))
    what = "Lambda, GB-seconds on arm64: the lake's listener"
    gb_seconds = facts * _gb_seconds(limits.CPU_OF_LAKE_MS.value, SIZES["listener"])
    yield Line("recording", prices.GB_SECOND, gb_seconds, what=what)
    what = "Lambda, GB-seconds on arm64: the archive's sweep"
    gb_seconds = facts * READ_AGAIN * _gb_seconds(limits.CPU_OF_ARCHIVE_MS.value, OF_STORES["stores/archive/sweep"])
    yield Line("recording", prices.GB_SECOND, gb_seconds, what=what)
    yield Line("recording", prices.INVOCATION, objects, what="Lambda invocations: the lake's listener")
    reads = recorded.of_a_report(model, rate) * rate * MONTH_S - objects
    yield Line("recording", prices.S3_GET, reads, what="S3 GET requests: the archive's sweep")


def _gb_seconds(cpu_ms: float, size: Size) -> float:
    share = min(1.0, size.memory_mb / limits.MB_PER_CPU.value)
    return cpu_ms * limits.LAMBDA_SLOWER.value / share / 1_000 * size.memory_mb / 1_024
