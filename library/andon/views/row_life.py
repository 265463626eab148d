"""The life of a view's row, as a condition of its writes beside the oplock's.

DynamoDB deletes expired rows days late. Until then a newer fact finds the old row, and must replace all of it: else
fields that had expired would live on with the new ttl.

A rebuild is the exception: it writes facts of long ago in any order, and one that has expired by itself can be part of
a row that a later fact keeps alive. So a row that is expired when a rebuild writes it is marked (`REBUILT`), and what
comes next joins it. The mark goes when the row lives again; a row that is alive never has it.
"""

from typing import Final, NamedTuple, Protocol

from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.expressions import Condition

# A row's ttl never moves backwards, and DynamoDB has no max(): either it grows with this write, or it stays.
_TTL_GROWS: Final = "(attribute_not_exists(#ttl) OR (#ttl > :now AND #ttl <= :ttl))"
_TTL_STAYS: Final = "#ttl > :ttl"
ALIVE: Final = "(attribute_not_exists(#ttl) OR #ttl > :now)"
EXPIRED: Final = "#ttl <= :now AND attribute_not_exists(#rebuilt)"
ANCHORED: Final = "attribute_exists(#anchor)"
_SKELETON: Final = f"attribute_not_exists(#anchor) AND {ALIVE}"

REBUILT: Final = "rebuilt"
"""The attribute that marks a row which had expired when a rebuild wrote it."""

_JOINS: Final = "attribute_exists(#rebuilt)"
_JOINS_SKELETON: Final = f"attribute_not_exists(#anchor) AND {_JOINS}"
# As above, but whatever the time is: to a rebuild no row has expired.
_EVER_GROWS: Final = "(attribute_not_exists(#ttl) OR #ttl <= :ttl)"
_SKELETON_GROWS: Final = f"attribute_not_exists(#anchor) AND {_EVER_GROWS}"
_SKELETON_STAYS: Final = f"attribute_not_exists(#anchor) AND {_TTL_STAYS}"

_REBUILT_NAME: Final = {"rebuilt": REBUILT}
_TTL_NAME: Final = {"ttl": ttl.ATTRIBUTE}


class WriteAttempt(NamedTuple):
    """One attempt to write: the condition, and the attributes that are written beside the update.

    expires_at: the row's new ttl; None: it stays. is_permanent: the row loses its ttl. replaces: the row has expired,
    so that its oplocks do not count and its other attributes go. marks: the row gets the mark of a rebuild (True),
    loses it (False), or is left as it is (None).
    """

    condition: Condition
    expires_at: int | None = None
    is_permanent: bool = False
    replaces: bool = False
    marks: bool | None = None


class RowLife(Protocol):
    """The attempts that fit a row."""

    @property
    def first(self) -> WriteAttempt:
        """The attempt that usually fits, without reading the row."""

    def after(self, row: Item | None) -> WriteAttempt:
        """Return the attempt that fits the row that a failed condition returned."""


class Permanent:
    """The row never expires."""

    first: Final = WriteAttempt(Condition(""))

    def after(self, row: Item | None) -> WriteAttempt:  # noqa: ARG002  every row is alike
        """Return the only attempt."""
        return self.first


class UntilNewestExpires(NamedTuple):
    """The row expires with the newest of the facts in it; expires_at: when this one does; times in epoch seconds."""

    expires_at: int
    now: int

    @property
    def first(self) -> WriteAttempt:
        """Most facts are newer than the row."""
        return WriteAttempt(_on_ttl(_TTL_GROWS, ttl=self.expires_at, now=self.now), self.expires_at)

    def after(self, row: Item | None) -> WriteAttempt:
        """Return the attempt that fits a row."""
        found = (row or {}).get(ttl.ATTRIBUTE)
        if found is None or self.now < found <= self.expires_at:
            return self.first
        if found > self.now:
            return WriteAttempt(_on_ttl(_TTL_STAYS, ttl=self.expires_at))
        if REBUILT in (row or {}):
            return WriteAttempt(Condition(_JOINS, _REBUILT_NAME), expires_at=self.expires_at, marks=False)
        return WriteAttempt(_expired(self.now), expires_at=self.expires_at, replaces=True)


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
    def first(self) -> WriteAttempt:
        """Most facts belong to a row with its anchor."""
        if self.anchors:
            return WriteAttempt(_on_ttl(ALIVE, now=self.now), is_permanent=True)
        return WriteAttempt(Condition(ANCHORED, {"anchor": self.anchor}))

    def after(self, row: Item | None) -> WriteAttempt:
        """Return the attempt that fits a row."""
        found = row or {}
        if self.anchor not in found and not ttl.is_alive(found, self.now * 1000):
            expires_at = None if self.anchors else self.expires_at
            if REBUILT in found:
                joins = Condition(_JOINS_SKELETON, {"anchor": self.anchor, **_REBUILT_NAME})
                return WriteAttempt(joins, expires_at=expires_at, is_permanent=self.anchors, marks=False)
            return WriteAttempt(_expired(self.now), expires_at=expires_at, is_permanent=self.anchors, replaces=True)
        if self.anchors or self.anchor in found:
            return self.first
        names = {"anchor": self.anchor, "ttl": ttl.ATTRIBUTE}
        return WriteAttempt(Condition(_SKELETON, names, {"now": self.now}), expires_at=self.expires_at)


class RebuiltUntilNewestExpires(NamedTuple):
    """As `UntilNewestExpires`, to a rebuild: facts of one row join it, in any order and however late."""

    expires_at: int
    now: int

    @property
    def first(self) -> WriteAttempt:
        """Most facts come in their order."""
        return WriteAttempt(
            _on_ttl(_EVER_GROWS, ttl=self.expires_at), expires_at=self.expires_at, marks=self.expires_at <= self.now
        )

    def after(self, row: Item | None) -> WriteAttempt:
        """Return the attempt that fits a row."""
        found = (row or {}).get(ttl.ATTRIBUTE)
        return (
            self.first
            if found is None or found <= self.expires_at
            else WriteAttempt(_on_ttl(_TTL_STAYS, ttl=self.expires_at))
        )


class RebuiltUntilAnchored(NamedTuple):
    """As `UntilAnchored`, to a rebuild; expires_at: the ttl of a write that had come with its fact."""

    anchor: str
    anchors: bool
    expires_at: int
    now: int

    @property
    def first(self) -> WriteAttempt:
        """Most facts belong to a row with its anchor."""
        if self.anchors:
            return WriteAttempt(Condition(""), is_permanent=True, marks=False)
        return WriteAttempt(Condition(ANCHORED, {"anchor": self.anchor}))

    def after(self, row: Item | None) -> WriteAttempt:
        """Return the attempt that fits a row."""
        found = row or {}
        if self.anchors or self.anchor in found:
            return self.first
        names, values = {"anchor": self.anchor, **_TTL_NAME}, {"ttl": self.expires_at}
        if found.get(ttl.ATTRIBUTE, 0) > self.expires_at:
            return WriteAttempt(Condition(_SKELETON_STAYS, names, values))
        grows, marks = Condition(_SKELETON_GROWS, names, values), self.expires_at <= self.now
        return WriteAttempt(grows, expires_at=self.expires_at, marks=marks)


def _expired(now: int) -> Condition:
    return Condition(EXPIRED, {**_TTL_NAME, **_REBUILT_NAME}, {"now": now})


def _on_ttl(expression: str, **values: int) -> Condition:
    return Condition(expression, _TTL_NAME, values)
