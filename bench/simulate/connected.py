"""Cost of connected devices, beside that of their reports: dollars a month, and quotas.

A device is a user of the pool, or a thing of AWS IoT. A thing publishes by Basic Ingest, so that its messages are free;
each triggers one rule with one action. Registering things is paid once, and not counted.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from bench import prices
from bench.prices import Price
from bench.simulate import limits
from bench.simulate.arrivals import Load
from bench.simulate.limit_use import LimitUse
from bench.simulate.money import MILLION, MONTH_S

MINUTE_S: Final = 60
BACK_WITHIN_S: Final = 300
"""Devices that lose the broker together come back within so long, at random, as the gateway of a plant does."""


class Connected(NamedTuple):
    """Dollars a month of devices as things: their connections, and the rule for each report; `api`: what those save."""

    connections: float
    rules: float
    api: float

    @property
    def total(self) -> float:
        """Dollars a month in place of those for the API and the pool."""
        return self.connections + self.rules


def as_users(machines: int, price: Price = prices.POOL_USER) -> float:
    """Return dollars a month of devices that are users of the pool; nobody else is."""
    return max(0, machines - prices.FREE_POOL_USERS) * price.dollars


def as_things(load: Load) -> Connected:
    """Return dollars a month of devices that are always connected, and report one by one."""
    reports = load.rate * MONTH_S / MILLION
    minutes = load.machines * MONTH_S / MINUTE_S / MILLION
    return Connected(
        connections=minutes * prices.IOT_MINUTE.dollars,
        rules=reports * (prices.IOT_RULE.dollars + prices.IOT_ACTION.dollars),
        api=reports * prices.API_REQUEST.dollars,
    )


def used(load: Load, busiest: float) -> tuple[LimitUse, ...]:
    """Return the use of AWS IoT's quotas, if all devices are things; busiest: the reports of the busiest second."""
    return (
        LimitUse("devices connected to AWS IoT", load.machines, limits.IOT_CONNECTIONS),
        LimitUse(
            "devices/s that connect, after all lost the broker", load.machines / BACK_WITHIN_S, limits.IOT_CONNECTS
        ),
        LimitUse("reports/s to AWS IoT", busiest, limits.IOT_PUBLISHES),
        LimitUse("rules/s of AWS IoT", busiest, limits.IOT_RULES),
    )


def lines(load: Load, busiest: float) -> Iterator[str]:
    """Yield a month of so many devices either way, and the quotas of AWS IoT."""
    things = as_things(load)
    essentials, lite = (as_users(load.machines, price) for price in (prices.POOL_USER, prices.POOL_USER_LITE))
    yield f"a month of {load.machines:,} devices, beside what their reports do after they came in"
    yield (
        f"  as users of the pool ${essentials:,.0f} (plan Lite ${lite:,.0f}) and ${things.api:,.0f} of API requests: "
        f"${essentials + things.api:,.0f}"
    )
    yield (
        f"  as things of AWS IoT ${things.connections:,.0f} of connections and ${things.rules:,.0f} of rules: "
        f"${things.total:,.0f}"
    )
    for one in used(load, busiest):
        mark = f"  TOO MUCH, to be bought: {one.limit.quota}" if one.share > 1 else ""
        yield f"  {one.what:<60} {one.used:>10,.0f} {one.limit.value:>10,.0f}{mark}"
