"""Cost of connected devices, beside that of their reports: lines of a month, and quotas.

A device is a user of the pool, or a thing of AWS IoT. A thing publishes by Basic Ingest, so that its messages are free;
each triggers one rule with one action. Registering things is paid once, and not counted.
"""

from collections.abc import Iterator
from typing import Final

from contract.entities.reports import REPORTS_AT_ONCE
from lab import prices
from lab.prices import Price
from lab.simulate import limits
from lab.simulate.arrivals import Load
from lab.simulate.counted import Way
from lab.simulate.limit_use import LimitUse
from lab.simulate.line import Basis, Line, total
from lab.simulate.settings import MONTH_DAYS, MONTH_S

MINUTE_S: Final = 60
BACK_WITHIN_S: Final = 300
"""Devices that lose the broker together come back within so long, at random, as the gateway of a plant does."""

PLANS: Final = (prices.POOL_USER_LITE, prices.POOL_USER, prices.POOL_USER_PLUS)

LOST_A_DAY: Final = 1
"""Connections that a device loses, and makes again."""

HAPPENINGS: Final = 2
"""Of a lost connection: the broker says that it is lost, and that there is another one."""


def as_users(users: float, price: Price = prices.POOL_USER) -> float:
    """Return the users of the pool that cost something; nobody else is."""
    free = 0 if price == prices.POOL_USER_PLUS else prices.FREE_POOL_USERS
    return max(0.0, users - free)


def users_of(way: Way, machines: float) -> float:
    """Return the devices that are users of the pool: machines, or gateways, each of so many machines as it posts."""
    return {Way.PUT: machines, Way.POST: machines / REPORTS_AT_ONCE, Way.MQTT: 0.0}[way]


def as_things(load: Load) -> Iterator[Line]:
    """Yield a month of devices that are always connected, and report one by one."""
    happenings = load.machines * LOST_A_DAY * HAPPENINGS * MONTH_DAYS
    messages = load.machines * LOST_A_DAY * MONTH_DAYS
    triggered = load.rate * MONTH_S + happenings
    yield Line("devices", prices.IOT_MINUTE, load.machines * MONTH_S / MINUTE_S)
    yield Line("devices", prices.IOT_MESSAGE, messages, Basis.ASSUMED, "AWS IoT messages: connections")
    yield Line("devices", prices.IOT_RULE, triggered)
    yield Line("devices", prices.IOT_ACTION, triggered)


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
    plans = {price.of.rpartition(" ")[2]: price.for_(as_users(load.machines, price)) for price in PLANS}
    api = prices.API_REQUEST.for_(load.rate * MONTH_S)
    yield f"a month of {load.machines:,} devices, beside what their reports do after they came in"
    said = ", ".join(f"plan {name} ${dollars:,.0f}" for name, dollars in plans.items())
    yield f"  as users of the pool: {said}; and ${api:,.0f} of API requests"
    yield f"  as things of AWS IoT: ${total(as_things(load)):,.0f} of connections, rules and actions"
    for one in used(load, busiest):
        mark = f"  TOO MUCH, to be bought: {one.limit.quota}" if one.share > 1 else ""
        yield f"  {one.what:<60} {one.used:>10,.0f} {one.limit.value:>10,.0f}{mark}"
