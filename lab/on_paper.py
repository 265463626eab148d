"""Units that are counted beside those on paper: of a change in each way of keeping versions, and of a state report.

A write whose condition fails costs as well, and so does a transaction's check of another row; neither is in versions'.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from andon.dynamodb.client import Table
from andon.dynamodb.expressions import Condition
from andon.dynamodb.schema import Index, KeyQuery, Keys, TableSchema
from andon.events.domain_event import DomainEvent
from andon.rules.timing import AtOnce, Screened
from andon.testing.memory.meter import Used
from andon.testing.samples import sample
from andon.versions import numbered_versions, sequential_history, versioned_write
from andon.versions.aggregate import COUNTER, FROM_STREAM, NUMBERED, SEQUENTIAL, TIME_BASED, TWO_TABLES
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Command, Draft, digest_of
from andon.versions.versioned_write import Revisions, Versions
from contract.names import NORMAL
from contract.reports import REPORTED
from lab.metered import Line, Row
from lab.simulate.counted import BEGIN_MS, Factory
from services.dispatch.control import CONTROL

VERSIONS_HEAD: Final = "| a change, of rows of | writes | paper |"
REPORT_HEAD: Final = "| a report | writes | requests | reads | entries | paper |"
FORM: Final = ("{:.2f}",)

CURRENT: Final = Table("CURRENT", Keys("pk", "sk", one_partition_per="entity"))
HISTORY: Final = Table("HISTORY", Keys("pk", "version", sort_type="N", one_partition_per="entity"))
INDEXED: Final = Table("INDEXED_HISTORY", HISTORY.keys)
SCHEMAS: Final = {
    CURRENT.variable: TableSchema(CURRENT.keys),
    HISTORY.variable: TableSchema(HISTORY.keys),
    INDEXED.variable: TableSchema(
        INDEXED.keys, indexes={"ByTime": Index(Keys("pk", "timestamp", sort_type="N", one_partition_per="entity"))}
    ),
}


def _draft(version: int, text: str) -> Draft:
    if_match, fingerprint = version - 1 or None, digest_of([version, text])
    command = Command(actor="somebody", now_ms=1_790_000_000_000 + version, if_match=if_match, fingerprint=fingerprint)
    return Draft(content={"text": f"{version} {text}"}, attributes={}, command=command)


def _two_tables(name: str, history: Table) -> Versions[Any]:
    """Return versions whose revisions are in a table of their own."""
    revisions = Revisions(
        table=history,
        key_of=lambda version: {"pk": name, "version": version},
        all=KeyQuery(keys=history.keys, partition=name),
        attributes={},
    )
    return Versions(table=CURRENT, key={"pk": name, "sk": "-"}, revisions=revisions)


def _numbered(name: str) -> Numbered[Any]:
    """Return versions whose revisions are in a partition of their own."""
    return Numbered(table=CURRENT, partition=name, name="Audit#door", apart=True)


def _from_stream(name: str, version: int, text: str) -> None:
    """Write `v0_…`; the trigger writes `vn_…` from the stream."""
    numbered_versions.save_current(_numbered(name), _draft(version, text))
    numbered_versions.keep(_numbered(name), CURRENT.get(_numbered(name).current_key(), consistent=True) or {})


def _by_time(name: str, version: int, text: str) -> None:
    """Append a row whose key is its time."""
    absent = Condition("attribute_not_exists(#pk)", {"pk": "pk"})
    CURRENT.put({"pk": name, "sk": f"2026-11-21T09:35:{version:02d}.000Z", "text": text}, condition=absent)


DESIGNS: Final[dict[str, tuple[int, Callable[[str, int, str], object]]]] = {
    TWO_TABLES.title: (
        TWO_TABLES.units,
        lambda n, v, text: versioned_write.save(_two_tables(n, HISTORY), _draft(v, text)),
    ),
    "… and an index by time": (
        TWO_TABLES.units + 1,
        lambda n, v, text: versioned_write.save(_two_tables(n, INDEXED), _draft(v, text)),
    ),
    SEQUENTIAL.title: (
        SEQUENTIAL.units,
        lambda n, v, text: sequential_history.save(_two_tables(n, HISTORY), _draft(v, text)),
    ),
    NUMBERED.title: (
        NUMBERED.units,
        lambda n, v, text: versioned_write.save(numbered_versions.versions_of(_numbered(n)), _draft(v, text)),
    ),
    COUNTER.title: (COUNTER.units, lambda n, _, text: numbered_versions.count_up(_numbered(n), {"text": text})),
    FROM_STREAM.title: (FROM_STREAM.units, _from_stream),
    TIME_BASED.title: (TIME_BASED.units, _by_time),
}
"""The write units of a KB that a change is to cost, and how a thing is changed to a version."""


def of_versions() -> Iterator[Row]:
    """Yield what a change costs that follows the first version, of rows of one KB and of two.

    The rest of a row (version, author, digests) is about 400 bytes.
    """
    for title, (units, change) in DESIGNS.items():
        for kb, size in ((1, 300), (2, 1200)):
            what = f"{title}, {kb} KB"

            def do(version: int, _: object, what: str = what, size: int = size, change: Any = change) -> None:  # noqa: ANN401
                change(what, version, "x" * size)

            written = [lambda loop: loop.meter.used.write_units]
            yield Row(what, partial(do, 1), partial(do, 2), written, paper=units * kb, schemas=SCHEMAS)


# Machines report every five minutes, one report in ten is abnormal, and a sweep runs after each round. First some
# rounds are not counted, until the sweep evaluates in each round as much as is scheduled in it.

MACHINES: Final = 10
ABNORMAL: Final = "WARNING1"
UNCOUNTED_ROUNDS: Final = 8
ROUNDS: Final = 12


def due_after_ms(state: str, *, first: bool = False) -> frozenset[int]:
    """Return the delays after which rules of dispatch are due, each a row; gaps need one at the first report alone."""
    reported = DomainEvent.from_wire(sample("domain", "state-reported"))
    report = reported._replace(entities={"state": {**reported.entity("state").fields, "state": state}})
    rules = CONTROL.rules.at(REPORTED[0], report)
    scheduled = [rule for rule in rules if not isinstance(rule.timing, (AtOnce, Screened))]
    return frozenset(rule.after_ms for rule in scheduled if first or rule.timing.gap_ms is None)


SCHEDULED: Final = 0.1 * len(due_after_ms(ABNORMAL)) + 0.9 * len(due_after_ms(NORMAL))
"""Rows of what is due, a report; those of a first report are too few to count."""

ON_PAPER: Final = {
    "equipment command": 1.0,
    "dispatch listener": 1.0,
    "dispatch trigger": SCHEDULED + 0.1 * (1 + 1),  # an operator is assigned, and that is remembered
    "dispatch sweep": SCHEDULED + 2 / 6,  # a timer is put and removed every 30 minutes
    "anomalies listener": 1.0,
    "anomalies trigger": 0.0,
    "anomalies sweep": 0.0,
}
"""Write units a report, as docs/versioning.md and docs/rules.md have them, if one in ten is abnormal."""


def of_functions() -> Iterator[Line]:
    """Yield what each function uses for a report, those that write most first."""
    with Factory(MACHINES) as factory:
        for number in range(UNCOUNTED_ROUNDS + ROUNDS):
            if number == UNCOUNTED_ROUNDS:
                factory.forget()
            factory.now.ms = BEGIN_MS + (number + 1) * 5 * 60_000
            for place, machine in enumerate(factory.machines):
                factory.report(machine, NORMAL if (place + number) % 10 else ABNORMAL)
            factory.run()
            factory.sweep(is_whole=True)
        used = {**dict.fromkeys(ON_PAPER, Used()), **factory.used}
    for name, one in sorted(used.items(), key=lambda pair: -pair[1].write_units):
        cells = (one.write_units, one.requests.total(), one.reads, one.entries.total())
        yield Line(name, [cell / MACHINES / ROUNDS for cell in cells], ON_PAPER.get(name))
