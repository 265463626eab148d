"""People of the factory: the name behind an id, and the factory of each."""

from typing import Annotated, Final, TypedDict

from andon.http.said import Line, Word
from andon.runtime.marks import Says
from andon.versions.persons import Persons, Placed
from contract.entities.people import PersonEntity, PlacementEntity


class Person(TypedDict):
    """A person: the name that others read, and the factory where they work."""

    name: Annotated[Line, Says("Ana López", "yes")]
    factoryId: Annotated[Word, Says("gdl-1", "no")]


PEOPLE: Final = Persons(
    service="people",
    kind="person",
    content=Person,
    entity=PersonEntity,
    placed=Placed("factoryId", PlacementEntity),
)

RESOURCES: Final = (PEOPLE,)
