"""Each saved query answers what a plain count says of the same events, although some of them lie there twice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from andon.stores.lake import queries
from andon.tools.lake.engine import TextTable, ask, connect
from demo.lake.envelopes import LakeEnvelope
from demo.people import LIZ, LUIS, ROSA
from tests.demo.lake.conftest import GHOST
from tests.support import plain_counts

TIMES: Final = (
    "median_minutes_to_take",
    "nine_of_ten_taken_within",
    "median_minutes_to_close",
    "nine_of_ten_closed_within",
)

Asked = Callable[..., TextTable]


@pytest.fixture(scope="module")
def events(made: list[LakeEnvelope]) -> list[plain_counts.Event]:
    return plain_counts.once(made)


@pytest.fixture(scope="module")
def asked(lake: Path) -> Asked:
    connection = connect(lake)

    def ask_for(name: str, **values: str) -> TextTable:
        question = queries.saved(name)
        return ask(connection, question, question.values(values))

    return ask_for


def test_some_lines_come_twice(made: list[LakeEnvelope], events: list[plain_counts.Event]) -> None:
    assert len(made) > 1.08 * len(events)


def test_mtbf_and_mttr(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {(one["level"], one["factory"], one["line"], one["machine"]): one for one in asked("mtbf_mttr").records()}

    expected = plain_counts.mtbf_mttr(events)
    assert answer.keys() == expected.keys()
    for group, (failures, mtbf_hours, mttr_minutes) in expected.items():
        assert answer[group]["failures"] == failures
        assert answer[group]["mtbf_hours"] == _near(mtbf_hours, 0.0051)
        assert answer[group]["mttr_minutes"] == _near(mttr_minutes, 0.051)
    assert answer["machine", "(not registered)", "(not registered)", GHOST]["failures"] == 2
    assert answer["machine", "(not registered)", "(not registered)", GHOST]["mttr_minutes"] == 60.0


def test_availability(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {(one["factory"], one["line"]): one for one in asked("availability").records()}

    expected = plain_counts.availability(events)
    assert answer.keys() == expected.keys()
    for line, (machines, percent) in expected.items():
        assert answer[line]["machines"] == machines
        assert answer[line]["availability_percent"] == _near(percent, 0.0051)
    assert answer["(not registered)", "(not registered)"]["availability_percent"] == 33.33


def test_planned_stops(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {(one["factory"], one["line"]): one for one in asked("planned_stops").records()}

    expected = plain_counts.planned_stops(events)
    assert answer.keys() == expected.keys()
    for line, (planned, planned_hours, unplanned, unplanned_hours) in expected.items():
        one = answer[line]
        assert (one["planned_stops"], one["unplanned_stops"]) == (planned, unplanned)
        assert one["planned_hours"] == _near(planned_hours, 0.0051)
        assert one["unplanned_hours"] == _near(unplanned_hours, 0.0051)
    ghost = answer["(not registered)", "(not registered)"]
    assert (ghost["planned_stops"], ghost["planned_hours"], ghost["unplanned_stops"]) == (1, 2.0, 1)


def test_time_to_finish(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {one["kind"]: one for one in asked("time_to_finish").records()}

    expected = plain_counts.time_to_finish(events)
    assert answer.keys() == expected.keys()
    for kind, (counts, planned_minutes, median, ninth_decile) in expected.items():
        one = answer[kind]
        assert (one["finished"], one["partly"], one["skipped"], one["late"]) == counts
        assert one["planned_minutes"] == planned_minutes
        assert one["median_minutes"] == _near(median, 0.051)
        assert one["nine_of_ten_within_minutes"] == _near(ninth_decile, 0.051)
    totals = [sum(counts[place] for counts, *_ in expected.values()) for place in range(4)]
    assert all(totals), "of each there are some"


def test_call_times(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {(one["factory"], one["category"]): one for one in asked("call_times").records()}

    expected = plain_counts.call_times(events)
    assert answer.keys() == expected.keys()
    assert len(expected) == 6
    for group, (raised, still, rejected, *minutes) in expected.items():
        one = answer[group]
        assert (one["raised"], one["open"], one["rejected"]) == (raised, still, rejected)
        assert min(raised, still, rejected) > 0, "of each there are some"
        for column, value in zip(TIMES, minutes, strict=True):
            assert one[column] == _near(value, 0.051)


def test_causes_are_a_pareto(asked: Asked, events: list[plain_counts.Event]) -> None:
    found = asked("causes").records()
    answer = {(one["factory"], one["cause"]): one for one in found}

    expected = plain_counts.causes(events)
    assert answer.keys() == expected.keys()
    for group, (stops, calls, minutes) in expected.items():
        one = answer[group]
        assert (one["stops"], one["calls"]) == (stops, calls)
        assert one["minutes"] == _near(minutes, 0.051)
    for factory in {factory for factory, _ in expected}:
        own = [one for one in found if one["factory"] == factory]
        assert [one["minutes"] for one in own] == sorted((one["minutes"] for one in own), reverse=True)
        total = sum(minutes for (where, _), (*_, minutes) in expected.items() if where == factory)
        assert own[0]["cumulative_percent"] == own[0]["percent"] == _near(100 * own[0]["minutes"] / total, 0.051)
        assert own[-1]["cumulative_percent"] == 100


def test_tellings(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {(one["person"], one["channel"]): one for one in asked("tellings").records()}

    expected = plain_counts.tellings(events)
    assert answer.keys() == expected.keys()
    for group, (messages, repeated, failed, requests, median, ninth_decile) in expected.items():
        one = answer[group]
        counts = (one["messages"], one["repeated"], one["failed"], one["requests"])
        assert counts == (messages, repeated, failed, requests)
        assert one["median_seconds"] == _near(median, 0.051)
        assert one["nine_of_ten_within_seconds"] == _near(ninth_decile, 0.051)
    assert min(expected[LIZ, "mail"][:4]) > 0, "of each there are some"
    assert min(expected[LIZ, "none"][2:4]) > 0, "and some of which nobody told"


@pytest.mark.parametrize("ahead", ["0", "-6", "5.5"])
def test_duty_load(asked: Asked, events: list[plain_counts.Event], ahead: str) -> None:
    answer = {(one["person"], one["part"]): one for one in asked("duty_load", ahead=ahead).records()}

    expected = plain_counts.duty_load(events, ahead=float(ahead))
    assert answer.keys() == expected.keys()
    assert {part for _, part in expected} == {"day", "night"}
    for group, (requests, urgent, messages, answered, median, ninth_decile) in expected.items():
        one = answer[group]
        assert (one["requests"], one["urgent"], one["messages"], one["answered"]) == (
            requests,
            urgent,
            messages,
            answered,
        )
        assert one["median_minutes_to_answer"] == _near(median, 0.051)
        assert one["nine_of_ten_answered_within"] == _near(ninth_decile, 0.051)
        assert min(urgent, messages, answered) > 0, "of each there are some"
        assert max(urgent, answered) < requests, "and not all are"


def test_operators(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {one["operator"]: one for one in asked("operators").records()}

    expected = plain_counts.operators(events)
    assert answer.keys() == expected.keys()
    for operator, (logs, machines, acknowledged, median, ninth_decile) in expected.items():
        one = answer[operator]
        assert (one["logs"], one["machines"], one["acknowledged"]) == (logs, machines, acknowledged)
        assert one["median_response_minutes"] == _near(median, 0.051)
        assert one["nine_of_ten_within_minutes"] == _near(ninth_decile, 0.051)


def test_escalations_by_hour(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {(weekday, hour): (count, by_rule) for weekday, hour, count, by_rule in asked("escalations_by_hour").rows}

    assert answer == plain_counts.escalations_by_hour(events)
    assert any(count != by_rule for count, by_rule in answer.values())


def test_facts_by_type_by_hour(asked: Asked, events: list[plain_counts.Event]) -> None:
    answer = {(hour, source, kind): facts for hour, source, kind, facts in asked("facts_by_type_by_hour").rows}

    assert answer == plain_counts.facts_by_type_by_hour(events)


@pytest.mark.parametrize("equipment", ["press-gdl-1-1-1", GHOST])
def test_story(asked: Asked, events: list[plain_counts.Event], equipment: str) -> None:
    first, last = "2026-10-05T02:00", "2026-10-07T09:30:00.000Z"

    answer = asked("story", equipment=equipment, after=first, before=last)

    expected = plain_counts.story(events, equipment, first, last)
    assert [(one["happened_at"], one["type"]) for one in answer.records()] == expected
    assert expected


def test_story_says_what_and_who(asked: Asked) -> None:
    told = [(one["what"], one["who"]) for one in asked("story", equipment=GHOST).records()]

    assert ("ERROR: it's \u2028 odd", "ghost") in told
    assert (f"{LUIS} to ERROR", "Rosa") in told
    assert (f"ERROR to {ROSA}", "Eva") in told


def test_a_period_is_of_the_days_on_which_the_bus_took_the_facts(asked: Asked, made: list[LakeEnvelope]) -> None:
    day = "2026-10-06"

    answer = asked("facts_by_type_by_hour", since=day, until=day)

    of_the_day = plain_counts.once(one for one in made if one["time"].startswith(day))
    assert sum(_whole(facts) for facts in answer.column("facts")) == len(of_the_day)


@pytest.mark.parametrize("name", queries.names())
def test_there_is_an_answer_to_count_for_every_saved_query(name: str) -> None:
    assert hasattr(plain_counts, name)


def _near(expected: float | None, tolerance: float) -> Any:  # noqa: ANN401  pytest's own is no type
    return expected if expected is None else pytest.approx(expected, abs=tolerance)


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
