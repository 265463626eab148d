"""A legacy database beside the loop, and what tests do with it."""

import sqlite3
from pathlib import Path
from typing import Any, Final

from andon.events.domain_event import Entity
from andon.runtime import clock
from andon.testing.loop import Loop
from demo.legacy import assets, mapping
from demo.legacy.assets import Asset
from demo.legacy.beside import Beside
from services.equipment2.resources import MACHINE

ID: Final = "press-7"
INSERT: Final = "INSERT INTO asset (asset_no, description, plant, line, company, inspector) VALUES (?, ?, ?, ?, ?, ?)"


def prepare(connection: sqlite3.Connection, *, skew_ms: int = 0) -> None:
    """Make the tables, with a clock that is ahead of ours by `skew_ms`."""
    assets.prepare(connection, lambda: clock.now_ms() + skew_ms)


def connect(path: Path | str = ":memory:", *, skew_ms: int = 0) -> sqlite3.Connection:
    """Open a database."""
    connection = sqlite3.connect(path, isolation_level=None)
    prepare(connection, skew_ms=skew_ms)
    return connection


def fresh(loop: Loop, connection: sqlite3.Connection | None = None) -> Beside:
    """Return an empty database beside the loop, which is emptied."""
    loop.clear()
    return Beside(loop, connection or connect())


def insert(beside: Beside, description: str = "press") -> None:
    """Register an asset, as a program of the legacy system does."""
    beside.connection.execute(INSERT, (ID, description, "gdl-1", "line-3", "Acme", "Olga"))


def update(beside: Beside, description: str) -> None:
    """Change it."""
    beside.connection.execute("UPDATE asset SET description = ?", (description,))


def delete(beside: Beside) -> None:
    """Delete it."""
    beside.connection.execute("DELETE FROM asset")


def ours(loop: Loop) -> dict[str, Asset]:
    """Return equipment2's machines that are not deleted, as assets."""
    rows: list[Any] = [row for row in loop.rows("EQUIPMENT2_TABLE") if not row.get("deleted")]
    return {row["id"]: mapping.to_asset(Entity("machine", dict(MACHINE.entity_of(row)))) for row in rows}


def require_in_step(loop: Loop, beside: Beside) -> None:
    """Check that both sides say the same, and that nothing more comes of it."""
    assert assets.all_assets(beside.connection) == ours(loop)
    assert assets.noted(beside.connection) == []
    assert beside.publish() == 0, "nothing comes back"
