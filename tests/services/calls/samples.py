"""The requests whose messages are the samples of calls: `make samples` writes them to `events/`."""

from typing import Any, Final

from andon.testing.recorder import Recorder

EQUIPMENT: Final = {"id": "press-7"}
FACTORY: Final = {"factoryId": "gdl-1"}
CALL: Final = {"id": "7f3c0d5e-9b1a-4c62-8f0e-2d6a1b9c4e57"}
ANOTHER: Final = {"id": "0b9e6d1c-52f7-4a3e-9c48-61d07e8fa2b3"}
EPISODE: Final = EQUIPMENT | {"startedAt": "2026-01-01T08:35:00Z"}

CATALOG: Final[dict[str, Any]] = {
    "categories": [
        {"id": "material", "name": "Material", "icon": "box", "priority": 2, "needsCause": True},
        {"id": "safety", "name": "Safety", "icon": "shield", "priority": 1, "needsCause": False},
    ],
    "causes": [
        {"id": "out-of-coils", "name": "Out of coils", "categories": ["material"]},
        {"id": "bent-guide", "name": "Bent guide", "categories": ["material", "safety"], "lines": ["line-9"]},
    ],
}
MATERIAL: Final = {"equipmentId": EQUIPMENT["id"], "category": "material", "text": "The last coil is on."}
SAFETY: Final = {"equipmentId": EQUIPMENT["id"], "category": "safety"}


def record(world: Recorder) -> None:
    """A catalog is set; of two calls one is taken and closed with its cause, one rejected; an episode gets a cause."""
    world.hear("equipment-created")
    world.request("PUT /factories/{factoryId}/catalog", path=FACTORY, body=CATALOG)
    world.request("GET /factories/{factoryId}/catalog", path=FACTORY)
    world.request("PUT /calls/{id}", path=CALL, body=MATERIAL)
    world.request("GET /calls/{id}", path=CALL)
    world.request("PUT /calls/{id}/taker", path=CALL, headers={"if-match": '"1"'})
    world.request("GET /factories/{factoryId}/calls", path=FACTORY)
    closed = {"cause": "out-of-coils", "note": "Two pallets came."}
    world.request("PUT /calls/{id}/closure", path=CALL, body=closed, headers={"if-match": '"2"'})
    world.request("PUT /calls/{id}", path=ANOTHER, body=SAFETY, variant="safety")
    rejected = {"reason": "It was a drill."}
    world.request("PUT /calls/{id}/rejection", path=ANOTHER, body=rejected, headers={"if-match": '"1"'})
    world.request("GET /equipment/{id}/calls", path=EQUIPMENT)
    why = {"cause": "out-of-coils"}
    world.request("PUT /equipment/{id}/episodes/{startedAt}/cause", path=EPISODE, body=why)
    world.request("GET /equipment/{id}/episodes/{startedAt}/cause", path=EPISODE)
