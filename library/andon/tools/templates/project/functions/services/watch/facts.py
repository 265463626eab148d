"""The facts that watch publishes: what its rules decide."""

from andon.events.fact import Facts
from services.watch.rules import restless

FACTS = Facts(
    source="watch",
    types=frozenset({restless.THING_RESTLESS}),
    of={restless.THING_RESTLESS: restless.thing_restless},
    entities={restless.THING_RESTLESS: restless.RestlessEntity},
)
