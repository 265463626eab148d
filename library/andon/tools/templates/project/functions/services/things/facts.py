"""The facts that things publishes of its rows."""

from andon.events.fact import Facts
from services.things import thing

FACTS = Facts(
    source=thing.SOURCE,
    types=frozenset({thing.THING_MOVED}),
    of={thing.DISCRIMINATOR: thing.thing_moved},
    entities={thing.THING_MOVED: thing.ThingEntity},
)
