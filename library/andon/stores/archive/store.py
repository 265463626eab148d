"""Where the archive is, and what it is of: the days of actors. It subscribes to nothing, and reads the lake instead."""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from andon.events import drift, fault
from andon.events.topic import Topic
from andon.recorded import archive, lake

BUCKET: Final = archive.BUCKET
LAKE: Final = lake.BUCKET

SUBSCRIPTIONS: frozenset[Topic] = frozenset()

ABOUT_CONSUMERS: Final = frozenset({fault.TYPE, drift.TYPE})
"""The types of events that are about a message or a row; their partition key is who found it."""

PEOPLE: Final = ("operator", "supervisor", "lead", "members")
"""The fields of entities with somebody's name, or with a list of names."""


class ActorKind(NamedTuple):
    """A kind of actor: whom a day is about.

    name: its folder. keeps_days: how long a day stays in the archive; the lake keeps it for ever. cold_after_days: when
    its data move to where keeping costs less and reading more. actors_in: the actors that an event is about.
    """

    name: str
    keeps_days: int
    cold_after_days: int
    actors_in: Callable[[Mapping[str, Any]], frozenset[str]]


def equipment_in(detail: Mapping[str, Any]) -> frozenset[str]:
    """Return the piece of equipment that an event is about: its partition key."""
    key = detail.get("partitionKey")
    return frozenset({key} if isinstance(key, str) and key and detail.get("type") not in ABOUT_CONSUMERS else ())


def operators_in(detail: Mapping[str, Any]) -> frozenset[str]:
    """Return the people that an event is about: who is assigned, alone or in a crew, whom it was escalated to."""
    entities = [entity for entity in detail.values() if isinstance(entity, dict)]
    said = (entity.get(field) for entity in entities for field in PEOPLE)
    named = chain.from_iterable(one if isinstance(one, list) else [one] for one in said)
    return frozenset(name for name in named if isinstance(name, str) and name)


EQUIPMENT: Final = ActorKind(archive.EQUIPMENT, keeps_days=10 * 365, cold_after_days=30, actors_in=equipment_in)
OPERATORS: Final = ActorKind("operators", keeps_days=400, cold_after_days=90, actors_in=operators_in)
"""What people did is kept for a year and a month, no longer: it is about them."""

KINDS: Final = (EQUIPMENT, OPERATORS)

KEEPS_DAYS: Final = max(kind.keeps_days for kind in KINDS)

REHYDRATIONS: Final = "rehydrations"
"""The folder of jobs, beside those of the kinds."""
REHYDRATIONS_KEEP_DAYS: Final = 90
