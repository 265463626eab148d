"""People: users of the pool, what they are told and ask, and what a company may have beside; lines of a month."""

from collections.abc import Iterator
from typing import Final

from andon.stores.lake import queries
from lab import prices
from lab.simulate import plants
from lab.simulate.connected import as_users, users_of
from lab.simulate.idle import FIGURES
from lab.simulate.kept import LAKE_BYTES
from lab.simulate.line import Basis, Line
from lab.simulate.model import FleetModel
from lab.simulate.plants import Plants
from lab.simulate.recorded import lake_facts
from lab.simulate.settings import DAY_S, MONTH_DAYS

TB: Final = 1e12
LEAST_BYTES: Final = 10e6  # that a query is paid for: https://aws.amazon.com/athena/pricing/


def users(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the users of the pool by the plan that the stack has: devices first, of which some ways have none."""
    all_of_it = Plants.of_rate(rate)
    devices = users_of(model.counted.fleet.way, all_of_it.machines)
    of_devices = as_users(devices)
    yield Line("devices", prices.POOL_USER, of_devices, what=f"{prices.POOL_USER.of}: devices")
    of_people = as_users(devices + all_of_it.people) - of_devices
    yield Line("people", prices.POOL_USER, of_people, Basis.ASSUMED, f"{prices.POOL_USER.of}: people")


def questions(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield what it costs to ask the lake."""
    asked = len(queries.names()) * plants.QUESTIONS_A_DAY * MONTH_DAYS
    scanned = max(LEAST_BYTES, lake_facts(model) * rate * plants.ASKED_DAYS * DAY_S * LAKE_BYTES)
    yield Line("people", prices.SCANNED_TB, asked * scanned / TB, Basis.ASSUMED)


def if_used(rate: float, *, telling_dollars: float) -> Iterator[Line]:
    """Yield what a stage has only if somebody says so: messages to people, and AWS Config in the account.

    telling_dollars: of a million messages, what notify reads, writes and publishes (`lab/costs.py`).
    """
    told = Plants.of_rate(rate).people * plants.TOLD * MONTH_DAYS
    of_notify = prices.Price("notify's units and entries", telling_dollars, "lab/costs.py", prices.MILLION)
    yield Line("if used", of_notify, told, Basis.ASSUMED)
    yield Line("if used", prices.MAIL, told * (1 - plants.SMS_SHARE), Basis.ASSUMED)
    yield Line("if used", prices.SMS, told * plants.SMS_SHARE, Basis.ASSUMED)
    changed = plants.DEPLOYMENTS * int(FIGURES["prod"]["functions"])
    yield Line("if used", prices.CONFIG_ITEM, changed, Basis.ASSUMED)
