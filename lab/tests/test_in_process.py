from collections.abc import Iterator

import pytest

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Rule
from andon.runtime import clock
from andon.wire import aws
from lab import in_process
from lab.in_process import (
    MANY,
    NOW_MS,
    Deciding,
    of_another_state,
    of_another_type,
    of_compaction,
    of_steps,
    others,
    prepared,
    queries_of,
)
from lab.wire import ENVIRONMENT
from lab.workload import undisturbed
from services.dispatch.rules.assign import RULE

EVENTS = 20


@pytest.fixture
def deciding(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deciding]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with undisturbed(NOW_MS):
        yield prepared(EVENTS)


@pytest.mark.parametrize("some", [[], others(of_another_type), others(of_another_state)], ids=["one", "type", "when"])
def test_however_many_rules_there_are_each_report_is_one_query_and_one_decision(
    deciding: Deciding, some: list[Rule]
) -> None:
    deciding.by([*some, RULE])()

    assert len(some) in {0, MANY - 1}
    assert deciding.aws.requests == 2 * EVENTS


def test_a_rule_on_another_type_is_not_so_much_as_asked(deciding: Deciding) -> None:
    asked: list[DomainEvent] = []

    def when(event: DomainEvent) -> bool:
        asked.append(event)
        return False

    deciding.by([*(rule._replace(when=when) for rule in others(of_another_type)), RULE])()
    assert not asked

    deciding.by([*(rule._replace(when=when) for rule in others(of_another_state)), RULE])()
    assert len(asked) == EVENTS * (MANY - 1)


def test_while_deciding_is_measured_nothing_is_sent_and_behind_it_requests_are_sent_again(deciding: Deciding) -> None:
    real = aws.call

    deciding.by([RULE])()

    assert deciding.aws.requests > 0
    assert aws.call is real


def test_the_clock_goes_on_when_the_measuring_is_over() -> None:
    with undisturbed(NOW_MS):
        assert clock.now_ms() == NOW_MS

    assert clock.now_ms() > NOW_MS


@pytest.mark.usefixtures("deciding")
def test_an_evaluation_makes_as_many_queries_however_much_is_newer() -> None:
    assert {queries_of(newer) for newer in (0, 100, 2_000)} == {3}


def test_the_steps_and_the_rest_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(in_process, "STEP_ROUNDS", 1)
    monkeypatch.setattr(in_process, "TIMES", 1)

    figures = of_steps()

    starts = [number for number, figure in enumerate(figures) if not figure.what.startswith("… ")]
    for start, end in zip(starts, [*starts[1:], len(figures)], strict=True):
        whole, *parts = figures[start:end]
        assert whole.measured == pytest.approx(sum(part.measured for part in parts))
        assert {part.unit for part in figures} == {"µs"}
    assert len(starts) == 2


def test_compaction_saves_what_it_is_to_save() -> None:
    assert all(figure.goal and figure.goal.met_by(figure.measured) for figure in of_compaction())
