"""Rosters: the operators of a factory, to whom abnormal logs are assigned, and the supervisor for escalations."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple, TypedDict

from andon.dynamodb.attribute_values import Item
from andon.rules.rule import History
from andon.versions.optimistic_lock import Command, Draft
from services.dispatch.tables import KEYS

DISCRIMINATOR: Final = "roster"


class RosterContent(TypedDict):
    """A roster, as responses say it."""

    factoryId: str
    operators: list[str]
    supervisor: str


class Roster(NamedTuple):
    """The operators to assign, and the supervisor to escalate to."""

    operators: tuple[str, ...]
    supervisor: str

    @classmethod
    def of(cls, item: Item | None) -> "Roster | None":
        """Read a row; None: there is none."""
        if item is None:
            return None
        return cls(tuple(item["operators"]), item["supervisor"])

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
    """Return the content of a row, for a response."""
    return {"factoryId": item["factoryId"], "operators": item["operators"], "supervisor": item["supervisor"]}


def _weight(equipment_id: str, operator: str) -> bytes:
    return sha256(f"{len(equipment_id)} {equipment_id} {operator}".encode()).digest()
