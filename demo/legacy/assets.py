"""The database of the legacy system: its assets, which edits are still to be published, and edits from elsewhere."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypedDict, cast

from andon.sync.crossing import Edit
from andon.views.outcome import Outcome

SCHEMA: Final = (Path(__file__).parent / "schema.sql").read_text()

ORIGIN: Final = "legacy"


class Asset(TypedDict):
    """The shared fields of an asset without its number; a place of None is not stated."""

    description: str
    plant: str
    line: str
    company: str
    country: str | None
    region: str | None
    state: str | None
    county: str | None
    city: str | None
    district: str | None


COLUMNS: Final = tuple(Asset.__annotations__)
_SET: Final = ", ".join(f"{column} = excluded.{column}" for column in COLUMNS)
UPSERT: Final = (
    f"INSERT INTO asset (asset_no, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)}) "  # noqa: S608  our names
    f"ON CONFLICT DO UPDATE SET {_SET}"  # the other columns stay as they are
)
STAMP: Final = (
    "INSERT INTO edit VALUES (?, ?, ?) "
    "ON CONFLICT DO UPDATE SET edited_ms = excluded.edited_ms, origin = excluded.origin"
)


class Noted(NamedTuple):
    """An edit that was made here, in the order of `number`."""

    number: int
    asset_no: str
    edited_ms: int
    asset: Asset
    deleted: bool


def prepare(connection: sqlite3.Connection, now_ms: Callable[[], int]) -> None:
    """Register the triggers' clock with a connection that commits by itself; make the tables if there are none."""
    connection.create_function("now_ms", 0, now_ms)
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'asset'").fetchone():
        connection.executescript(SCHEMA)


def all_assets(connection: sqlite3.Connection) -> dict[str, Asset]:
    """Return the shared fields of all assets, by number."""
    rows = connection.execute(f"SELECT asset_no, {', '.join(COLUMNS)} FROM asset")  # noqa: S608  our names
    return {number: cast("Asset", dict(zip(COLUMNS, values, strict=True))) for number, *values in rows}


def noted(connection: sqlite3.Connection) -> list[Noted]:
    """Return the edits that were made here and are not published yet."""
    rows = connection.execute("SELECT id, asset_no, edited_ms, content, deleted FROM outbox ORDER BY id").fetchall()
    return [
        Noted(number, asset_no, edited_ms, json.loads(content), bool(deleted))
        for number, asset_no, edited_ms, content, deleted in rows
    ]


def forget(connection: sqlite3.Connection, edits: Sequence[Noted]) -> None:
    """Take edits that were published out of the outbox."""
    connection.executemany("DELETE FROM outbox WHERE id = ?", [(one.number,) for one in edits])


def take(connection: sqlite3.Connection, asset_no: str, asset: Asset | None, edit: Edit) -> Outcome:
    """Write an edit that was made elsewhere, unless a newer one is there; None: it was deleted."""
    with _transaction(connection):
        there = _newest(connection, asset_no)
        if there is not None and there >= edit:
            return Outcome.DUPLICATE if there == edit else Outcome.STALE
        connection.execute("UPDATE latch SET closed = 1")
        if asset is None:
            connection.execute("DELETE FROM asset WHERE asset_no = ?", (asset_no,))
        else:
            connection.execute(UPSERT, (asset_no, *asset.values()))
        connection.execute(STAMP, (asset_no, edit.timestamp_ms, edit.origin))
        connection.execute("UPDATE latch SET closed = 0")
    return Outcome.APPLIED


def _newest(connection: sqlite3.Connection, asset_no: str) -> Edit | None:
    row = connection.execute("SELECT edited_ms, origin FROM edit WHERE asset_no = ?", (asset_no,)).fetchone()
    return None if row is None else Edit(*row)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
