"""Laws of the bill of devices, as users of the pool and as things, whatever the prices are."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import prices
from bench.simulate import limits
from bench.simulate.arrivals import Load
from bench.simulate.connected import as_things, as_users, lines, used
from bench.simulate.counted import EVERY_S

A_DAY_OF_MINUTES = 24 * 60


@given(machines=st.integers(0, 10**7))
def test_each_device_costs_its_minutes_and_reports_and_a_user_only_beyond_those_that_are_free(machines: int) -> None:
    things = as_things(Load(machines=machines))

    minutes, reports = machines * 30 * A_DAY_OF_MINUTES, machines * 30 * A_DAY_OF_MINUTES * 60 / EVERY_S
    assert things.connections == pytest.approx(minutes / 1e6 * prices.IOT_MINUTE.dollars)
    assert things.rules == pytest.approx(reports / 1e6 * (prices.IOT_RULE.dollars + prices.IOT_ACTION.dollars))
    beyond = as_users(prices.FREE_POOL_USERS + machines) - as_users(prices.FREE_POOL_USERS)
    assert beyond == pytest.approx(machines * prices.POOL_USER.dollars)
    assert as_users(min(machines, prices.FREE_POOL_USERS)) == 0


def test_what_is_too_much_for_a_quota_is_said_with_its_name() -> None:
    enough, too_many = (Load(machines=int(limits.IOT_CONNECTIONS.value) + more) for more in (0, 1))

    assert [one.share <= 1 for one in used(enough, 1)][:1] == [True]
    said = [line for line in lines(too_many, 1) if "TOO MUCH" in line]
    assert any(limits.IOT_CONNECTIONS.quota in line for line in said if limits.IOT_CONNECTIONS.quota)
    assert not any(limits.IOT_RULES.quota in line for line in said if limits.IOT_RULES.quota)


def test_prices_that_were_read_over_a_year_ago_say_so() -> None:
    year, month = map(int, prices.AS_OF.split("-"))

    assert "over a year ago" not in prices.as_of(datetime(year + 1, month, 28, tzinfo=UTC))
    assert "over a year ago" in prices.as_of(datetime(year + 1 + month // 12, month % 12 + 1, 1, tzinfo=UTC))
