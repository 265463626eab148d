"""Laws of the bill of devices, as users of the pool and as things, whatever the prices are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab import prices
from lab.simulate import limits
from lab.simulate.arrivals import Load
from lab.simulate.connected import HAPPENINGS, LOST_A_DAY, as_things, as_users, lines, used, users_of
from lab.simulate.counted import EVERY_S, Way

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
    enough, too_many = (Load(machines=int(limits.IOT_CONNECTIONS.value) + more) for more in (0, 1))

    assert [one.share <= 1 for one in used(enough, 1)][:1] == [True]
    said = [line for line in lines(too_many, 1) if "TOO MUCH" in line]
    assert any(limits.IOT_CONNECTIONS.quota in line for line in said if limits.IOT_CONNECTIONS.quota)
    assert not any(limits.IOT_RULES.quota in line for line in said if limits.IOT_RULES.quota)
