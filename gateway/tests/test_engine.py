"""Messages -> reports on disk: what one machine says costs no other a report."""

import queue
import threading
from collections import Counter
from pathlib import Path
from typing import Final

from andon.tools.stack.processes import eventually
from andon_gateway.clock import Clock
from andon_gateway.conditions import Condition
from andon_gateway.engine import Engine, Wired
from andon_gateway.reading import Message
from andon_gateway.states import Machine, Rule
from andon_gateway.store import Store

NOW_MS: Final = 1_790_000_000_000
OIL: Final = Machine((Rule("WARNING1", Condition.parse("oil > 80", ["oil"])), Rule("NORMAL")))


def engine_of(store: Store, counts: Counter[str], *ids: str) -> Engine:
    wired = {id_: Wired(id_, "line", {"oil": f"{id_}.oil"}, OIL) for id_ in ids}
    return Engine(wired, store, Clock(is_trusted=True, wall=lambda: NOW_MS / 1000), counts)


def message(values: dict[str, float | str | None]) -> Message:
    return Message("line", {f"{id_}.oil": value for id_, value in values.items()}, None, NOW_MS)


def test_a_report_that_can_never_be_stored_is_counted_and_its_neighbours_are_kept(tmp_path: Path) -> None:
    store, counts, stopped = Store(tmp_path / "reports.db"), Counter[str](), threading.Event()
    bad = "press-\ud800"
    engine = engine_of(store, counts, "press-1", bad, "press-2")
    messages = queue.Queue[Message]()
    thread = threading.Thread(target=engine.run, args=(messages, stopped))
    thread.start()

    messages.put(message({"press-1": 81, bad: 81, "press-2": 60}))
    assert eventually(lambda: counts["reported"] == 2)
    messages.put(message({"press-1": 60, bad: 60}))
    assert eventually(lambda: counts["reported"] == 3)
    stopped.set()
    thread.join()

    waiting = [(one.machine, one.state) for one in store.oldest(9)]
    assert waiting == [("press-1", "WARNING1"), ("press-2", "NORMAL"), ("press-1", "NORMAL")]
    assert counts["left_out"] == 2
    store.close()


def test_a_text_where_a_number_is_expected_is_counted_and_shown_until_a_number_comes(tmp_path: Path) -> None:
    store, counts = Store(tmp_path / "reports.db"), Counter[str]()
    engine = engine_of(store, counts, "press-1", "press-2")

    [(id_, report)] = engine.take(message({"press-1": "81.5", "press-2": 81.5}))
    assert (id_, report.state) == ("press-2", "WARNING1")
    assert counts["wrong_kinds"] == 1
    assert engine.troubles == {"line": "oil of press-1 is a text where a number is expected"}

    engine.take(message({"press-1": None}))
    assert engine.troubles == {}
    engine.take(message({"press-1": "81.5"}))
    [(id_, report)] = engine.take(message({"press-1": 81.5}))
    assert (id_, report.state) == ("press-1", "WARNING1")
    assert engine.troubles == {}
    assert counts["wrong_kinds"] == 2
    store.close()
