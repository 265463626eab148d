"""What a change costs in each way of keeping versions: the write units that DynamoDB counts, beside those on paper.

MiniStack counts as DynamoDB does: by the larger of the row before and after, two units a KB in a transaction, one for
an index entry. (moto answers a constant, and nothing for a transaction.) A write whose condition fails costs as well,
and so does a transaction's check of another row; no emulator counts these, so that none is here.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from andon.dynamodb.client import Table
from andon.dynamodb.expressions import Condition
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Keys
from andon.versions import numbered_versions, sequential_history, versioned_write
from andon.versions.numbered_versions import Numbered
from andon.versions.optimistic_lock import Command, Draft, digest_of
from andon.versions.versioned_write import Revisions, Versions
from andon.wire import aws
from bench.meter import Meter

NOW_MS: Final = 1_790_000_000_000

# Rows of one KB and of two: the rest of a row (version, author, digests) is about 400 bytes.
CONTENT_BYTES: Final = {1: 300, 2: 1200}

CURRENT: Final = Table("CURRENT", Keys("pk", "sk", one_partition_per="entity"))
HISTORY: Final = Table("HISTORY", Keys("pk", "version", sort_type="N", one_partition_per="entity"))
INDEXED: Final = Table("INDEXED_HISTORY", HISTORY.keys)


@dataclass(frozen=True, slots=True)
class Design:
    """A way of keeping versions: how thing `name` is changed to version n, and what that is to cost for a KB."""

    name: str
    units_per_kb: int
    change: Callable[[str, int, str], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """What a change of rows of so many KB costs."""

    design: str
    kb: int
    measured: float
    paper: int

    @property
    def differs(self) -> bool:
        """Whether it is not what it should be."""
        return self.measured != self.paper


def draft(version: int, text: str) -> Draft:
    """Return the draft of a version."""
    if_match = version - 1 or None
    fingerprint = digest_of([version, text])
    command = Command(actor="somebody", now_ms=NOW_MS + version, if_match=if_match, fingerprint=fingerprint)
    return Draft(content={"text": f"{version} {text}"}, attributes={}, command=command)


def two_tables(name: str, history: Table) -> Versions[Any]:
    """Return where the revisions are in a table of their own."""
    revisions = Revisions(
        table=history,
        key_of=lambda version: {"pk": name, "version": version},
        all=KeyQuery(keys=history.keys, partition=name),
        attributes={},
    )
    return Versions(table=CURRENT, key={"pk": name, "sk": "-"}, revisions=revisions)


def numbered(name: str) -> Numbered[Any]:
    """Return where the revisions are in a partition of their own."""
    return Numbered(table=CURRENT, partition=name, name="Audit#door", apart=True)


def in_a_transaction(name: str, version: int, text: str) -> None:
    """Write `v0_…` and `vn_…` at once."""
    versioned_write.save(numbered_versions.versions_of(numbered(name)), draft(version, text))


def derived(name: str, version: int, text: str) -> None:
    """Write `v0_…`; the trigger writes `vn_…` from the stream."""
    numbered_versions.save_current(numbered(name), draft(version, text))
    numbered_versions.keep(numbered(name), CURRENT.get(numbered(name).current_key(), consistent=True) or {})


def by_time(name: str, version: int, text: str) -> None:
    """Append a row whose key is its time."""
    absent = Condition("attribute_not_exists(#pk)", {"pk": "pk"})
    CURRENT.put({"pk": name, "sk": f"2026-11-21T09:35:{version:02d}.000Z", "text": text}, condition=absent)


TABLES: Final = (CURRENT, HISTORY, INDEXED)

DESIGNS: Final = (
    Design(
        "two tables, one transaction",
        4,
        lambda n, v, text: versioned_write.save(two_tables(n, HISTORY), draft(v, text)),
    ),
    Design(
        "… and an index by time", 5, lambda n, v, text: versioned_write.save(two_tables(n, INDEXED), draft(v, text))
    ),
    Design(
        "two tables, sequential", 3, lambda n, v, text: sequential_history.save(two_tables(n, HISTORY), draft(v, text))
    ),
    Design("numbered, one transaction", 4, in_a_transaction),
    Design("numbered, atomic counter", 2, lambda n, _, text: numbered_versions.count_up(numbered(n), {"text": text})),
    Design("numbered, from the stream", 2, derived),
    Design("by time", 1, by_time),
)


def measure(endpoint: str) -> list[Figure]:
    """Change a thing in every way, behind its first version, and count; on an empty emulator."""
    os.environ |= {"AWS_ENDPOINT_URL": endpoint, **{table.variable: table.variable for table in TABLES}}
    aws.forget()
    create_tables()
    return [figure(design, kb) for design in DESIGNS for kb in CONTENT_BYTES]


def figure(design: Design, kb: int) -> Figure:
    """Measure one change."""
    name, text = f"{design.name}, {kb} KB", "x" * CONTENT_BYTES[kb]
    design.change(name, 1, text)
    with Meter() as meter, meter.on_behalf_of(name) as usage:
        design.change(name, 2, text)
    return Figure(design.name, kb, usage.write_units, design.units_per_kb * kb)


def report(figures: list[Figure]) -> str:
    """Write the figures side by side."""
    lines = [f"{'a change, of rows of':<30} {'KB':>3} {'measured':>9} {'paper':>6}"]
    for one in figures:
        mark = "  <- differs" if one.differs else ""
        lines.append(f"{one.design:<30} {one.kb:>3} {one.measured:>9g} {one.paper:>6}{mark}")
    return "\n".join(lines)


def create_tables() -> None:
    """Create the tables."""
    by_time = {"KeySchema": _key("pk", "timestamp"), "IndexName": "ByTime", "Projection": {"ProjectionType": "ALL"}}
    _create(CURRENT, {"pk": "S", "sk": "S"})
    _create(HISTORY, {"pk": "S", "version": "N"})
    _create(INDEXED, {"pk": "S", "version": "N", "timestamp": "N"}, GlobalSecondaryIndexes=[by_time])


def _create(table: Table, types: dict[str, str], **more: object) -> None:
    aws.client("dynamodb").create_table(
        TableName=table.name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=_key(*table.keys.names),
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()],
        **more,
    )


def _key(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]
