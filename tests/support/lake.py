"""The lake of a loop."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from andon.packages.package import Package
from andon.recorded.lake import EVENTS, lines_of
from andon.runtime import clock
from andon.stores.lake.batch import UNREADABLE, lines_in
from andon.stores.lake.store import BUCKET
from andon.testing.world import World, to_bytes

LAKE: Final = Package("stores", "lake")


@dataclass(frozen=True, slots=True)
class Lake:
    """lines: of all objects; a line that came in two batches is there twice. unreadable: what is no line."""

    lines: list[str]
    unreadable: list[str]

    @property
    def events(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Each event once, as readers count: by its source and its id."""
        found = [json.loads(line) for line in self.lines]
        return {(envelope["source"], envelope["detail"]["id"]): envelope for envelope in found}


def lines_of_messages(bodies: Iterable[str]) -> list[str]:
    """Return the lines that messages become, as they come now."""
    return [line.text for body in bodies for line in lines_in(body, now_ms=clock.now_ms()).lines]


def lake_of(world: World) -> Lake:
    """Read the whole lake."""
    objects = {one["Key"]: to_bytes(one["Body"]) for one in world.objects(BUCKET)}
    lines = [line for key, body in objects.items() if key.startswith(f"{EVENTS}/") for line in lines_of(body)]
    return Lake(lines, [body.decode() for key, body in objects.items() if key.startswith(f"{UNREADABLE}/")])
