"""The model's expectations of a machine: limits, and no opinion without history. Pure."""

from collections.abc import Sequence
from copy import deepcopy
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.rules.rule import History, Rule
from services.anomalies.model import (
    DEVIATIONS,
    ENOUGH_HOURS,
    ENOUGH_OBSERVATIONS,
    ENOUGH_REPORTS,
    LEAST_OF_GAP,
    Expectation,
    MachineHistory,
    MachineKnowledge,
    Model,
    Spread,
    StateHistory,
    UnreadableModel,
    version_of,
)
from services.anomalies.rules import burst, gap, odd_state
from tests.support.anomalies import model_content
from tests.support.samples import NOW, fact

SECONDS = st.floats(5, 5_000, allow_nan=False)
GAPS = st.lists(SECONDS, min_size=ENOUGH_OBSERVATIONS, max_size=60)
ANY = st.floats(0, 1e9, allow_nan=False)

Said = tuple[float, str]


def spread(values: Sequence[float]) -> Spread:
    middle = median(values)
    return Spread(middle, median(abs(value - middle) for value in values), len(values))


def known(gaps: Sequence[float] = (300,) * 40, rates: Sequence[float] = (12,) * 40) -> MachineKnowledge:
    states = {"NORMAL": StateHistory(rate=spread(rates), gap=spread(gaps))}
    return MachineKnowledge(
        version="v1", machine=MachineHistory(reports=ENOUGH_REPORTS, hours=ENOUGH_HOURS, states=states)
    )


def report(second: float, state: str = "NORMAL") -> DomainEvent:
    at = NOW + round(second * 1000)
    return fact("state-reported", id=f"{second} {state}", at=at, state=state)


def anomalies(
    rule: Rule, context: MachineKnowledge | None, *said: Said, before: Said | None = None, is_cut: bool = False
) -> list[dict[str, Any]]:
    """Return the rows that a rule decides at the last of these reports: seconds and state."""
    events = tuple(report(*one) for one in said)
    history = History(anchor=events[-1], events=events, before=report(*before) if before else None, context=context)
    history = history._replace(is_cut=is_cut)
    return [dict(decision.row) for decision in rule.expression(history)]


def is_gap(context: MachineKnowledge, seconds: float) -> bool:
    return bool(anomalies(gap.RULE, context, (seconds, "NORMAL"), before=(0, "NORMAL")))


@given(GAPS, SECONDS, st.sampled_from((2, 4, 16)))
def test_a_machine_that_does_all_so_many_times_slower_has_the_same_anomalies(
    gaps: list[float], seen: float, times: int
) -> None:
    slower = known([times * one for one in gaps])

    limit, limit_of_slower = known(gaps).gap_after("NORMAL"), slower.gap_after("NORMAL")

    assert limit is not None
    assert limit_of_slower is not None
    assert limit_of_slower.at_most == pytest.approx(times * limit.at_most, abs=0.1)
    if abs(seen - limit.at_most) > 1:
        assert is_gap(known(gaps), seen) == is_gap(slower, times * seen) == (seen > limit.at_most)


@given(GAPS, ANY)
def test_a_single_outlier_moves_no_limit_beyond_what_the_others_allow(gaps: list[float], outlier: float) -> None:
    least, most = min(gaps), max(gaps)

    expected = known([*gaps[1:], outlier]).gap_after("NORMAL")

    assert expected is not None
    scale = max(1.4826 * (most - least), LEAST_OF_GAP * most, 1)
    assert least <= expected.typical <= most
    assert expected.at_most <= most + DEVIATIONS * scale + 0.001


@given(GAPS.flatmap(lambda gaps: st.tuples(st.just(gaps), st.permutations(gaps))))
def test_the_order_of_what_was_observed_does_not_matter(both: tuple[list[float], list[float]]) -> None:
    assert known(both[0]).gap_after("NORMAL") == known(both[1]).gap_after("NORMAL")


@given(GAPS, ANY, ANY)
def test_what_is_further_away_is_no_less_an_anomaly(gaps: list[float], one: float, other: float) -> None:
    nearer, further = sorted((round(one), round(other)))

    assert not is_gap(known(gaps), min(nearer, 10**8)) or is_gap(known(gaps), min(further, 10**8))


def test_one_report_that_was_lost_is_no_anomaly_two_are() -> None:
    assert [is_gap(known(), seconds) for seconds in (300, 600, 749, 751, 900)] == [False, False, False, True, True]


def test_a_gap_says_what_was_expected_and_seen_and_by_which_model() -> None:
    [row] = anomalies(gap.RULE, known(), (900, "WARNING1"), before=(0, "NORMAL"))

    assert row["expected"] == {"typical": 300, "atMost": 750, "basedOn": 40}
    assert (row["seen"], row["unit"], row["model"]) == (900, "seconds", "v1")
    assert (row["state"], row["kind"]) == ("WARNING1", "gap")


def test_the_first_report_of_all_ends_no_gap() -> None:
    assert anomalies(gap.RULE, known(), (900, "NORMAL")) == []


def test_a_burst_is_decided_once_when_the_hour_has_too_many() -> None:
    expected = known().rate_of("NORMAL")
    assert expected is not None
    assert expected.at_most == pytest.approx(19.2)
    said = [(60.0 * minute, "NORMAL") for minute in range(40)]

    decided = [number for number in range(1, 41) if anomalies(burst.RULE, known(), *said[:number])]

    assert decided == [20]


def test_only_reports_of_the_state_within_the_hour_make_a_burst() -> None:
    others = [(60.0 * minute, "ERROR") for minute in range(19)]
    spread_out = [(200.0 * number, "NORMAL") for number in range(40)]

    assert anomalies(burst.RULE, known(), *others, (2000, "NORMAL")) == []
    assert anomalies(burst.RULE, known(), *spread_out) == []


@pytest.mark.parametrize(("rule", "last"), [(burst.RULE, "NORMAL"), (odd_state.RULE, "MELTING")])
def test_of_a_machine_that_reports_more_than_is_looked_at_nothing_is_decided(rule: Rule, last: str) -> None:
    said = [*((60.0 * minute, "NORMAL") for minute in range(19)), (1_140.0, last)]

    assert anomalies(rule, known(), *said)
    assert anomalies(rule, known(), *said, is_cut=True) == []


def test_a_state_that_the_machine_never_reported_is_odd_the_first_time() -> None:
    [row] = anomalies(odd_state.RULE, known(), (0, "NORMAL"), (60, "MELTING"))

    assert row["expected"] == {"typical": 0, "atMost": 0, "basedOn": ENOUGH_REPORTS}
    assert anomalies(odd_state.RULE, known(), (0, "MELTING"), (60, "MELTING")) == []
    assert anomalies(odd_state.RULE, known(), (0, "NORMAL")) == []


@pytest.mark.parametrize(("hours_of_state", "odd"), [(1, True), (4, True), (5, False), (400, False)])
def test_a_state_that_slipped_in_now_and_then_is_odd_still(hours_of_state: int, odd: bool) -> None:  # noqa: FBT001
    states = {"MELTING": StateHistory(rate=Spread(1, 0, hours_of_state))}
    context = MachineKnowledge(version="v1", machine=MachineHistory(reports=9_000, hours=1_000, states=states))

    assert bool(anomalies(odd_state.RULE, context, (0, "MELTING"))) == odd


def test_without_enough_history_there_is_no_opinion() -> None:
    few = [300.0] * (ENOUGH_OBSERVATIONS - 1)
    young = MachineKnowledge(
        version="v1", machine=MachineHistory(reports=ENOUGH_REPORTS - 1, hours=ENOUGH_HOURS, states={})
    )
    short = MachineKnowledge(
        version="v1", machine=MachineHistory(reports=ENOUGH_REPORTS, hours=ENOUGH_HOURS - 1, states={})
    )

    assert known(few).gap_after("NORMAL") is None
    assert known(rates=few).rate_of("NORMAL") is None
    assert [one.hardly_saw("MELTING") for one in (young, short)] == [None, None]
    assert known().gap_after("ERROR") is known().rate_of("ERROR") is None


@pytest.mark.parametrize("rule", [burst.RULE, gap.RULE, odd_state.RULE], ids=lambda rule: rule.id)
def test_a_machine_that_no_model_knows_has_no_anomalies(rule: Rule) -> None:
    said = [(float(second), "MELTING") for second in range(100)]

    assert anomalies(rule, None, *said, before=(-1e6, "NORMAL")) == []


def test_a_model_is_read_as_it_was_written() -> None:
    content = model_content("press-7", "press-8")
    model = Model.of(content)

    press = model.known_of("press-7")
    assert press is not None
    assert press.gap_after("NORMAL") == Expectation(typical=300, at_most=750, based_on=4800)
    assert model.version == content["version"] == version_of(content["trainedUntil"], content["machines"])
    assert model.known_of("press-9") is None


def changed(path: Sequence[str], value: object) -> dict[str, Any]:
    """Return a model with another value somewhere, and the version of that."""
    content = deepcopy(model_content("press-7"))
    *outer, name = path
    inner = content
    for part in outer:
        inner = inner[part]
    inner[name] = value
    return {**content, "version": version_of(content["trainedUntil"], content["machines"])}


SPREAD = ("machines", "press-7", "states", "NORMAL", "gap")


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        "model",
        {**model_content("press-7"), "machines": {}},  # not what its version says
        {**model_content("press-7"), "version": 7},
        changed(("machines",), []),
        changed(("machines", "press-7"), None),
        changed(("machines", "press-7", "reports"), "many"),
        changed(SPREAD, {}),
        changed((*SPREAD, "median"), "300"),
        changed((*SPREAD, "mad"), -1),
        changed(SPREAD, {"median": 300, "mad": 2, "of": True}),
    ],
)
def test_what_is_no_model_is_refused(content: object) -> None:
    with pytest.raises(UnreadableModel):
        Model.of(content)
