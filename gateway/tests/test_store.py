import sqlite3
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon_gateway import store as stores
from andon_gateway.sender import Sender
from andon_gateway.states import Report
from andon_gateway.store import Last, Store, Stored, Unavailable
from andon_gateway.verdict import Verdict

MACHINES: Final = ("press-1", "press-2")

added = st.lists(st.tuples(st.sampled_from(MACHINES), st.integers(-5, 5)), min_size=1, max_size=4)
moves = st.lists(added | st.integers(0, 3) | st.just("reopened"), max_size=12)


def report(at_ms: int, detail: str | None = None) -> Report:
    return Report("ERROR", at_ms, detail)


@given(moves=moves)
def test_what_was_added_waits_in_its_order_until_it_is_settled_also_behind_a_crash(
    tmp_path_factory: pytest.TempPathFactory, moves: list[list[tuple[str, int]] | int | str]
) -> None:
    path = tmp_path_factory.mktemp("store") / "reports.db"
    store, waiting, last, at_ms = Store(path), [], dict[str, int](), 1000
    for move in moves:
        if isinstance(move, list):
            batch = [(machine, report(at_ms := at_ms + passed_ms)) for machine, passed_ms in move]
            store.add(batch)
            for machine, one in batch:
                last[machine] = max(one.at_ms, last.get(machine, 0) + 1)
                waiting.append((machine, last[machine]))
        elif isinstance(move, int):
            store.settle([one.number for one in store.oldest(move)], {})
            waiting = waiting[move:]
        else:  # a transaction that did not commit is none: nothing is kept in memory alone
            store.close()
            store = Store(path)

        assert [(one.machine, one.at_ms) for one in store.oldest(100)] == waiting
        assert store.waiting == len(waiting)
        assert {machine: one.at_ms for machine, one in store.last.items()} == last
    store.close()


def test_what_was_refused_is_kept_with_its_reason_and_takes_room(tmp_path: Path) -> None:
    store = Store(tmp_path / "reports.db", capacity=2)
    store.add([("press-1", report(1, "hot")), ("press-2", report(2))])
    first, second = store.oldest(2)

    store.settle([second.number], {first.number: "400: not yours"})

    assert store.reasons() == [("press-1", 1, "ERROR", "hot", "400: not yours")]
    assert (store.waiting, store.refused) == (0, 1)
    store.add([("press-1", report(3))])
    with pytest.raises(Unavailable):
        store.add([("press-1", report(4))])
    assert store.last["press-1"] == Last(3, "ERROR")
    store.close()


def test_of_a_batch_that_does_not_fit_nothing_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "reports.db", capacity=3)
    store.add([("press-1", report(1)), ("press-1", report(2))])

    with pytest.raises(Unavailable):
        store.add([("press-1", report(3)), ("press-2", report(4))])

    assert [one.at_ms for one in store.oldest(9)] == [1, 2]
    assert "press-2" not in store.last
    store.close()


def test_on_a_full_disk_nothing_is_lost_and_there_is_room_again_for_as_much_as_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "OPENING", stores.OPENING + "PRAGMA max_page_count = 1;")  # no more than it has
    store, times = Store(tmp_path / "reports.db"), count()

    def fill() -> None:
        while True:
            store.add([("press-1", report(next(times), "x" * 100)), ("press-2", report(next(times)))])

    for _ in range(2):
        with pytest.raises(Unavailable, match="disk is full"):
            fill()

    waiting = [one.at_ms for one in store.oldest(1000)]
    assert waiting == list(range(store.waiting))
    store.settle([one.number for one in store.oldest(2)], {})
    store.add([("press-1", report(2000, "x" * 100)), ("press-2", report(2001))])
    assert [one.at_ms for one in store.oldest(1000)] == [*waiting[2:], 2000, 2001]
    store.close()


class Takes:
    """A way to the API that takes everything."""

    def __init__(self) -> None:
        self.sent: list[int] = []

    def send(self, batch: Sequence[Stored]) -> tuple[int, Verdict]:
        self.sent += [one.at_ms for one in batch]
        return len(batch), Verdict(done=frozenset(range(len(batch))))

    def keep(self) -> str | None:
        return None

    def ask_time(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_disk_that_fails_stops_the_sender_only_while_it_does(tmp_path: Path) -> None:
    path, north = tmp_path / "reports.db", Takes()
    store = Store(path)
    store.add([("press-1", report(1)), ("press-1", report(2))])
    sender = Sender(store, north, counts=Counter())
    with sqlite3.connect(path) as other:
        other.execute("ALTER TABLE refused RENAME TO gone")  # stands for a write that fails when the API has answered

    assert sender.step() > 0
    assert (sender.trouble, store.waiting) == ("the store: no such table: refused", 2)

    with sqlite3.connect(path) as other:
        other.execute("ALTER TABLE gone RENAME TO refused")
    other.close()
    assert sender.step() == 0
    assert (sender.trouble, store.waiting, north.sent) == (None, 0, [1, 2, 1, 2])
    store.close()
