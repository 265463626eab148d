"""What was so at one time, as it was known at another: the handlers against a naive model."""

from dataclasses import dataclass
from itertools import count, product
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.support.examples import ON_TABLES
from tests.support.samples import NOW
from tests.support.services.versions import PUT, VERSIONS, delete, equipment, everything, get, new_facts, roll_back, tag

HOUR: Final = 3_600_000
_numbers = count()


def say(
    loop: Loop, equipment_id: str, line: str, *, valid_from: int | str | None = None, if_match: int | None = None
) -> Answer:
    """Say on which line a piece of equipment stands, and since when."""
    since = times.to_utc(valid_from) if isinstance(valid_from, int) else valid_from
    body = equipment() | {"lineId": line} | ({} if since is None else {"validFrom": since})
    return loop.request(PUT, path={"id": equipment_id}, body=body, headers=tag(if_match))


def ask(loop: Loop, equipment_id: str, **at: int) -> str | None:
    """Return the line on which it stood."""
    names = {"as_of": "asOf", "known_at": "knownAt"}
    answer = get(loop, equipment_id, query={names[name]: times.to_utc(ms) for name, ms in at.items()})
    assert answer.status in {200, 404}, answer.body
    return answer.body["lineId"] if answer.status == 200 else None


def test_a_correction_that_came_late_changes_what_was_so_and_not_what_was_known(loop: Loop, equipment_id: str) -> None:
    monday, friday = NOW - 96 * HOUR, NOW
    with frozen_clock(monday - 240 * HOUR):
        assert say(loop, equipment_id, "line-1").status == 201
    with frozen_clock(friday):
        corrected = say(loop, equipment_id, "line-2", valid_from=monday, if_match=1)

    assert (corrected.status, corrected.body["validFrom"]) == (200, times.to_utc(monday))
    assert ask(loop, equipment_id, as_of=monday - 1) == "line-1"
    assert ask(loop, equipment_id, as_of=monday) == "line-2"
    assert ask(loop, equipment_id, as_of=monday, known_at=friday - 1) == "line-1"
    assert ask(loop, equipment_id, as_of=monday, known_at=friday) == "line-2"
    assert ask(loop, equipment_id, known_at=friday - 1) == "line-1"
    assert ask(loop, equipment_id, known_at=friday) == "line-2"
    assert get(loop, equipment_id).body["lineId"] == "line-2"


def test_the_event_of_a_correction_says_since_when_it_has_been_so_and_no_other_does(
    loop: Loop, equipment_id: str
) -> None:
    loop.run()
    say(loop, equipment_id, "line-1")
    say(loop, equipment_id, "line-2", valid_from=NOW - HOUR, if_match=1)
    say(loop, equipment_id, "line-3", if_match=2)
    roll_back(loop, equipment_id, 2, if_match=3)
    delete(loop, equipment_id, if_match=4)

    told = [event.entity("equipment").get("validFrom") for event in new_facts(loop)]
    listed = [version.get("validFrom") for version in everything(loop, VERSIONS, {"id": equipment_id})]

    assert told == [None, times.to_utc(NOW - HOUR), None, None, None]
    assert listed[::-1] == told


@pytest.mark.parametrize("valid_from", [NOW + 1, -1])
def test_what_begins_ahead_or_before_1970_is_refused(loop: Loop, equipment_id: str, valid_from: int) -> None:
    answer = say(loop, equipment_id, "line-1", valid_from=valid_from)

    assert answer.status == 400
    assert answer.body["errors"] == [{"field": "body.validFrom", "detail": "must lie between 1970 and now"}]


@pytest.mark.parametrize("valid_from", ["yesterday", "", "2020-04-24"])
def test_a_time_that_is_none_is_refused(loop: Loop, equipment_id: str, valid_from: str) -> None:
    answer = say(loop, equipment_id, "line-1", valid_from=valid_from)

    assert (answer.status, answer.body["errors"][0]["field"]) == (400, "body.validFrom")


def test_a_correction_sent_again_is_the_same_and_another_time_is_another_correction(
    loop: Loop, equipment_id: str
) -> None:
    say(loop, equipment_id, "line-1")
    first = say(loop, equipment_id, "line-2", valid_from=NOW - HOUR, if_match=1)

    assert say(loop, equipment_id, "line-2", valid_from=NOW - HOUR, if_match=1).body == first.body
    assert say(loop, equipment_id, "line-2", valid_from=NOW - HOUR, if_match=2).body["version"] == 2
    assert say(loop, equipment_id, "line-2", valid_from=NOW - 2 * HOUR, if_match=2).body["version"] == 3


@dataclass(frozen=True)
class Said:
    """A change, so many hours after the one before: a line, valid since so many hours before it; None: a deletion."""

    after: int
    late: int | None
    line: str | None


SAID = st.builds(
    Said,
    after=st.integers(0, 3),
    late=st.none() | st.integers(0, 8),
    line=st.none() | st.sampled_from(["line-1", "line-2", "line-3"]),
)


@dataclass(frozen=True)
class Known:
    """What the model knows of a revision."""

    recorded: int
    valid_from: int
    line: str | None


def naive(known: list[Known], as_of: int, known_at: int) -> str | None:
    """Write every revision over a line of time, in the order in which they were recorded, and look."""
    line: dict[int, str | None] = {}
    for one in known:
        if one.recorded <= known_at:
            line |= {hour: one.line for hour in range(-20, 30) if hour * HOUR + NOW >= one.valid_from}
    hour = (as_of - NOW) // HOUR
    return line.get(hour)


@ON_TABLES
@given(st.lists(SAID, min_size=1, max_size=5))
def test_every_question_is_answered_as_the_naive_model_answers_it(loop: Loop, story: list[Said]) -> None:
    equipment_id, now, version, alive = f"press {next(_numbers)}", NOW, 0, False
    known: list[Known] = []
    for said in story:
        now += said.after * HOUR + (HOUR if said.after == 0 and known else 0)
        valid_from = None if said.late is None or said.line is None else now - said.late * HOUR
        if said.line is None and not alive:
            continue
        with frozen_clock(now):
            answer = _do(loop, equipment_id, said, valid_from, version if alive else None)
        assert answer.status in {200, 201, 204}, answer.body
        made = everything(loop, VERSIONS, {"id": equipment_id})
        if len(made) == version:
            continue  # it said the same again
        version, alive = version + 1, said.line is not None
        known.append(Known(now, now if valid_from is None else valid_from, said.line))

    hours = [NOW + hour * HOUR for hour in range(-9, 17, 3)]
    for as_of, known_at in product(hours, [NOW - 1, *(one.recorded for one in known), NOW + 20 * HOUR]):
        assert ask(loop, equipment_id, as_of=as_of, known_at=known_at) == naive(known, as_of, known_at)
    for as_of in hours:
        assert ask(loop, equipment_id, as_of=as_of) == naive(known, as_of, NOW + 20 * HOUR)


def _do(loop: Loop, equipment_id: str, said: Said, valid_from: int | None, if_match: int | None) -> Any:  # noqa: ANN401
    if said.line is None:
        return delete(loop, equipment_id, if_match=if_match)
    return say(loop, equipment_id, said.line, valid_from=valid_from, if_match=if_match)
