"""Screens: messages that are pushed to them, the rows that they read again, and the page itself; lines of a month.

A message is paid for when it is published, when a screen gets it, and when the screen acknowledges it. A screen reads
all rows each five minutes, whether it got messages or not.
"""

from collections.abc import Iterator
from math import ceil
from typing import Final

from andon.cdk.sizes import SIZES
from andon.http.page import MAX_LIMIT
from andon.project import project
from lab import prices
from lab.simulate import limits, plants
from lab.simulate.capacity import GB
from lab.simulate.connected import MINUTE_S
from lab.simulate.line import Basis, Line
from lab.simulate.model import FleetModel
from lab.simulate.plants import Plants
from lab.simulate.settings import MONTH_DAYS, MONTH_S

READ_EVERY_S: Final = 300  # functions/pages/board/page/following.js: HEARD_MS
PAGE: Final = project().root / "functions" / "pages" / "board" / "page"

HEARD: Final = 2
"""Messages of each that a screen hears: what it gets, and that it has got it (QoS 1)."""


def screens(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield the lines of a month of all plants, whose machines report so often a second."""
    all_of_it = Plants.of_rate(rate)
    pushed = model.counted.pushed * rate * MONTH_S
    looking = all_of_it.number * all_of_it.looking
    yield Line("screens", prices.IOT_MESSAGE, pushed, what="AWS IoT messages: published to screens")
    for_each = pushed * all_of_it.looking * HEARD
    what = "AWS IoT messages: delivered to screens, and acknowledged"
    yield Line("screens", prices.IOT_MESSAGE, for_each, Basis.ASSUMED, what)
    what = f"{prices.IOT_MINUTE.of}: screens"
    yield Line("screens", prices.IOT_MINUTE, looking * MONTH_S / MINUTE_S, Basis.ASSUMED, what)
    reads = looking * MONTH_S / READ_EVERY_S
    pages = reads * ceil(plants.MACHINES / MAX_LIMIT)
    yield Line("screens", prices.API_REQUEST, pages, Basis.ASSUMED, f"{prices.API_REQUEST.of}: by screens")
    yield Line("screens", prices.INVOCATION, pages, Basis.ASSUMED, f"{prices.INVOCATION.of}: by screens")
    gb_seconds = pages * limits.QUERY_MS.value / 1_000 * SIZES["query"].memory_mb / 1_024
    yield Line("screens", prices.GB_SECOND, gb_seconds, Basis.ASSUMED, f"{prices.GB_SECOND.of}: by screens")
    rows = reads * plants.MACHINES
    units = rows * model.counted.screen.read_units
    yield Line("screens", prices.READ_UNIT, units, Basis.ASSUMED, f"{prices.READ_UNIT.of}: by screens")


def egress(model: FleetModel, rate: float) -> Iterator[Line]:
    """Yield what leaves AWS in a month: answers to reports, rows and messages to screens, the page."""
    counted, all_of_it = model.counted, Plants.of_rate(rate)
    head = limits.RESPONSE_HEAD_BYTES.value
    answers = (counted.response_bytes + counted.requests * head) * rate * MONTH_S
    yield Line("egress", prices.EGRESS_GB, answers / GB, what="GB to the internet: answers to reports")
    looking = all_of_it.number * all_of_it.looking
    rows = looking * MONTH_S / READ_EVERY_S * (plants.MACHINES * counted.screen.response_bytes + head)
    yield Line("egress", prices.EGRESS_GB, rows / GB, Basis.ASSUMED, "GB to the internet: rows to screens")
    messages = counted.pushed * rate * MONTH_S * all_of_it.looking * counted.screen.response_bytes
    yield Line("egress", prices.EGRESS_GB, messages / GB, Basis.ASSUMED, "GB to the internet: messages to screens")
    loads = all_of_it.people * plants.LOADS * MONTH_DAYS * page_bytes()
    yield Line("egress", prices.EGRESS_GB, loads / GB, Basis.ASSUMED, "GB to the internet: the page")


def page_bytes() -> int:
    """Return the bytes of the page's files."""
    return sum(file.stat().st_size for file in PAGE.rglob("*") if file.is_file())
