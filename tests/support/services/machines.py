"""Requests that tests make about equipment in its second version, and locations as levels."""

from typing import Any, Final

from hypothesis import strategies as st

from andon.testing.loop import Answer, Loop
from contract.entities.equipment import LevelEntity
from contract.levels import FIELDS
from tests.support.services.versions import LOCATION, everything, tag

PUT: Final = "PUT /v2/equipment/{id}"
GET: Final = "GET /v2/equipment/{id}"
DELETE: Final = "DELETE /v2/equipment/{id}"
ROLLBACK: Final = "POST /v2/equipment/{id}/rollback"
VERSIONS: Final = "GET /v2/equipment/{id}/versions"

LEVELS: Final[list[LevelEntity]] = [{"level": level, "name": LOCATION[level]} for level in FIELDS]
HALL: Final[LevelEntity] = {"level": "hall", "name": "3"}
CELL: Final[LevelEntity] = {"level": "cell", "name": "west 2"}

PLACES: Final = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="/?%#"), min_size=1, max_size=8)


def machine(name: str = "press", levels: list[LevelEntity] | None = None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the body that registers a piece of equipment."""
    levels = LEVELS if levels is None else levels
    return {"name": name, "factoryId": "gdl-1", "lineId": "line-3", "levels": levels, **more}


def put2(loop: Loop, equipment_id: str, body: dict[str, Any] | None = None, *, if_match: int | None = None) -> Answer:
    """Register or change a piece of equipment."""
    return loop.request(PUT, path={"id": equipment_id}, body=body or machine(), headers=tag(if_match))


def get2(loop: Loop, equipment_id: str, **parts: Any) -> Answer:  # noqa: ANN401
    """Read a piece of equipment, as it is or was."""
    return loop.request(GET, path={"id": equipment_id}, **parts)


def delete2(loop: Loop, equipment_id: str, *, if_match: int | None = None) -> Answer:
    """Delete a piece of equipment."""
    return loop.request(DELETE, path={"id": equipment_id}, headers=tag(if_match))


def roll_back2(loop: Loop, equipment_id: str, to: int, *, if_match: int | None = None) -> Answer:
    """Make version `to` current again."""
    return loop.request(ROLLBACK, path={"id": equipment_id}, body={"toVersion": to}, headers=tag(if_match))


def versions2(loop: Loop, equipment_id: str) -> list[dict[str, Any]]:
    """Read the history of a piece of equipment, newest first."""
    return everything(loop, VERSIONS, {"id": equipment_id})
