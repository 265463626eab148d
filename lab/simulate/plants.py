"""Whoever is beside the reports: devices as they connect, screens, and people; lines of a month, by reports a second.

A device is a user of the pool, or a thing of AWS IoT. A thing publishes by Basic Ingest, so that its messages are free;
each triggers one rule with one action. Registering things is paid once, and not counted. A message to a screen is paid
for when it is published, when a screen gets it, and when the screen acknowledges it. A screen reads all rows each five
minutes, whether it got messages or not. All that is said of plants is assumed, and a bill says so.
"""

from collections.abc import Iterator
from math import ceil
from typing import Final, NamedTuple

from andon.cdk.function import SIZES
from andon.http.page import MAX_LIMIT
from andon.project import project
from andon.stores.lake import queries
from contract.entities.reports import REPORTS_AT_ONCE
from lab import prices
from lab.prices import Basis, Line, Price, total
from lab.simulate import limits
from lab.simulate.counted import EVERY_S, Way
from lab.simulate.idle import FIGURES
from lab.simulate.model import DAY_S, GB, MONTH_DAYS, MONTH_S, FleetModel
from lab.simulate.prediction import LimitUse, Load
from lab.simulate.recorded import DAY_HOURS, LAKE_BYTES, lake_facts


class Plant(NamedTuple):
    """Assumptions about a plant, which is a company of its own.

    machines: all of them are on a screen of it. screens: on a wall, day and night. open_hours: of a day, that a person
    has the page open. loads: of the page, by a person in a day, of which a browser has nothing. told: messages to a
    person in a day, of which sms_share are no mail. questions_a_day: so often each saved query of all plants is asked,
    about asked_days. deployments: in a month, each of which changes all functions.
    """

    machines: float = 200
    screens: float = 1
    people: float = 20
    open_hours: float = 1
    loads: float = 4
    told: float = 1
    sms_share: float = 0.1
    questions_a_day: float = 1
    asked_days: float = 7
    deployments: float = 8

    @property
    def looking(self) -> float:
        """The screens that look at it, on average: on walls, and those of people."""
        return self.screens + self.people * self.open_hours / DAY_HOURS

    def number(self, rate: float) -> float:
        """Return the plants whose machines report so often a second, as a part of one may be."""
        return rate * EVERY_S / self.machines


PLANT: Final = Plant()

PLANS: Final = (prices.POOL_USER_LITE, prices.POOL_USER, prices.POOL_USER_PLUS)

LOST_A_DAY: Final = 1
"""Connections that a device loses, and makes again."""

HAPPENINGS: Final = 2
"""Of a lost connection: the broker says that it is lost, and that there is another one."""

HEARD: Final = 2
"""Messages of each that a screen hears: what it gets, and that it has got it (QoS 1)."""

READ_EVERY_S: Final = 300  # functions/pages/board/page/following.js: HEARD_MS
LEAST_BYTES: Final = 10e6  # that a query is paid for: https://aws.amazon.com/athena/pricing/


def as_users(users: float, price: Price = prices.POOL_USER) -> float:
    """Return the users of the pool that cost something; nobody else is."""
    free = 0 if price == prices.POOL_USER_PLUS else prices.FREE_POOL_USERS
    return max(0.0, users - free)


def users_of(way: Way, machines: float) -> float:
    """Return the devices that are users of the pool: machines, or gateways, each of so many machines as it posts."""
    return {Way.PUT: machines, Way.POST: machines / REPORTS_AT_ONCE, Way.MQTT: 0.0}[way]


def as_things(load: Load) -> Iterator[Line]:
    """Yield a month of devices that are always connected, and report one by one."""
    lost = load.machines * LOST_A_DAY * MONTH_DAYS
    triggered = load.rate * MONTH_S + lost * HAPPENINGS
    yield Line("devices", prices.IOT_MINUTE, load.machines * MONTH_S / 60)
    yield Line("devices", prices.IOT_MESSAGE, lost, Basis.ASSUMED, "AWS IoT messages: connections")
    yield Line("devices", prices.IOT_RULE, triggered)
    yield Line("devices", prices.IOT_ACTION, triggered)


def use_of_iot(load: Load, busiest: float) -> tuple[LimitUse, ...]:
    """Return the use of AWS IoT's quotas, if all devices are things; busiest: the reports of the busiest second."""
    again = load.machines / 300  # within so many seconds, at random, as the gateway of a plant does
    return (
        LimitUse("devices connected to AWS IoT", load.machines, limits.IOT_CONNECTIONS),
        LimitUse("devices/s that connect, after all lost the broker", again, limits.IOT_CONNECTS),
        LimitUse("reports/s to AWS IoT", busiest, limits.IOT_PUBLISHES),
        LimitUse("rules/s of AWS IoT", busiest, limits.IOT_RULES),
    )


def device_lines(load: Load, busiest: float) -> Iterator[str]:
    """Yield a month of so many devices either way, and the quotas of AWS IoT."""
    plans = {price.of.rpartition(" ")[2]: price.for_(as_users(load.machines, price)) for price in PLANS}
    api = prices.API_REQUEST.for_(load.rate * MONTH_S)
    yield f"a month of {load.machines:,} devices, beside what their reports do after they came in"
    said = ", ".join(f"plan {name} ${dollars:,.0f}" for name, dollars in plans.items())
    yield f"  as users of the pool: {said}; and ${api:,.0f} of API requests"
    yield f"  as things of AWS IoT: ${total(as_things(load)):,.0f} of connections, rules and actions"
    for one in use_of_iot(load, busiest):
        mark = f"  TOO MUCH, to be bought: {one.limit.quota}" if one.share > 1 else ""
        yield f"  {one.what:<60} {one.used:>10,.0f} {one.limit:>10,.0f}{mark}"


def users(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the users of the pool by the plan that the stack has: devices first, of which some ways have none."""
    number = PLANT.number(rate)
    devices = users_of(model.counted.fleet.way, number * PLANT.machines)
    of_devices = as_users(devices)
    yield Line("devices", prices.POOL_USER, of_devices, what=f"{prices.POOL_USER.of}: devices")
    of_people = as_users(devices + number * PLANT.people) - of_devices
    yield Line("people", prices.POOL_USER, of_people, Basis.ASSUMED, f"{prices.POOL_USER.of}: people")


def questions(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield what it costs to ask the lake."""
    asked = len(queries.names()) * PLANT.questions_a_day * MONTH_DAYS
    scanned = max(LEAST_BYTES, lake_facts(model) * rate * PLANT.asked_days * DAY_S * LAKE_BYTES)
    yield Line("people", prices.SCANNED_TB, asked * scanned / 1e12, Basis.ASSUMED)


def if_used(rate: float, *, telling_dollars: float) -> Iterator[Line]:
    """Yield what a stage has only if somebody says so: messages to people, and AWS Config in the account.

    telling_dollars: of a million messages, what notify reads, writes and publishes (`lab/costs.py`).
    """
    told = PLANT.number(rate) * PLANT.people * PLANT.told * MONTH_DAYS
    of_notify = prices.Price("notify's units and entries", telling_dollars, "lab/costs.py", prices.MILLION)
    yield Line("if used", of_notify, told, Basis.ASSUMED)
    yield Line("if used", prices.MAIL, told * (1 - PLANT.sms_share), Basis.ASSUMED)
    yield Line("if used", prices.SMS, told * PLANT.sms_share, Basis.ASSUMED)
    changed = PLANT.deployments * int(FIGURES["prod"]["functions"])
    yield Line("if used", prices.CONFIG_ITEM, changed, Basis.ASSUMED)


def screens(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month of all plants, whose machines report so often a second."""
    pushed, looking = model.counted.pushed * rate * MONTH_S, PLANT.number(rate) * PLANT.looking
    yield Line("screens", prices.IOT_MESSAGE, pushed, what="AWS IoT messages: published to screens")
    pages = looking * MONTH_S / READ_EVERY_S * ceil(PLANT.machines / MAX_LIMIT)
    gb_seconds = pages * limits.QUERY_MS / 1_000 * SIZES["query"].memory_mb / 1_024
    units = looking * MONTH_S / READ_EVERY_S * PLANT.machines * model.counted.screen[0]
    heard = "AWS IoT messages: delivered to screens, and acknowledged"
    for price, amount, what in (
        (prices.IOT_MESSAGE, pushed * PLANT.looking * HEARD, heard),
        (prices.IOT_MINUTE, looking * MONTH_S / 60, f"{prices.IOT_MINUTE.of}: screens"),
        (prices.API_REQUEST, pages, f"{prices.API_REQUEST.of}: by screens"),
        (prices.INVOCATION, pages, f"{prices.INVOCATION.of}: by screens"),
        (prices.GB_SECOND, gb_seconds, f"{prices.GB_SECOND.of}: by screens"),
        (prices.READ_UNIT, units, f"{prices.READ_UNIT.of}: by screens"),
    ):
        yield Line("screens", price, amount, Basis.ASSUMED, what)


def egress(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield what leaves AWS in a month: answers to reports, rows and messages to screens, the page."""
    counted, number, head = model.counted, PLANT.number(rate), limits.RESPONSE_HEAD_BYTES
    _, row_bytes = counted.screen
    answers = (counted.response_bytes + counted.requests * head) * rate * MONTH_S
    yield Line("egress", prices.EGRESS_GB, answers / GB, what="GB to the internet: answers to reports")
    rows = number * PLANT.looking * MONTH_S / READ_EVERY_S * (PLANT.machines * row_bytes + head)
    messages = counted.pushed * rate * MONTH_S * PLANT.looking * row_bytes
    page = project().root / "functions" / "pages" / "board" / "page"
    page_bytes = sum(file.stat().st_size for file in page.rglob("*") if file.is_file())
    loads = number * PLANT.people * PLANT.loads * MONTH_DAYS * page_bytes
    for size, what in ((rows, "rows to screens"), (messages, "messages to screens"), (loads, "the page")):
        yield Line("egress", prices.EGRESS_GB, size / GB, Basis.ASSUMED, f"GB to the internet: {what}")
