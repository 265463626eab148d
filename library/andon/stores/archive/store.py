"""Bucket, kinds of actors and retention of the archive. It subscribes to nothing, and reads the lake instead."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Final

from andon.events import drift, fault
from andon.events.domain_event import MAX_NAME_CHARACTERS
from andon.events.topic import Topic
from andon.project import Actors, project
from andon.recorded import archive, lake
from andon.runtime.json_types import JsonMapping

BUCKET: Final = archive.BUCKET
LAKE: Final = lake.BUCKET

SUBSCRIPTIONS: frozenset[Topic] = frozenset()

_ABOUT_CONSUMERS: Final = fault.TYPE, drift.TYPE  # no set: an event may say a list in place of its type
"""Types of events about a message or a row; their partition key is the consumer that found it."""

SUBJECTS: Final = project().subjects
KINDS: Final = (SUBJECTS, *project().actors)

KEEPS_DAYS: Final = max(kind.keeps_days for kind in KINDS)

_MOST_ACTORS: Final = 50
"""Actors of one kind that an event of the archive has at most: those that it names first."""

REHYDRATIONS: Final = "rehydrations"
"""The folder of jobs, beside those of the kinds."""
REHYDRATIONS_KEEP_DAYS: Final = 90


def actors_in(kind: Actors, detail: JsonMapping) -> tuple[list[str], int]:
    """Return the actors of a kind that an event is about, and the number of those that are not kept.

    An event is copied for each of them, so that one with thousands would make a day of gigabytes.
    """
    named = _named_in(detail, kind.fields) if kind.fields else [_subject_in(detail)]
    names = dict.fromkeys(name for name in named if isinstance(name, str) and name)
    kept = [name for name in names if len(name) <= MAX_NAME_CHARACTERS][:_MOST_ACTORS]
    return kept, len(names) - len(kept)


def _subject_in(detail: JsonMapping) -> object:
    return None if detail.get("type") in _ABOUT_CONSUMERS else detail.get("partitionKey")


def _named_in(detail: JsonMapping, fields: tuple[str, ...]) -> Iterable[object]:
    said = [
        entity[member]
        for name, entity in detail.items()
        if isinstance(entity, dict)
        for member in _members_of(name, fields)
        if member in entity
    ]
    return chain.from_iterable(one if isinstance(one, list) else [one] for one in said)


@lru_cache(maxsize=256)  # a sweep asks it of each entity of each event
def _members_of(entity: str, fields: tuple[str, ...]) -> tuple[str, ...]:
    """Return the members of an entity that are among some fields; a qualified one, as `thing.id`, is of one entity."""
    split = (field.rpartition(".") for field in fields)
    return tuple(member for of, _, member in split if of in {"", entity})
