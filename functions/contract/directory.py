"""The factories of people, as services keep them that take ids of people: a row in a partition of each person.

A caller who is limited to places names people of factories at these places, or of the one that a request is about, and
themselves. Whoever is everywhere names anybody, also whom the directory does not know yet.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from andon.dynamodb.client import MOST_READ_AT_ONCE, Table
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.http.places import ELSEWHERE, Caller, Stay, names_of
from andon.runtime.errors import FieldError, Forbidden
from andon.views.view_update import ViewUpdate
from contract.people import PERSON_PLACED

SORT_KEY: Final = "place"


def kept(keys: Keys) -> Mapping[Topic, Callable[[DomainEvent], ViewUpdate]]:
    """Return the subscription that keeps them."""

    def on_person_placed(event: DomainEvent) -> ViewUpdate:
        """Keep the factory of a person."""
        placement = event.entity("placement")
        fields = {"factoryId": placement.text("factoryId")}
        return ViewUpdate(key=_key_of(keys, placement.text("id")), fields=fields, oplock="placed")

    return {("people", PERSON_PLACED): on_person_placed}


def require_within(table: Table, caller: Caller, stay: Stay, people: Iterable[str]) -> None:
    """Check that a caller may name some people; stay: where that is which the request is about.

    Raises:
        Forbidden: some are of none of the caller's factories, or not known; it does not say which of both.

    """
    if caller.places.is_everywhere:
        return
    others = sorted({*people} - {caller.subject, caller.name})
    chunks = [others[first : first + MOST_READ_AT_ONCE] for first in range(0, len(others), MOST_READ_AT_ONCE)]
    rows = [row for chunk in chunks for row in table.get_many([_key_of(table.keys, one) for one in chunk])]
    places = caller.places.names | stay.names
    strange = [
        one
        for one, row in zip(others, rows, strict=True)
        if row is None or names_of((row.get("factoryId"),)).isdisjoint(places)
    ]
    if strange:
        fields = tuple(FieldError("body", f"names {one}, who is at none of your factories") for one in strange)
        raise Forbidden(ELSEWHERE, fields=fields)


def _key_of(keys: Keys, person: str) -> dict[str, str | int]:
    return keys.of(f"Person#{person}", SORT_KEY)
