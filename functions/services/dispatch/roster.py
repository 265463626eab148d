"""Rosters: the operators of a factory, to whom abnormal logs are assigned, and the supervisor for escalations."""

from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import sha256
from typing import Final, Literal, NamedTuple, TypedDict

from andon.events.fact import fact_of_row
from andon.rules.rule import History
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Versions
from services.dispatch.fact_types import ROSTER_CHANGED
from services.dispatch.tables import KEYS, TABLE

DISCRIMINATOR: Final = "roster"


class RosterContent(TypedDict):
    """A roster, as responses say it."""

    factoryId: str
    operators: list[str]
    supervisor: str


class RosterRow(RosterContent, VersionedRow):
    """The row of a roster, its primary key aside."""

    discriminator: Literal["roster"]


class Roster(NamedTuple):
    """The operators to assign, and the supervisor to escalate to; without people who were erased, see `on_duty`."""

    operators: tuple[str, ...]
    supervisor: str | None

    @classmethod
    def of(cls, row: RosterRow) -> "Roster":
        """Return the roster of a row."""
        return cls(tuple(row["operators"]), row["supervisor"])

    def operator_for(self, equipment_id: str) -> str | None:
        """Return the operator of a piece of equipment: the same each time, and another one only if that one leaves.

        None: nobody is left.

        Rendezvous hashing: https://www.eecs.umich.edu/techreports/cse/96/CSE-TR-316-96.pdf
        """
        return max(self.operators, key=lambda operator: (_weight(equipment_id, operator), operator), default=None)

    def without(self, gone: Collection[str]) -> "Roster":
        """Return the roster without some people."""
        operators = tuple(operator for operator in self.operators if operator not in gone)
        return Roster(operators, None if self.supervisor in gone else self.supervisor)


ErasedAmong = Callable[[Iterable[str]], Collection[str]]
"""Some people -> those of them who were erased."""


def on_duty(roster: Roster, equipment_id: str, erased_among: ErasedAmong) -> Roster | None:
    """Return the roster for a piece of equipment without the erased whom it would choose; None: nobody is left.

    The others are asked for only if that operator was erased: no more people are looked up than are needed.
    """
    first = roster.operator_for(equipment_id)
    chosen = [person for person in (first, roster.supervisor) if person is not None]
    gone = {*erased_among(chosen)}
    if first in gone:
        gone |= {*erased_among([operator for operator in roster.operators if operator not in chosen])}
    left = roster.without(gone)
    return left if left.operators or left.supervisor else None


def roster_in(history: History) -> Roster | None:
    """Return the roster that a rule decides by."""
    return history.context if isinstance(history.context, Roster) else None


def key_of(factory_id: str) -> dict[str, str | int]:
    """Return the primary key of a factory's roster."""
    return KEYS.of(f"Factory#{factory_id}", DISCRIMINATOR)


def versions_of(factory_id: str) -> Versions[RosterRow]:
    """Return the place of a factory's roster."""
    return Versions(table=TABLE, key=key_of(factory_id))


def write(factory_id: str, operators: Sequence[str], supervisor: str, command: Command) -> Draft:
    """Decide the roster of a factory."""
    return Draft(
        content={"factoryId": factory_id, "operators": list(operators), "supervisor": supervisor},
        attributes={"discriminator": DISCRIMINATOR},
        command=command,
    )


def to_response(row: RosterRow) -> RosterContent:
    """Return a row for a response."""
    return {"factoryId": row["factoryId"], "operators": row["operators"], "supervisor": row["supervisor"]}


# Nobody subscribes to it: it is the roster's way into the lake, out of which a lost region comes back.
fact_of: Final = fact_of_row(ROSTER_CHANGED, DISCRIMINATOR, partition="factoryId", entity_of=to_response)


def _weight(equipment_id: str, operator: str) -> bytes:
    return sha256(f"{len(equipment_id)} {equipment_id} {operator}".encode()).digest()
