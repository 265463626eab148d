"""A line of a bill: a price, how many of it, and how that number is known."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from lab.prices import Price


class Basis(StrEnum):
    """Basis of a number: counted of the real handlers or computed from that, read from what is deployed, or not.

    An assumed one is about people, or about AWS where it does not say.
    """

    COUNTED = "counted"
    DEPLOYED = "deployed"
    ASSUMED = "ASSUMED"


class Line(NamedTuple):
    """So many of what a price is for; part: what the bill sums it up as. what: in place of the price's own words."""

    part: str
    price: Price
    amount: float
    basis: Basis = Basis.COUNTED
    what: str = ""

    @property
    def dollars(self) -> float:
        """The dollars of all of them."""
        return self.price.for_(self.amount)

    @property
    def name(self) -> str:
        """The words for it."""
        return self.what or self.price.of

    def times(self, factor: float) -> "Line":
        """Return the line of so many times as much."""
        return self._replace(amount=self.amount * factor)


def total(lines: Iterable[Line]) -> float:
    """Return the dollars of some lines."""
    return sum(line.dollars for line in lines)
