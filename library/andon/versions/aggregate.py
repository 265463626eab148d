"""The versioning of each aggregate of a service: declared in its `versioning.py`, checked by synth and by a law.

    AGGREGATES: Aggregates = {
        **of_resource(PICTURES, revised=Frequency.SELDOM, read=Frequency.OFTEN),  # which says its design itself
        READING: Aggregate(TIME_BASED, Identity.TIME, revised=Frequency.OFTEN, read=Frequency.OFTEN, speed=Speed.FAST),
    }

`contradictions` are refused by synth, by both sides. What a save really writes is compared with the declared design by
a law, see `andon.testing.versioning`. `docs/versioning.md` says when to take which design.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from andon.versions.declared import Declared


class Tolerance(StrEnum):
    """The inconsistency that readers of an aggregate tolerate."""

    NOTHING = "none"
    LATE_HISTORY = "the history is a moment late"
    GAPS = "gaps"
    ORPHANS = "an orphan that readers do not see"


class Frequency(StrEnum):
    """Frequency with which an aggregate is revised, or its versions are read."""

    NEVER = "never"
    SELDOM = "seldom"
    OFTEN = "often"


class Identity(StrEnum):
    """Source of an aggregate's id."""

    GIVEN = "given by whoever names it"
    COMPOSED = "composed of what tells it apart"
    TIME = "its time"
    CONTENT = "digest of its content"


class Speed(StrEnum):
    """Speed at which new data comes: it decides how data is created.

    SLOW: a normalised entry, a row that is written on condition. FAST: a stream: stream-first, or one row per report.
    """

    SLOW = "slow"
    FAST = "fast"


class Design(NamedTuple):
    """A design of `docs/versioning.md`.

    units: write units of a change of rows of up to 1 KB. leaves: the inconsistency that a crash or a reader may find.
    keeps: every version is kept, in rows that a command writes. transaction: these are written in one. locks: a writer
    names the version that it changes. stands: its numbers or fences stand on the current row.
    """

    title: str
    units: int
    leaves: Tolerance = Tolerance.NOTHING
    keeps: bool = False
    transaction: bool = False
    locks: bool = True
    stands: bool = False


TIME_BASED: Final = Design("time-based", 1, locks=False)
WRITTEN_ONCE: Final = Design("written once", 1, locks=False)
CURRENT_ONLY: Final = Design("current row alone", 1)
TWO_TABLES: Final = Design("two tables, one transaction", 4, keeps=True, transaction=True)
SEQUENTIAL: Final = Design("two tables, sequential", 3, Tolerance.ORPHANS, keeps=True, stands=True)
NUMBERED: Final = Design("numbered, one transaction", 4, keeps=True, transaction=True)
COUNTER: Final = Design("numbered, atomic counter", 2, Tolerance.GAPS, locks=False, stands=True)
FROM_STREAM: Final = Design("numbered, from the stream", 2, Tolerance.LATE_HISTORY, stands=True)

DESIGNS: Final = (TWO_TABLES, SEQUENTIAL, NUMBERED, COUNTER, FROM_STREAM, TIME_BASED, WRITTEN_ONCE, CURRENT_ONLY)

_CHEAPER: Final[Mapping[Design, tuple[Design, ...]]] = {TWO_TABLES: (SEQUENTIAL,), NUMBERED: (FROM_STREAM, COUNTER)}
"""Designs that keep the same versions for fewer write units, where what they leave is tolerated."""


class Aggregate(NamedTuple):
    """The versioning of an aggregate.

    read: how often its versions are read. expires: the current row expires, a tombstone aside; or the attribute with
    which it does, as the time of its end, where what has not ended is kept. open_until: the date in the id until which
    the id may be taken, of a design that stands on a current row which expires: see `Lifetime`. lives_with: in place of
    that the aggregate without which nothing is written, and which has gone before this expires. fixed: attributes that
    its versions share, beside its key, so that keys of views may take them. kept: attributes that a tombstone keeps.
    """

    design: Design
    identity: Identity
    revised: Frequency
    read: Frequency
    speed: Speed
    tolerates: Tolerance = Tolerance.NOTHING
    expires: bool | str = False
    open_until: str | None = None
    lives_with: str | None = None
    fixed: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()


Aggregates = Mapping[str, Aggregate]
"""Discriminator, or the name of rows that have none -> their versioning."""

DECISION: Final = Aggregate(
    WRITTEN_ONCE,
    Identity.COMPOSED,
    revised=Frequency.NEVER,
    read=Frequency.SELDOM,
    speed=Speed.SLOW,
    expires=True,
)
"""A decision of a rule: its id is the rule's and that of what it is about, so that it is made once."""


def contradictions(of: Aggregate) -> Iterator[str]:
    """Yield each contradiction of a declaration, with both of its sides and the remedy."""
    design, title = of.design, of.design.title
    if design.leaves not in {Tolerance.NOTHING, of.tolerates}:
        yield (
            f"tolerates {of.tolerates!s}, but the design {title!r} leaves {design.leaves!s}. "
            f"Tolerate that, or take a design that does not"
        )
    if of.speed is Speed.FAST and design.locks:
        yield (
            f"is fast data, but the design {title!r} has {_lock_of(design)}. Take TIME_BASED, WRITTEN_ONCE or COUNTER "
            f"for a stream; or say Speed.SLOW, if it is a normalised entry"
        )
    if (of.revised is Frequency.NEVER) != (design is WRITTEN_ONCE):
        yield f"is revised {of.revised!s}, but the design is {title!r}. {_once(design)}"
    if (of.identity is Identity.TIME) != (design is TIME_BASED):
        yield f"has an id made of {of.identity!s}, but the design is {title!r}. TIME_BASED goes with Identity.TIME"
    if of.identity is Identity.CONTENT and of.revised is not Frequency.NEVER:
        yield f"has an id made of {of.identity!s}, but is revised {of.revised!s}. Other content is another one: NEVER"
    yield from _of_cost(of)
    yield from _of_life(of)


def _lock_of(design: Design) -> str:
    if design.transaction:
        return f"a history transaction of {design.units} write units"
    return "an optimistic lock, for which each writer has to know a version"


def _once(design: Design) -> str:
    if design is WRITTEN_ONCE:
        return "Say NEVER, or take a design with versions"
    return f"Take WRITTEN_ONCE, at {WRITTEN_ONCE.units} write unit in place of {design.units}"


def _of_cost(of: Aggregate) -> Iterator[str]:
    design, title = of.design, of.design.title
    for other in _CHEAPER.get(design, ()):
        if of.revised is Frequency.OFTEN and other.leaves is of.tolerates:
            yield (
                f"is revised often and tolerates {of.tolerates!s}, but the design {title!r} costs {design.units} write "
                f"units a change, where {other.title!r} costs {other.units}. Take that, or tolerate nothing"
            )
    if design is SEQUENTIAL and of.revised is Frequency.SELDOM and of.read is Frequency.OFTEN:
        yield (
            f"is revised seldom and read often, but the design {title!r} has each reader of the history read the "
            f"current row, too, to save a write unit a change. Take TWO_TABLES"
        )


def _of_life(of: Aggregate) -> Iterator[str]:
    begins_again, title = of.design.stands and bool(of.expires), of.design.title
    said = {"open_until": of.open_until, "lives_with": of.lives_with}
    bounds = [f"{name}={value!r}" for name, value in said.items() if value is not None]
    if begins_again and len(bounds) != 1:
        has = "both are said" if bounds else "nothing says until when they may"
        yield (
            f"expires, but the numbers of the design {title!r} stand on its current row and would begin again, and "
            f"{has}. Say in open_until= the date in its id until which the id may be taken, see Lifetime; or in "
            f"lives_with= the aggregate that goes before it and without which nothing is written; or let it not expire"
        )
    if bounds and not begins_again:
        why = "never expires" if of.design.stands else "has numbers that nothing begins again"
        yield f"says {', '.join(bounds)}, but the design {title!r} {why}. Take that out"


def aggregates_of(*declared: "Declared[Any, Any]") -> dict[str, Aggregate]:
    """Return the versioning of declared things, by their designs."""
    return {one.kind: _aggregate(one) for one in declared}


def _aggregate(of: "Declared[Any, Any]") -> Aggregate:
    design: Design = globals()[of.design]
    if design is TIME_BASED:
        return Aggregate(
            design, Identity.TIME, Frequency(of.revised), Frequency(of.read), speed=Speed.FAST, expires=True
        )
    identity = Identity.GIVEN if len(of.id) == 1 else Identity.COMPOSED
    revised, read, kept = Frequency(of.revised), Frequency(of.read), of.kept
    return Aggregate(design, identity, revised, read, Speed.SLOW, tolerates=design.leaves, kept=kept)
