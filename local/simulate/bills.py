"""What a million reports cost, by part, beside the goals: a PUT each, and batches of 100; NORMAL ones, and others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from local.bench import prices
from local.simulate.model import Model
from local.simulate.money import Parts, of_a_million
from local.simulate.sample import POSTED_AT_ONCE, Counted, Fleet, count
from local.simulate.settings import Settings

RATE: Final = 200.0
"""Reports a second: 60,000 machines. The more, the fuller batches are."""

ABNORMAL: Final = 0.1
USED: Final = 0.7
"""The share of provisioned capacity that is used, if it is scaled by load; AWS's own default."""

OPTIONAL: Final = "anomalies"
"""A service that nothing else needs."""


class Bill(NamedTuple):
    """What a million reports cost, as machines send them. goal: dollars of NORMAL reports."""

    name: str
    goal: float
    normal: Model
    mixed: Model

    @property
    def parts(self) -> Parts:
        """What NORMAL reports cost."""
        return of_a_million(self.normal, RATE)

    @property
    def abnormal(self) -> Parts:
        """What others cost: the mixed ones have a tenth of them."""
        pairs = zip(self.parts, of_a_million(self.mixed, RATE), strict=True)
        return Parts(*(normal + (mixed - normal) / ABNORMAL for normal, mixed in pairs))


def bills() -> tuple[Bill, Bill]:
    """Count, and price what was counted."""
    settings, idle = Settings.of(), count(Fleet(machines=0))
    gateway = Fleet(machines=POSTED_AT_ONCE, batched=True)
    normal, mixed, posted, posted_mixed = (
        Model(count(fleet), idle, settings)
        for fleet in (Fleet(), Fleet(abnormal=ABNORMAL), gateway, replace(gateway, abnormal=ABNORMAL))
    )
    return Bill("a PUT each", 7.50, normal, mixed), Bill("POST of 100", 4.50, posted, posted_mixed)


def report(bills_: tuple[Bill, ...]) -> str:
    """Return the bills side by side, and what would be needed where a goal is missed."""
    return "\n".join(_lines(bills_))


def _lines(bills_: tuple[Bill, ...]) -> Iterator[str]:
    heads = "".join(f"{bill.name + ', NORMAL':>22} {'other':>7}" for bill in bills_)
    yield f"{f'a million reports, {RATE:g}/s, $':<32}{heads}"
    for part in Parts._fields:
        columns = (f"{getattr(bill.parts, part):>22.2f} {getattr(bill.abnormal, part):>7.2f}" for bill in bills_)
        yield f"  {part:<30}" + "".join(columns)
    yield f"{'all of it':<32}" + "".join(f"{bill.parts.total:>22.2f} {bill.abnormal.total:>7.2f}" for bill in bills_)
    for bill in bills_:
        is_met = bill.parts.total <= bill.goal
        yield f"{bill.name}: goal ≤ ${bill.goal:.2f}: {'met' if is_met else 'MISSED'}"
        if not is_met:
            yield from _needed(bill)
    yield f"({prices.REGION}, prices as of {prices.AS_OF}; what is kept, and what a month costs: make simulate)"


def _needed(bill: Bill) -> Iterator[str]:
    """Return what would make it cheaper, each with those before it."""
    steady = provisioned_of(bill.parts)
    yield f"  with provisioned tables, {USED:.0%} of them used, if the load never jumps: ${steady.total:.2f}"
    yield f"  and without traces of X-Ray: ${steady._replace(traces=0).total:.2f}"
    smaller = Model(without(bill.normal.counted, OPTIONAL), bill.normal.idle, bill.normal.settings)
    left = provisioned_of(of_a_million(smaller, RATE))._replace(traces=0)
    yield f"  and without the service {OPTIONAL}, which nothing else needs: ${left.total:.2f}"


def provisioned_of(parts: Parts) -> Parts:
    """Return a price with tables whose capacity is provisioned."""
    write = prices.PROVISIONED_WRITE.dollars / USED / prices.WRITE_UNIT.dollars
    read = prices.PROVISIONED_READ.dollars / USED / prices.READ_UNIT.dollars
    return parts._replace(writes=parts.writes * write, reads=parts.reads * read)


def without(counted: Counted, service: str) -> Counted:
    """Return what would have been counted without a service."""
    functions = [name for name in counted.calls if not name.startswith(f"{service} ")]
    return replace(
        counted,
        used={name: counted.used[name] for name in functions if name in counted.used},
        calls={name: counted.calls[name] for name in functions},
        published={name: count_ for name, count_ in counted.published.items() if name != service},
    )
