from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon_gateway.states import Report
from andon_gateway.store import Full, Last, Store

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
    with pytest.raises(Full):
        store.add([("press-1", report(4))])
    assert store.last["press-1"] == Last(3, "ERROR")
    store.close()


def test_of_a_batch_that_does_not_fit_nothing_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "reports.db", capacity=3)
    store.add([("press-1", report(1)), ("press-1", report(2))])

    with pytest.raises(Full):
        store.add([("press-1", report(3)), ("press-2", report(4))])

    assert [one.at_ms for one in store.oldest(9)] == [1, 2]
    assert "press-2" not in store.last
    store.close()
