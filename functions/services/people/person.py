"""A person: the name and the factory behind an id, until they are erased."""

from typing import Annotated, Final, Literal, NotRequired, TypedDict, cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.key_query import KeyQuery
from andon.http.said import Line, Word
from andon.runtime.errors import Conflict
from andon.runtime.json_types import members_of
from andon.runtime.marks import Says
from andon.versions.optimistic_lock import Changed, Command, Draft, Guard, VersionedRow, changed, require_admitted
from andon.versions.versioned_write import Versions
from services.people.placement import placement
from services.people.tables import BY_FACTORY, TABLE, key_of

ERASED: Final = "This person was erased. The id is not given to anybody again."


class Person(TypedDict):
    """A person: the name that others read, and the factory where they work."""

    name: Annotated[Line, Says("Ana López", "yes")]
    factoryId: Annotated[Word, Says("gdl-1", "no")]


class PersonRow(Person, VersionedRow):
    """The row of a person, its primary key aside; a fence has neither `name` nor `factoryId`, see `erasure`.

    placed: there is a placement beside it.
    """

    id: str
    placed: NotRequired[Literal[True]]


class PersonKey(TypedDict):
    """What tells a version of a person from all others."""

    id: str
    version: int


class PersonVersion(PersonKey, Person, Changed):
    """A person; `changedAt` is fixed-width UTC. Of one who was erased there are `id` and `erased` alone."""


class ErasedPerson(TypedDict):
    """Somebody erased, in a response."""

    id: str
    erased: Literal[True]


def versions_of(person_id: str) -> Versions[PersonRow]:
    """Return the place of a person's row; no earlier version is kept."""
    return Versions(table=TABLE, key=key_of(person_id))


def row_of(item: Item) -> PersonRow:
    """Return an item of the people table with the type of its row."""
    return cast("PersonRow", item)


def write(person_id: str, said: Person, command: Command, guard: Guard | None = None) -> Draft:
    """Decide a person's name and factory; an erased id stays erased.

    Raises:
        Rejected: the guard does not admit it.

    """
    content = {**said, "placed": True}  # what was written before gets a placement, too
    require_admitted(guard, content)
    return Draft(
        content=content,
        attributes={"id": person_id},
        command=command,
        revives=False,
        gone=Conflict(ERASED),
        guard=guard,
        also={"placement": placement(person_id, said["factoryId"], command)},
    )


def in_factory(factory_id: str) -> KeyQuery:
    """Return the query of the people of a factory, by their ids; the erased are in none."""
    return KeyQuery(keys=BY_FACTORY, partition=factory_id, index_name="ByFactory", forward=True, has_keys_only=True)


def to_response(row: PersonRow) -> PersonVersion | ErasedPerson:
    """Return a row for a response."""
    if row.get("deleted"):
        return {"id": row["id"], "erased": True}
    return {**members_of(PersonKey, row), **members_of(Person, row), **changed(row)}
