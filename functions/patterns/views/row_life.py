"""How long a row of a view lives, and what a write of it must know of that: a condition beside the oplock's.

DynamoDB deletes expired rows days late. Until then a newer fact finds the old row, and must replace all of it: else
fields that had expired would live on with the new ttl.
"""

from typing import Final, NamedTuple, Protocol

from patterns.dynamodb import ttl
from patterns.dynamodb.attribute_values import Item
from patterns.dynamodb.expressions import Condition

# A row's ttl never moves backwards, and DynamoDB has no max(): either it grows with this write, or it stays.
TTL_GROWS: Final = "(attribute_not_exists(#ttl) OR (#ttl > :now AND #ttl <= :ttl))"
TTL_STAYS: Final = "#ttl > :ttl"
ALIVE: Final = "(attribute_not_exists(#ttl) OR #ttl > :now)"
EXPIRED: Final = "#ttl <= :now"
ANCHORED: Final = "attribute_exists(#anchor)"
SKELETON: Final = f"attribute_not_exists(#anchor) AND {ALIVE}"

_TTL_NAME: Final = {"ttl": ttl.ATTRIBUTE}


class Attempt(NamedTuple):
    """One attempt to write: what the row must be like, and what is written beside the update.

    expires_at: the row's new ttl; None: it stays. is_permanent: the row loses its ttl. replaces: the row has expired,
    so that its oplocks do not count and its other attributes go.
    """

    condition: Condition
    expires_at: int | None = None
    is_permanent: bool = False
    replaces: bool = False


class RowLife(Protocol):
    """Which attempt fits which row."""

    @property
    def first(self) -> Attempt:
        """The attempt that usually fits, without reading the row."""

    def after(self, row: Item | None) -> Attempt:
        """Return the attempt that fits the row that a failed condition returned."""


class Permanent:
    """The row never expires."""

    first: Final = Attempt(Condition(""))

    def after(self, row: Item | None) -> Attempt:  # noqa: ARG002  every row is alike
        """Return the only attempt."""
        return self.first


class UntilNewestExpires(NamedTuple):
    """The row expires with the newest of the facts in it; expires_at: when this one does; times in epoch seconds."""

    expires_at: int
    now: int

    @property
    def first(self) -> Attempt:
        """Most facts are newer than what is there."""
        return Attempt(_on_ttl(TTL_GROWS, ttl=self.expires_at, now=self.now), expires_at=self.expires_at)

    def after(self, row: Item | None) -> Attempt:
        """Return the attempt that fits a row."""
        found = (row or {}).get(ttl.ATTRIBUTE)
        if found is None or self.now < found <= self.expires_at:
            return self.first
        if found <= self.now:
            return Attempt(_on_ttl(EXPIRED, now=self.now), expires_at=self.expires_at, replaces=True)
        return Attempt(_on_ttl(TTL_STAYS, ttl=self.expires_at))


class UntilAnchored(NamedTuple):
    """The row never expires once it has the attribute `anchor`; without it, it expires at `expires_at`.

    That is so long after its last write, not after a fact: facts that came before their anchor are kept however old
    they are, if the anchor follows soon. anchors: this update writes the anchor. Times are epoch seconds.
    """

    anchor: str
    anchors: bool
    expires_at: int
    now: int

    @property
    def first(self) -> Attempt:
        """Most facts are about what has its anchor."""
        if self.anchors:
            return Attempt(_on_ttl(ALIVE, now=self.now), is_permanent=True)
        return Attempt(Condition(ANCHORED, {"anchor": self.anchor}))

    def after(self, row: Item | None) -> Attempt:
        """Return the attempt that fits a row."""
        found = row or {}
        if self.anchor not in found and not ttl.is_alive(found, self.now * 1000):
            expires_at = None if self.anchors else self.expires_at
            condition = _on_ttl(EXPIRED, now=self.now)
            return Attempt(condition, expires_at=expires_at, is_permanent=self.anchors, replaces=True)
        if self.anchors or self.anchor in found:
            return self.first
        names = {"anchor": self.anchor, "ttl": ttl.ATTRIBUTE}
        return Attempt(Condition(SKELETON, names, {"now": self.now}), expires_at=self.expires_at)


def _on_ttl(expression: str, **values: int) -> Condition:
    return Condition(expression, _TTL_NAME, values)
