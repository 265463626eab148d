"""Laws of the whole bill: everything has a name, a price, a page and a count, and what is assumed says so."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.cdk.capacity import MODES
from lab import prices
from lab.prices import MILLION, Basis, Line, Price, total
from lab.simulate import limits, plants
from lab.simulate.bills import RATES, CountedWays, apart, cheaper, whole, whole_report
from lab.simulate.counted import EVERY_S, Way
from lab.simulate.model import MONTH_S, FleetModel, target_of
from lab.simulate.money import Parts, of_a_million, of_a_month, of_report, quiet, warming
from lab.simulate.plants import (
    HAPPENINGS,
    LOST_A_DAY,
    PLANS,
    PLANT,
    as_things,
    as_users,
    device_lines,
    if_used,
    screens,
    use_of_iot,
    users_of,
)
from lab.simulate.prediction import Load

ALL = {name: one for name, one in vars(prices).items() if isinstance(one, Price)}
NOW = datetime(2026, 11, 24, tzinfo=UTC)
ELSEWHERE = {"IOT_OPERATION", "BETWEEN_REGIONS_GB", "COPIED_IN_TIME_GB", "WARM_WRITE", "WARM_READ"}
"""Prices of what is no line: of a replica region, and of what is paid once."""


@pytest.fixture(scope="module")
def stages(model: FleetModel) -> list[FleetModel]:
    """The same that was counted, in dev and in prod, on demand and provisioned."""
    targets = [target_of("dev"), *(target_of("prod", capacity=mode) for mode in MODES)]
    return [replace(model, target=target) for target in targets]


def every_line(models: list[FleetModel]) -> Iterator[Line]:
    for model in models:
        yield from whole(model, 200)
    yield from as_things(Load(machines=60_000))
    yield from if_used(200, telling_dollars=51)


@pytest.mark.parametrize("name", ALL)
def test_a_price_says_what_it_is_for_its_page_and_when_that_was_read(name: str) -> None:
    price = ALL[name]

    assert price.of
    assert price.dollars > 0
    assert price.page.startswith("https://")
    datetime.strptime(price.read, "%Y-%m").astimezone(UTC)
    assert price.for_(2 * price.per) == pytest.approx(2 * price.dollars)


def test_each_price_stands_in_a_bill(stages: list[FleetModel]) -> None:
    used = {line.price for line in every_line(stages)} | {*PLANS}

    assert {name for name, price in ALL.items() if price not in used} == ELSEWHERE


@given(months=st.integers(0, 60))
def test_a_price_is_old_a_year_after_it_was_read(months: int) -> None:
    year, month = map(int, prices.AS_OF.split("-"))
    now = datetime(year + (month - 1 + months) // 12, (month - 1 + months) % 12 + 1, 1, tzinfo=UTC)

    assert prices.KEY.is_old(now) == (months > 12) == ("over a year ago" in prices.as_of(now))


def test_nothing_costs_less_than_nothing_and_what_depends_on_people_says_that_it_is_assumed(
    stages: list[FleetModel],
) -> None:
    for line in every_line(stages):
        assert line.amount >= 0
        assert line.dollars == line.price.for_(line.amount)
        assert line.basis == Basis.ASSUMED or line.part not in {"people", "if used"}


@pytest.mark.parametrize("name", PLANT._fields)
def test_a_line_that_follows_from_an_assumption_says_so(
    stages: list[FleetModel], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def counts() -> dict[tuple[str, str], float]:
        return {(line.part, line.name): line.amount for line in every_line(stages)}

    before = counts()
    monkeypatch.setattr(plants, "PLANT", PLANT._replace(**{name: getattr(PLANT, name) * 1.5}))
    changed = {key for key, count in counts().items() if count != pytest.approx(before[key])}

    assert all(line.basis == Basis.ASSUMED for line in every_line(stages) if (line.part, line.name) in changed)
    assert changed


def test_a_million_reports_have_the_parts_of_their_lines(model: FleetModel) -> None:
    lines = [line.times(MILLION) for line in of_report(model, 200)]

    assert Parts.of(lines) == of_a_million(model, 200)
    assert total(lines) == pytest.approx(of_a_million(model, 200).total)


def test_the_whole_is_what_reports_cost_and_all_that_is_beside_them(stages: list[FleetModel]) -> None:
    for model in stages:
        bill = whole(model, 200)
        beside = {"devices", "people", "screens", "egress"}
        assert total(line for line in bill if line.part not in beside) == pytest.approx(of_a_month(model, 200).total)
        assert {line.part for line in bill} >= beside


@pytest.mark.parametrize("way", Way)
def test_a_device_is_paid_for_as_a_user_or_as_a_thing_and_never_as_both(model: FleetModel, way: Way) -> None:
    fleet = replace(model.counted.fleet, way=way)
    bill = whole(replace(model, counted=replace(model.counted, fleet=fleet)), 200)

    prices_of_devices = {line.price for line in bill if line.part == "devices" and line.amount}
    expected = {Way.PUT: {prices.POOL_USER}, Way.POST: set()}
    assert prices_of_devices == expected.get(way, {line.price for line in as_things(Load(machines=60_000))})


def test_a_message_in_each_receive_costs_more_and_nothing_else_differs(stages: list[FleetModel]) -> None:
    for model in stages:
        together, one_by_one = (
            {(line.part, line.price): line.amount for line in whole(one, 33)} for one in (model, apart(model))
        )
        differing = {price for (_, price), count in together.items() if one_by_one[_, price] != count}
        assert differing == {prices.QUEUE_REQUEST}
        assert total(whole(apart(model), 33)) > total(whole(model, 33))


@given(rate=st.floats(0.1, 4_000), more=st.floats(1.5, 3))
def test_more_machines_cost_more_and_each_of_them_less(model: FleetModel, rate: float, more: float) -> None:
    few, many = (total(whole(model, one)) for one in (rate, rate * more))

    free = prices.POOL_USER.for_(prices.FREE_POOL_USERS)  # as many of few machines' users as of many machines'
    assert few < many < few * more * 1.05 + free * (more - 1)


@given(rate=st.floats(0.1, 4_000), walls=st.integers(0, 5))
def test_each_screen_hears_what_is_pushed_and_says_that_it_has(model: FleetModel, rate: float, walls: int) -> None:
    pushed = replace(model, counted=replace(model.counted, pushed=0.3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plants, "PLANT", PLANT._replace(screens=walls))
        published, delivered = [line.amount for line in screens(pushed, rate) if line.price == prices.IOT_MESSAGE]
        looking = plants.PLANT.looking

    assert looking >= walls
    assert published == pytest.approx(0.3 * rate * MONTH_S)
    assert delivered == pytest.approx(published * looking * 2)  # a screen gets it, and says that it has


def test_a_screen_reads_bytes_and_units_of_each_machine(model: FleetModel) -> None:
    read_units, response_bytes = model.counted.screen
    assert response_bytes > 100
    assert 0.5 <= read_units <= 3
    assert model.counted.response_bytes > 0


@pytest.mark.parametrize("rate", [0.01, 3.3, 33, 200])
def test_the_cheaper_capacity_is_on_demand_for_few_and_provisioned_for_many(model: FleetModel, rate: float) -> None:
    chosen = cheaper(model.counted, model.idle, rate)

    bills = [total(whole(replace(chosen, target=target_of("prod", rate, capacity=mode)), rate)) for mode in MODES]
    assert total(whole(chosen, rate)) == min(bills)
    assert (chosen.target.capacity is None) == (rate < 7)


def test_in_a_quiet_month_what_is_on_demand_is_free_and_what_nobody_scales_down_is_not(model: FleetModel) -> None:
    on_demand, followed, stuck, before = quiet(model.counted, model.idle).values()

    assert on_demand[0] == pytest.approx(0, abs=0.01)
    assert 0 < followed[0] < stuck[0] < before[0]
    assert followed[-1] < on_demand[-1]
    assert [on_demand, followed] == [sorted(on_demand), sorted(followed)]
    assert len({*stuck}) == len({*before}) == 1


@pytest.mark.parametrize(("reports", "is_paid"), [(400, False), (1_000, False), (1_001, True), (6_667, True)])
def test_only_a_large_fleet_pays_for_what_is_warm(reports: int, *, is_paid: bool) -> None:
    assert (warming(reports) > 0) == is_paid


def test_the_report_has_each_way_at_each_rate_and_marks_what_is_assumed(model: FleetModel) -> None:
    by_way = {way: replace(model.counted, fleet=replace(model.counted.fleet, way=way)) for way in Way}
    said = whole_report(CountedWays(by_way, by_way, model.idle), telling_dollars=51)

    assert all(f"a month of prod: {way}" in said for way in Way)
    assert all(said.count(f"{rate:g}/s") >= len(Way) for rate in RATES)
    assumed = [line for line in said.splitlines() if line.startswith("?")]
    assert any("Athena" in line for line in assumed)
    assert all(" old" in line for line in assumed)  # since 2026-02


A_DAY_OF_MINUTES = 24 * 60


@given(machines=st.integers(0, 10**7))
def test_each_device_costs_its_minutes_and_reports_and_a_user_only_beyond_those_that_are_free(machines: int) -> None:
    counts = {line.price: line.amount for line in as_things(Load(machines=machines))}

    minutes, reports = machines * 30 * A_DAY_OF_MINUTES, machines * 30 * A_DAY_OF_MINUTES * 60 / EVERY_S
    lost = machines * 30 * LOST_A_DAY
    assert counts[prices.IOT_MINUTE] == pytest.approx(minutes)
    assert counts[prices.IOT_MESSAGE] == pytest.approx(lost)  # a report is free of it
    assert counts[prices.IOT_RULE] == counts[prices.IOT_ACTION] == pytest.approx(reports + HAPPENINGS * lost)
    assert as_users(prices.FREE_POOL_USERS + machines) == machines
    assert as_users(min(machines, prices.FREE_POOL_USERS)) == 0
    assert as_users(machines, prices.POOL_USER_PLUS) == machines


def test_machines_are_users_by_a_put_a_gateway_is_one_and_a_thing_is_none() -> None:
    assert [users_of(way, 60_000) for way in (Way.PUT, Way.POST, Way.MQTT)] == [60_000, 600, 0]


def test_what_is_too_much_for_a_quota_is_said_with_its_name() -> None:
    enough, too_many = (Load(machines=int(limits.IOT_CONNECTIONS) + more) for more in (0, 1))

    assert [one.share <= 1 for one in use_of_iot(enough, 1)][:1] == [True]
    said = [line for line in device_lines(too_many, 1) if "TOO MUCH" in line]
    assert any(limits.IOT_CONNECTIONS.quota in line for line in said if limits.IOT_CONNECTIONS.quota)
    assert not any(limits.IOT_RULES.quota in line for line in said if limits.IOT_RULES.quota)
