"""Write units of a change in each way of keeping versions: those that are counted, beside those on paper.

A write whose condition fails costs as well, and so does a transaction's check of another row; neither is in here.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from andon.dynamodb.client import Table
from andon.dynamodb.expressions import Condition
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Index, Keys, TableSchema
from andon.versions import numbered_versions, sequential_history, versioned_write
from andon.versions.aggregate import COUNTER, FROM_STREAM, NUMBERED, SEQUENTIAL, TIME_BASED, TWO_TABLES
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Command, Draft, digest_of
from andon.versions.versioned_write import Revisions, Versions
from lab.simulate.counted_loop import CountedLoop

NOW_MS: Final = 1_790_000_000_000

# Rows of one KB and of two: the rest of a row (version, author, digests) is about 400 bytes.
CONTENT_BYTES: Final = {1: 300, 2: 1200}

CURRENT: Final = Table("CURRENT", Keys("pk", "sk", one_partition_per="entity"))
HISTORY: Final = Table("HISTORY", Keys("pk", "version", sort_type="N", one_partition_per="entity"))
INDEXED: Final = Table("INDEXED_HISTORY", HISTORY.keys)
BY_TIME: Final = Keys("pk", "timestamp", sort_type="N", one_partition_per="entity")

SCHEMAS: Final[dict[str, TableSchema]] = {
    CURRENT.variable: TableSchema(CURRENT.keys),
    HISTORY.variable: TableSchema(HISTORY.keys),
    INDEXED.variable: TableSchema(INDEXED.keys, indexes={"ByTime": Index(BY_TIME)}),
}


class Design(NamedTuple):
    """A way of keeping versions: how thing `name` is changed to version n, and what that is to cost for a KB."""

    name: str
    units_per_kb: int
    change: Callable[[str, int, str], object]


class WriteUnits(NamedTuple):
    """The units of a change of rows of so many KB."""

    design: str
    kb: int
    counted: float
    paper: int

    @property
    def differs(self) -> bool:
        """True if it is not what it should be."""
        return self.counted != self.paper


def draft(version: int, text: str) -> Draft:
    """Return the draft of a version."""
    if_match = version - 1 or None
    fingerprint = digest_of([version, text])
    command = Command(actor="somebody", now_ms=NOW_MS + version, if_match=if_match, fingerprint=fingerprint)
    return Draft(content={"text": f"{version} {text}"}, attributes={}, command=command)


def two_tables(name: str, history: Table) -> Versions[Any]:
    """Return versions whose revisions are in a table of their own."""
    revisions = Revisions(
        table=history,
        key_of=lambda version: {"pk": name, "version": version},
        all=KeyQuery(keys=history.keys, partition=name),
        attributes={},
    )
    return Versions(table=CURRENT, key={"pk": name, "sk": "-"}, revisions=revisions)


def numbered(name: str) -> Numbered[Any]:
    """Return versions whose revisions are in a partition of their own."""
    return Numbered(table=CURRENT, partition=name, name="Audit#door", apart=True)


def derived(name: str, version: int, text: str) -> None:
    """Write `v0_…`; the trigger writes `vn_…` from the stream."""
    numbered_versions.save_current(numbered(name), draft(version, text))
    numbered_versions.keep(numbered(name), CURRENT.get(numbered(name).current_key(), consistent=True) or {})


def by_time(name: str, version: int, text: str) -> None:
    """Append a row whose key is its time."""
    absent = Condition("attribute_not_exists(#pk)", {"pk": "pk"})
    CURRENT.put({"pk": name, "sk": f"2026-11-21T09:35:{version:02d}.000Z", "text": text}, condition=absent)


DESIGNS: Final = (
    Design(
        TWO_TABLES.title,
        TWO_TABLES.units,
        lambda n, v, text: versioned_write.save(two_tables(n, HISTORY), draft(v, text)),
    ),
    Design(
        "… and an index by time",
        TWO_TABLES.units + 1,
        lambda n, v, text: versioned_write.save(two_tables(n, INDEXED), draft(v, text)),
    ),
    Design(
        SEQUENTIAL.title,
        SEQUENTIAL.units,
        lambda n, v, text: sequential_history.save(two_tables(n, HISTORY), draft(v, text)),
    ),
    Design(
        NUMBERED.title,
        NUMBERED.units,
        lambda n, v, text: versioned_write.save(numbered_versions.versions_of(numbered(n)), draft(v, text)),
    ),
    Design(COUNTER.title, COUNTER.units, lambda n, _, text: numbered_versions.count_up(numbered(n), {"text": text})),
    Design(FROM_STREAM.title, FROM_STREAM.units, derived),
    Design(TIME_BASED.title, TIME_BASED.units, by_time),
)


def count() -> list[WriteUnits]:
    """Change a thing in every way, behind its first version, and count."""
    with CountedLoop(SCHEMAS) as aws:
        return [_figure(aws, design, kb) for design in DESIGNS for kb in CONTENT_BYTES]


def _figure(aws: CountedLoop, design: Design, kb: int) -> WriteUnits:
    name, text = f"{design.name}, {kb} KB", "x" * CONTENT_BYTES[kb]
    design.change(name, 1, text)
    with aws.on_behalf_of(name) as used:
        design.change(name, 2, text)
    return WriteUnits(design.name, kb, used.write_units, design.units_per_kb * kb)


def report(figures: list[WriteUnits]) -> str:
    """Write the figures side by side."""
    lines = [f"{'a change, of rows of':<30} {'KB':>3} {'counted':>9} {'paper':>6}"]
    for one in figures:
        mark = "  <- differs" if one.differs else ""
        lines.append(f"{one.design:<30} {one.kb:>3} {one.counted:>9g} {one.paper:>6}{mark}")
    return "\n".join(lines)
