"""The whole bill of a month: everything that a deployed stack, its devices and its people cost, line by line."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from andon.cdk.capacity import MODES
from bench.simulate.arrivals import Load
from bench.simulate.connected import as_things
from bench.simulate.counted import EVERY_S, Counted, Way
from bench.simulate.idle import idle
from bench.simulate.kept import kept
from bench.simulate.line import Basis, Line, total
from bench.simulate.model import FleetModel
from bench.simulate.month import reports
from bench.simulate.people import questions, users
from bench.simulate.recording import recording
from bench.simulate.screens import egress, screens
from bench.simulate.settings import target_of

APART: Final = 1.0
"""Messages in a receive, if they come apart."""

NAME: Final = 62


def whole(model: FleetModel, rate: float) -> list[Line]:
    """Return all lines of a month at so many reports a second."""
    load = Load(machines=round(rate * EVERY_S))
    things = as_things(load) if model.counted.fleet.way == Way.MQTT else ()
    parts = (reports, recording, kept, idle, users, screens, egress, questions)
    return [*things, *(line for part in parts for line in part(model, rate))]


def apart(model: FleetModel) -> FleetModel:
    """Return the model of which each message is received by a request of its own."""
    return replace(model, received=APART)


def table(models: dict[float, FleetModel], *, now: datetime, more: dict[float, list[Line]]) -> Iterator[str]:
    """Yield the lines of bills by rate side by side: price, and for each rate so many, and dollars.

    more: what a stage has only if somebody says so, which stands below the sum.
    """
    bills = {rate: whole(model, rate) for rate, model in models.items()}
    yield _head(bills)
    yield from _rows(bills, now)
    yield _sums("all of it", [total(bill) for bill in bills.values()])
    one_by_one = [total(whole(apart(model), rate)) for rate, model in models.items()]
    yield _sums("… with one message in each receive", one_by_one)
    reports_ = [total(bill) / (rate * 30 * 86_400 / 1e6) for rate, bill in bills.items()]
    yield _sums("… a million reports", reports_, digits=2)
    yield "only if it is used:"
    yield from _rows(more, now)


def _head(bills: dict[float, list[Line]]) -> str:
    return f"{'':<{NAME}} {'$':>10} {'per':>9} {'read':>8}" + "".join(f" {f'{rate:g}/s':>15} {'$':>9}" for rate in bills)


def _rows(bills: dict[float, list[Line]], now: datetime) -> Iterator[str]:
    names = dict.fromkeys((line.part, line.name) for bill in bills.values() for line in bill)
    for part, name in names:
        found = [next((line for line in bill if (line.part, line.name) == (part, name)), None) for bill in bills.values()]
        some = next(line for line in found if line)
        if not any(line and line.count for line in found):
            continue
        price = some.price
        read = f"{price.read}{' old' if price.is_old(now) else ''}"
        mark = "?" if some.basis == Basis.ASSUMED else " "
        columns = "".join(f" {line.count if line else 0:>15,.1f} {line.dollars if line else 0:>9,.2f}" for line in found)
        yield f"{mark}{part:<10} {name:<{NAME - 12}} {price.dollars:>10g} {price.per:>9,g} {read:>8}{columns}"


def _sums(what: str, dollars: list[float], *, digits: int = 2) -> str:
    return f"{what:<{NAME + 30}}" + "".join(f" {'':>15} {one:>9,.{digits}f}" for one in dollars)


def cheaper(counted: Counted, idle_: Counted, rate: float) -> FleetModel:
    """Return the model of prod with the capacity that costs less at a rate."""
    models = [FleetModel(counted, idle_, target_of("prod", rate, capacity=mode)) for mode in MODES]
    return min(models, key=lambda model: total(whole(model, rate)))
