"""Who works in a factory: operators, among whom abnormal logs are shared out, and whom those are escalated to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from patterns.rules.rule import History
from patterns.versions.optimistic_lock import Command, Draft
from services.dispatch.tables import KEYS

DISCRIMINATOR = "roster"


@dataclass(frozen=True, slots=True)
class Roster:
    """Those who can be assigned, and the one it is escalated to."""

    operators: tuple[str, ...]
    supervisor: str

    @classmethod
    def of(cls, row: Mapping[str, Any] | None) -> "Roster | None":
        """Read a row; None: there is none."""
        return None if row is None else cls(tuple(row["operators"]), row["supervisor"])

    def operator_for(self, equipment_id: str) -> str:
        """Choose the operator of a piece of equipment: the same each time, and another one only if that one leaves.

        Rendezvous hashing: https://www.eecs.umich.edu/techreports/cse/96/CSE-TR-316-96.pdf
        """
        return max(self.operators, key=lambda operator: (_weight(equipment_id, operator), operator))


def roster_in(history: History) -> Roster | None:
    """Return the roster that a rule decides by."""
    return history.context if isinstance(history.context, Roster) else None


def key_of(factory_id: str) -> dict[str, str | int]:
    """Give the primary key of a factory's roster."""
    return KEYS.of(f"Factory#{factory_id}", DISCRIMINATOR)


def write(factory_id: str, operators: Sequence[str], supervisor: str, command: Command) -> Draft:
    """Decide the roster of a factory."""
    return Draft(
        content={"factoryId": factory_id, "operators": list(operators), "supervisor": supervisor},
        attributes={"discriminator": DISCRIMINATOR},
        command=command,
    )


def to_response(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give what an answer says: `{factoryId, operators, supervisor}`."""
    return {name: row[name] for name in ("factoryId", "operators", "supervisor")}


def _weight(equipment_id: str, operator: str) -> bytes:
    return sha256(f"{len(equipment_id)} {equipment_id} {operator}".encode()).digest()
