"""The whole bill of a month: everything that a deployed stack, its devices and its people cost, line by line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from andon.cdk.capacity import MODES
from lab.prices import MILLION, Price
from lab.simulate.arrivals import Load
from lab.simulate.connected import as_things
from lab.simulate.counted import EVERY_S, Counted, Way
from lab.simulate.idle import idle
from lab.simulate.kept import kept
from lab.simulate.line import Basis, Line, total
from lab.simulate.model import FleetModel
from lab.simulate.month import reports
from lab.simulate.people import questions, users
from lab.simulate.recording import recording
from lab.simulate.screens import egress, screens
from lab.simulate.settings import MONTH_S, target_of

APART: Final = 1.0
"""Messages in a receive, if they come apart."""

NAME: Final = 76
PRICE: Final = 16
COLUMN: Final = 17
SCALES: Final = ((1e9, "G"), (1e6, "M"), (1e3, "k"))

Bills = Mapping[float, Sequence[Line]]
"""Bills of a month, by reports a second."""


def whole(model: FleetModel, rate: float) -> list[Line]:
    """Return all lines of a month at so many reports a second."""
    load = Load(machines=round(rate * EVERY_S))
    things = as_things(load) if model.counted.fleet.way == Way.MQTT else ()
    parts = (reports, recording, kept, idle, users, screens, egress, questions)
    return [*things, *(line for part in parts for line in part(model, rate))]


def apart(model: FleetModel) -> FleetModel:
    """Return the model of which each message is received by a request of its own."""
    return replace(model, received=APART)


def cheaper(counted: Counted, without: Counted, rate: float) -> FleetModel:
    """Return the model of prod with the capacity that costs less at a rate; without: what it does without reports."""
    models = [FleetModel(counted, without, target_of("prod", rate, capacity=mode)) for mode in MODES]
    return min(models, key=lambda model: total(whole(model, rate)))


def table(models: Mapping[float, FleetModel], *, now: datetime, more: Bills) -> Iterator[str]:
    """Yield bills side by side: each price, and for each rate how many, and dollars.

    more: what a stage has only if somebody says so, which stands below the sum.
    """
    bills = {rate: whole(model, rate) for rate, model in models.items()}
    one_by_one = [total(whole(apart(model), rate)) for rate, model in models.items()]
    sums = [total(bill) for bill in bills.values()]
    millions = [dollars / (rate * MONTH_S / MILLION) for rate, dollars in zip(models, sums, strict=True)]
    head = "".join(f"{f'{rate:g}/s':>{COLUMN}}" for rate in bills)
    yield f"{'':{NAME}}{'$':>{PRICE}}{head}"
    yield from _rows(bills, now)
    yield _sums("all of it", sums)
    yield _sums("… with one message in each receive", one_by_one)
    yield _sums("… of a million reports", millions)
    yield "only where somebody says so:"
    yield from _rows(more, now)


def _rows(bills: Bills, now: datetime) -> Iterator[str]:
    by_name = [{(line.part, line.name): line for line in bill if line.amount} for bill in bills.values()]
    keys = dict.fromkeys(key for lines in by_name for key in lines)
    parts = [*dict.fromkeys(part for part, _ in keys)]
    for part, name in sorted(keys, key=lambda key: parts.index(key[0])):
        found = [lines.get((part, name)) for lines in by_name]
        line = next(one for one in found if one)
        mark = "?" if line.basis == Basis.ASSUMED else " "
        old = " old" if line.price.is_old(now) else ""
        columns = "".join(map(_column, found))
        yield f"{f'{mark}{part:<11} {name}':<{NAME}}{_priced(line.price) + old:>{PRICE}}{columns}"


def _column(line: Line | None) -> str:
    return f"{_short(line.amount):>7}{line.dollars:>{COLUMN - 7},.2f}" if line else f"{'':{COLUMN}}"


def _priced(price: Price) -> str:
    per = "" if price.per == 1 else f"/{_short(price.per)}"
    return f"{price.dollars:g}{per}"


def _short(count: float) -> str:
    scale, letter = next(((scale, letter) for scale, letter in SCALES if count >= scale), (1.0, ""))
    return f"{count / scale:.3g}{letter}"


def _sums(what: str, dollars: Sequence[float]) -> str:
    return f"{what:<{NAME + PRICE}}" + "".join(f"{one:>{COLUMN},.2f}" for one in dollars)
