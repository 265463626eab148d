import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon_gateway.https import MAX_BYTES, body_of
from andon_gateway.sender import Sender
from andon_gateway.states import Report
from andon_gateway.store import Store, Stored
from andon_gateway.verdict import Answer, Verdict, judge

fields = st.sampled_from(["body.0", "body.1.state", "body.7", "body", "", "path.id", "body.x"]) | st.none()


def errors_at(places: list[str | None]) -> bytes:
    return json.dumps({"errors": [{"field": one, "detail": "no \ud800"} for one in places]}).encode()


bodies = (
    st.binary(max_size=20)
    | st.fixed_dictionaries({"ids": st.lists(st.text(), max_size=4)}).map(lambda body: json.dumps(body).encode())
    | st.lists(fields, max_size=4).map(errors_at)
)
answers = st.builds(
    Answer,
    st.sampled_from([200, 202, 301, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504]),
    st.sampled_from([{}, {"retry-after": "7"}, {"retry-after": "soon"}, {"retry-after": "²"}]),
    bodies,
)


@given(st.integers(1, 4), st.none() | answers)
def test_a_report_goes_only_when_it_was_taken_or_refused_by_name(count: int, answer: Answer | None) -> None:
    verdict = judge(count, answer)

    status = answer.status if answer else 0
    assert verdict.done | verdict.refused.keys() <= set(range(count))
    assert not verdict.done & verdict.refused.keys()
    assert not verdict.done or status in {202, 503}
    assert status != 202 or verdict.waits or len(verdict.done) == count
    assert not verdict.refused or status in {400, 403, 413}
    assert all(reason.encode() for reason in verdict.refused.values())  # else no store would keep it
    assert verdict.done or verdict.refused or verdict.waits or verdict.is_too_much  # else it would spin


def errors(*indexes: int) -> bytes:
    return json.dumps({"errors": [{"field": f"body.{index}", "detail": "no"} for index in indexes]}).encode()


@pytest.mark.parametrize(
    ("answer", "done", "refused"),
    [
        (Answer(202, {}, b'{"ids": ["a", "b", "c"]}'), {0, 1, 2}, set()),
        (Answer(202, {}, b'{"ids": ["a", "b"]}'), set(), set()),
        (Answer(503, {}, errors(1)), {0, 2}, set()),
        (Answer(503, {}, errors(1, 9)), set(), set()),
        (Answer(400, {}, errors(1, 2)), set(), {1, 2}),
        (Answer(403, {}, errors(0)), set(), {0}),
        (Answer(403, {}, b"{}"), set(), set()),
    ],
)
def test_an_answer_says_which_reports_may_go(answer: Answer, done: set[int], refused: set[int]) -> None:
    verdict = judge(3, answer)

    assert (set(verdict.done), set(verdict.refused)) == (done, refused)


def test_a_right_that_is_missing_refuses_no_report_it_waits() -> None:
    verdict = judge(1, Answer(403, {}, b'{"detail": "You may not call this."}'))

    assert (verdict.refused, verdict.waits) == ({}, True)


class Scripted:
    """A way to an API that answers what a test says, or, while nothing waits, has a trouble."""

    def __init__(self, answered: Callable[[Sequence[Stored]], Answer | None], trouble: str | None = None) -> None:
        self._answered, self._trouble = answered, trouble

    def send(self, batch: Sequence[Stored]) -> tuple[int, Verdict]:
        return len(batch), judge(len(batch), self._answered(batch))

    def keep(self) -> str | None:
        return self._trouble

    def ask_time(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_report_that_nobody_names_is_found_by_halving_and_its_neighbours_arrive(tmp_path: Path) -> None:
    store = Store(tmp_path / "reports.db")
    store.add([("press-1", Report("ERROR", number, "bad" if number in {3, 70} else None)) for number in range(90)])
    taken: list[int] = []

    def answered(batch: Sequence[Stored]) -> Answer:
        if any(one.detail for one in batch):
            return Answer(400, {}, b"{}")
        taken.extend(one.at_ms for one in batch)
        return Answer(202, {}, json.dumps({"ids": ["…"] * len(batch)}).encode())

    counts: Counter[str] = Counter()
    sender = Sender(store, Scripted(answered), counts=counts)
    steps = 0
    while store.waiting:
        assert sender.step() == 0
        steps += 1

    assert sorted(taken) == [number for number in range(90) if number not in {3, 70}]
    assert [at_ms for _, at_ms, *_ in store.reasons()] == [3, 70]
    assert counts == {"sent": 88, "refused": 2}
    assert steps < 50
    store.close()


def test_pauses_grow_to_five_minutes_and_never_undercut_what_the_api_asks_for(tmp_path: Path) -> None:
    store = Store(tmp_path / "reports.db")
    store.add([("press-1", Report("ERROR", 1))])
    said = [Answer(503, {}, b"")] * 20 + [Answer(429, {"retry-after": "3000"}, b"")]
    sender = Sender(store, Scripted(lambda _: said.pop(0)), counts=Counter(), chance=Random(1))  # noqa: S311

    pauses = [sender.step() for _ in range(21)]

    assert all(pause <= min(300, 2**number) for number, pause in enumerate(pauses[:20]))
    assert max(pauses[:20]) > 200
    assert pauses[20] == 3000
    store.close()


def test_pauses_grow_while_there_is_no_connection_and_nothing_waits(tmp_path: Path) -> None:
    store = Store(tmp_path / "reports.db")
    sender = Sender(store, Scripted(lambda _: None, "nobody is there"), counts=Counter(), chance=Random(1))  # noqa: S311

    pauses = [sender.step() for _ in range(12)]

    assert all(pause <= min(300, 2**number) for number, pause in enumerate(pauses))
    assert max(pauses) > 100
    assert sender.trouble == "nobody is there"
    store.close()


def test_a_body_is_the_same_each_time_and_holds_what_fits() -> None:
    batch = [Stored(number, "press-1", number, "ERROR", "é" * 1000) for number in range(100)]

    count, body = body_of(batch)

    assert 40 < count < 60
    assert len(body) <= MAX_BYTES + 2
    assert body_of(batch) == (count, body)
    assert json.loads(body)[1]["timestamp"] == "1970-01-01T00:00:00.001Z"
    assert body_of([Stored(1, "p", 1, "ERROR", "x" * 200_000)])[0] == 1
