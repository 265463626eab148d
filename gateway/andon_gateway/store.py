"""Store and forward: reports wait in SQLite until the API has taken them.

A row goes only on an answer that takes it, or that refuses it by name; then it is kept among the refused, with the
reason. Both count against the capacity: nothing is dropped.
"""

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from andon_gateway.states import Report

CAPACITY: Final = 1_000_000

# FULL: a commit is on the disk before it returns, also in WAL mode. https://www.sqlite.org/pragma.html#pragma_synchronous
OPENING: Final = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA journal_size_limit = 8388608;
    PRAGMA cache_size = -1024;
    CREATE TABLE IF NOT EXISTS machines
        (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at_ms INTEGER NOT NULL, state TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS reports
        (number INTEGER PRIMARY KEY, machine INTEGER NOT NULL, at_ms INTEGER NOT NULL, state TEXT NOT NULL,
         detail TEXT, UNIQUE (machine, at_ms));
    CREATE TABLE IF NOT EXISTS refused
        (number INTEGER PRIMARY KEY, machine TEXT NOT NULL, at_ms INTEGER NOT NULL, state TEXT NOT NULL,
         detail TEXT, reason TEXT NOT NULL);
"""
REFUSE: Final = """
    INSERT INTO refused (machine, at_ms, state, detail, reason)
    SELECT id, reports.at_ms, reports.state, detail, ? FROM reports JOIN machines ON machines.number = machine
    WHERE reports.number = ?
"""
NEXT: Final = """
    SELECT reports.number, id, reports.at_ms, reports.state, detail
    FROM reports JOIN machines ON machines.number = machine ORDER BY reports.number LIMIT ?
"""
LAST: Final = """
    INSERT INTO machines (id, at_ms, state) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET at_ms = excluded.at_ms, state = excluded.state RETURNING number
"""


OF_VALUES: Final = (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.ProgrammingError)
"""Errors of SQLite that are about what was to be stored; all others are about the disk."""


class Unavailable(Exception):
    """Nothing can be stored or read now: there is no room, or the disk fails; it says which."""


class Stored(NamedTuple):
    """A report that waits."""

    number: int
    machine: str
    at_ms: int
    state: str
    detail: str | None


class Last(NamedTuple):
    """Last report of a machine."""

    at_ms: int
    state: str


class Store:
    """Reports on disk, in the order in which they came; threads may share it."""

    def __init__(self, path: Path, *, capacity: int = CAPACITY) -> None:
        """Open a store, and make it if it is not there.

        Raises:
            Unavailable: it cannot be read or made.

        """
        self._capacity = capacity
        self._lock = threading.Lock()
        with _on_disk():
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.executescript(OPENING)
            machines = self._db.execute("SELECT id, at_ms, state FROM machines")
            self._last = {id_: Last(at_ms, state) for id_, at_ms, state in machines}
            self._waiting = self._count("reports")
            self._refused = self._count("refused")

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            self._db.close()

    @property
    def waiting(self) -> int:
        """The number of reports that wait."""
        return self._waiting

    @property
    def refused(self) -> int:
        """The number of reports that were refused."""
        return self._refused

    @property
    def last(self) -> Mapping[str, Last]:
        """Last report of each machine, sent or not."""
        return self._last

    def add(self, reports: Sequence[tuple[str, Report]]) -> None:
        """Keep reports of machines, all or none: they are on the disk when this returns.

        No two of one machine have the same time: one that is not later than the one before is put 1 ms behind it.

        Raises:
            Unavailable: there is no room for them now.

        """
        with self._lock:
            if self._waiting + self._refused + len(reports) > self._capacity:
                raise Unavailable(f"it holds {self._capacity} reports, and no more")
            last = dict(self._last)
            with self._transaction():
                for machine, report in reports:
                    before = last.get(machine)
                    at_ms = max(report.at_ms, before.at_ms + 1) if before else report.at_ms
                    last[machine] = Last(at_ms, report.state)
                    [[number]] = self._db.execute(LAST, (machine, at_ms, report.state)).fetchall()
                    row = (number, at_ms, report.state, report.detail)
                    self._db.execute("INSERT INTO reports (machine, at_ms, state, detail) VALUES (?, ?, ?, ?)", row)
            self._last = last
            self._waiting += len(reports)

    def oldest(self, most: int) -> list[Stored]:
        """Return those that wait longest, in their order.

        Raises:
            Unavailable: the disk does not give them now.

        """
        with self._lock, _on_disk():
            return [Stored(*row) for row in self._db.execute(NEXT, (most,))]

    def settle(self, done: Sequence[int], refused: Mapping[int, str]) -> None:
        """Let go of reports that were taken, and keep those that were refused apart; number -> reason.

        Raises:
            Unavailable: the disk does not take that now.

        """
        with self._lock:
            with self._transaction():
                self._db.executemany(REFUSE, [(reason, number) for number, reason in refused.items()])
                gone = [(number,) for number in (*done, *refused)]
                self._db.executemany("DELETE FROM reports WHERE number = ?", gone)
            self._waiting -= len(gone)
            self._refused += len(refused)

    def reasons(self) -> list[tuple[str, int, str, str | None, str]]:
        """Return the refused reports: machine, epoch ms, state, detail, reason."""
        with self._lock:
            return self._db.execute("SELECT machine, at_ms, state, detail, reason FROM refused").fetchall()

    def _count(self, table: str) -> int:
        [[count]] = self._db.execute(f"SELECT count(*) FROM {table}")  # noqa: S608  a name of ours
        return int(count)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _on_disk():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite ends it by itself when the disk is full
                    self._db.execute("ROLLBACK")
                raise


@contextmanager
def _on_disk() -> Iterator[None]:
    try:
        yield
    except OF_VALUES:
        raise
    except sqlite3.DatabaseError as error:
        raise Unavailable(str(error)) from error
