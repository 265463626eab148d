"""Many writers of one item at the same time, in threads on the stack's tables; through its API: `bench.attack`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Final

import pytest

from andon.runtime import clock
from andon.runtime.errors import Rejected
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.versions.optimistic_lock import Command, Saved, fingerprint_of
from andon.versions.versioned_write import Versions, save
from services.equipment import audit, metadata
from services.equipment.metadata import EQUIPMENT
from tests.support.deployed.at_once import at_once
from tests.support.deployed.tables import in_this_process
from tests.support.services import versions

WRITERS: Final = 32
PERSISTENT: Final = 8
WITHIN_S: Final = 60

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Item:
    """Something with versions: their place, how one is saved, and its response."""

    versions: Versions[Any]
    save: Callable[[str, Command], Saved[Any]]
    to_response: Callable[[Any], Mapping[str, Any]]

    def write(self, what: str, if_match: int | None) -> int:
        """Write the next version; give the status that a client would get."""
        told = {"route": "PUT", "path": {}, "body": what, "actor": "Liz"}
        fingerprint = fingerprint_of(**told, if_match=if_match)  # type: ignore[arg-type]
        command = Command(actor="Liz", now_ms=clock.now_ms(), if_match=if_match, fingerprint=fingerprint)
        try:
            return 201 if self.save(what, command).created else 200
        except Rejected as refused:
            return refused.status

    def current(self) -> dict[str, Any]:
        """Read the current row."""
        row = self.versions.table.get(self.versions.key, consistent=True)
        assert row is not None
        return row

    def history(self) -> list[dict[str, Any]]:
        """Read all revisions, oldest first."""
        assert self.versions.revisions is not None
        rows = self.versions.revisions.table.query(self.versions.revisions.all, limit=1000, consistent=True)
        assert rows.last_key is None
        return rows.items[::-1]


def _audit(result: str) -> dict[str, Any]:
    return {"result": result, "auditor": "Olga", "notes": None}


def _equipment(equipment_id: str) -> Item:
    return Item(
        EQUIPMENT.versions_of(equipment_id),
        lambda name, command: metadata.register(equipment_id, versions.equipment(name), command),
        EQUIPMENT.to_response,
    )


def _audits(equipment_id: str) -> Item:
    belt = audit.versions_of(equipment_id, "belt")
    return Item(
        belt,
        lambda result, command: save(belt, audit.record(equipment_id, "belt", _audit(result), command)),
        audit.to_response,
    )


@pytest.fixture
def equipment_id() -> str:
    return f"raced-{next(_numbers)}"


@pytest.fixture(params=["equipment", "audit"])
def item(stack: Stack, equipment_id: str, request: pytest.FixtureRequest) -> Iterator[Item]:
    """A piece of equipment that nobody has registered yet, or the audits of a part of one."""
    with in_this_process(stack):
        if request.param == "audit":
            assert _equipment(equipment_id).write("audited", None) == 201
        yield (_audits if request.param == "audit" else _equipment)(equipment_id)


def _change(item: Item, version: int, writer: int) -> int:
    return item.write(f"version {version} changed by {writer}", version)


def _assert_whole(item: Item, last: int) -> None:
    """Check that versions 1 to `last` are there, each once and later than the one before, the last one current."""
    history, current = item.history(), item.current()
    assert [row["version"] for row in history] == list(range(1, last + 1))
    stamps = [row["timestamp"] for row in history]
    assert stamps == sorted(set(stamps))
    assert item.to_response(current) == item.to_response(history[-1])
    if "latest" in current:
        assert current["latest"] == last


def test_of_32_who_create_and_of_32_who_change_one_version_exactly_one_wins(item: Item) -> None:
    creates = at_once(WRITERS, lambda writer: item.write(f"created by {writer}", None))
    assert Counter(creates) == {201: 1, 428: WRITERS - 1}
    _assert_whole(item, 1)

    for version in range(1, 6):
        changes = at_once(WRITERS, partial(_change, item, version))
        assert Counter(changes) == {200: 1, 412: WRITERS - 1}
        _assert_whole(item, version + 1)


def test_one_command_that_32_send_at_once_is_one_version(item: Item) -> None:
    assert Counter(at_once(WRITERS, lambda _: item.write("created", None))) == {201: WRITERS}
    assert Counter(at_once(WRITERS, lambda _: item.write("changed", 1))) == {200: WRITERS}

    _assert_whole(item, 2)


def test_writers_who_read_again_until_they_win_all_win_and_versions_have_no_gap(item: Item) -> None:
    item.write("created", None)
    statuses: Counter[int] = Counter()

    def persist(writer: int) -> bool:
        def wins() -> bool:
            status = item.write(f"changed by {writer}", item.current()["version"])
            statuses[status] += 1
            return status == 200

        return eventually(wins, within_s=WITHIN_S)

    assert all(at_once(PERSISTENT, persist))

    assert statuses.keys() <= {200, 412}
    assert statuses[200] == PERSISTENT
    _assert_whole(item, PERSISTENT + 1)
