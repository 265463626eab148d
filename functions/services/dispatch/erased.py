"""People who were erased, as dispatch knows it: a mark for each, so that no rule assigns them."""

from collections.abc import Iterable

from andon.dynamodb.client import Table
from andon.events.domain_event import DomainEvent
from andon.views.view_update import ViewUpdate
from services.dispatch.tables import KEYS

PERSON_ERASED = ("people", "person-erased")


def key_of(person: str) -> dict[str, str | int]:
    """Return the primary key of a mark, in a partition of its own: a person may be on many rosters, or on none yet."""
    return KEYS.of(f"Person#{person}", "erased")


def on_person_erased(event: DomainEvent) -> ViewUpdate:
    """Mark a person for good: a roster may name them long afterwards."""
    person = event.entity("person")
    return ViewUpdate(key=key_of(person.text("id")), fields={"erasedAt": person.text("erasedAt")}, oplock="erased")


def erased_among(table: Table, people: Iterable[str]) -> frozenset[str]:
    """Return those of up to 100 people who are marked, by one request."""
    asked = [*dict.fromkeys(people)]
    marks = table.get_many([key_of(person) for person in asked])
    return frozenset(person for person, mark in zip(asked, marks, strict=True) if mark is not None)
