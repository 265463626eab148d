"""Chains on a floor: a factory's own, and who was asked for help when, from the rows that rules decided."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from tests.support.dispatch.floor import FACTORY, Floor
from tests.support.dispatch.model import MINUTE
from tests.support.samples import NOW

CHAINS: Final = "PUT /factories/{factoryId}/chains"
MANAGER: Final = "mg-01"


class Asked(NamedTuple):
    """Somebody who was asked for help: about which log, at which step and reminder, in minutes from NOW."""

    state: str
    since: str
    chain: str
    step: int
    repeat: int
    person: str
    at_minute: float


def step(after: int, tell: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a step of a chain."""
    return {"after": after, "tell": tell, "urgency": "high"} | more


def chain(id_: str, on: Sequence[str], *steps: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a chain."""
    return {"id": id_, "on": list(on), "steps": list(steps)} | more


def put_chains(floor: Floor, *chains: dict[str, Any], version: int | None = None) -> None:
    """Put a factory's chains."""
    headers = {} if version is None else {"if-match": f'"{version}"'}
    answer = floor.request(CHAINS, path={"factoryId": FACTORY}, body={"chains": list(chains)}, headers=headers)
    assert answer[0] in {200, 201}, answer
    floor.settle()


def asked(floor: Floor, equipment_id: str, of: str = "Equipment") -> list[Asked]:
    """Return who was asked about a piece of equipment, or about its calls (of: `Calls`), in the order of time."""
    rows = _decided(floor, f"{of}#{equipment_id}", "help-requested")
    return sorted((_asked(row) for row in rows), key=lambda one: (one.at_minute, one))


def nobody(floor: Floor, equipment_id: str, of: str = "Equipment") -> list[dict[str, Any]]:
    """Return the steps for which nobody was on duty."""
    return _decided(floor, f"{of}#{equipment_id}", "nobody-found")


def _decided(floor: Floor, partition: str, discriminator: str) -> list[dict[str, Any]]:
    return [row for row in floor.table.rows(partition) if row.get("discriminator") == discriminator]


def _asked(row: dict[str, Any]) -> Asked:
    at_minute = (int(row["at"]) - NOW) / MINUTE
    return Asked(
        state=row["what"],
        since=row["since"],
        chain=row["chain"],
        step=int(row["step"]),
        repeat=int(row["repeat"]),
        person=row["person"],
        at_minute=at_minute,
    )
