"""Who works in a factory: the operators that abnormal logs are assigned to, and the supervisor for escalations."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final, Literal, NamedTuple, TypedDict, cast

from andon.dynamodb.attribute_values import Item
from andon.rules.rule import History
from andon.versions.optimistic_lock import Command, Draft
from services.dispatch.tables import KEYS

DISCRIMINATOR: Final = "roster"


class RosterContent(TypedDict):
    """What a response says of a roster."""

    factoryId: str
    operators: list[str]
    supervisor: str


class RosterRow(RosterContent):
    """The row of a roster, its primary key and its version attributes aside."""

    discriminator: Literal["roster"]


class Roster(NamedTuple):
    """Who can be assigned, and who is escalated to."""

    operators: tuple[str, ...]
    supervisor: str

    @classmethod
    def of(cls, item: Item | None) -> "Roster | None":
        """Read a row; None: there is none."""
        if item is None:
            return None
        row = cast("RosterRow", item)
        return cls(tuple(row["operators"]), row["supervisor"])

    def operator_for(self, equipment_id: str) -> str:
        """Return the operator of a piece of equipment: the same each time, and another one only if that one leaves.

        Rendezvous hashing: https://www.eecs.umich.edu/techreports/cse/96/CSE-TR-316-96.pdf
        """
        return max(self.operators, key=lambda operator: (_weight(equipment_id, operator), operator))


def roster_in(history: History) -> Roster | None:
    """Return the roster that a rule decides by."""
    return history.context if isinstance(history.context, Roster) else None


def key_of(factory_id: str) -> dict[str, str | int]:
    """Return the primary key of a factory's roster."""
    return KEYS.of(f"Factory#{factory_id}", DISCRIMINATOR)


def write(factory_id: str, operators: Sequence[str], supervisor: str, command: Command) -> Draft:
    """Decide the roster of a factory."""
    return Draft(
        content={"factoryId": factory_id, "operators": list(operators), "supervisor": supervisor},
        attributes={"discriminator": DISCRIMINATOR},
        command=command,
    )


def to_response(item: Item) -> RosterContent:
    """Return what a response says of a row."""
    row = cast("RosterRow", item)
    return {"factoryId": row["factoryId"], "operators": row["operators"], "supervisor": row["supervisor"]}


def _weight(equipment_id: str, operator: str) -> bytes:
    return sha256(f"{len(equipment_id)} {equipment_id} {operator}".encode()).digest()
