"""What is kept, in gigabytes a month: once as much expires as comes, lake and archive after a year."""

from collections.abc import Iterator
from typing import Final

from aws_cdk.aws_logs import RetentionDays

from andon.testing.memory.meter import TableOrIndex
from lab import prices
from lab.simulate import limits
from lab.simulate.capacity import GB, TABLES_OF_VIEWS, stored_gb
from lab.simulate.grouping import ENVELOPE_BYTES, publishers
from lab.simulate.line import Basis, Line
from lab.simulate.model import FleetModel
from lab.simulate.money import logged_gb
from lab.simulate.recorded import lake_facts
from lab.simulate.settings import DAY_S, MONTH_S, YEAR_DAYS

LAKE_BYTES: Final = 127  # of an event in the lake, as stored: docs/benchmarks.md
ARCHIVE_BYTES: Final = 78  # of an event in the archive, as stored: docs/benchmarks.md
LOG_MONTHS: Final = {RetentionDays.ONE_MONTH: 1, RetentionDays.THREE_MONTHS: 3}


def kept(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month, at so many reports a second."""
    stored = {table: stored_gb(model, table, rate) for table in model.counted.row_bytes}
    backed_up = sum(size for table, size in stored.items() if TableOrIndex(table) not in TABLES_OF_VIEWS)
    yield Line("kept", prices.TABLE_GB, sum(stored.values()))
    yield Line("kept", prices.BACKUP_GB, backed_up)
    events = lake_facts(model) * rate * YEAR_DAYS * DAY_S
    yield Line("kept", prices.LAKE_GB, events * LAKE_BYTES / GB, what=f"{prices.LAKE_GB.of}: the lake")
    yield Line("kept", prices.LAKE_GB, events * ARCHIVE_BYTES / GB, what=f"{prices.LAKE_GB.of}: the archive")
    if days := model.target.archive_days:
        sent = sum(one.facts / one.cut.facts * (one.cut.size + ENVELOPE_BYTES) for one in publishers(model, rate))
        yield Line("kept", prices.ARCHIVE_GB, rate * days * DAY_S * sent / GB)
    months = LOG_MONTHS[model.target.log_retention]
    logs = logged_gb(model, rate) * rate * MONTH_S * months * limits.COMPRESSED_LOG.value
    yield Line("kept", prices.LOG_GB, logs, Basis.ASSUMED)
