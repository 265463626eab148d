"""The people of the samples. Events, rows and paths have their badges alone; this table stands in for a directory."""

from typing import Final, NamedTuple

LIZ, SUE, ANN, TOM, SARA, OLGA = "op-17", "op-18", "op-19", "op-20", "sv-03", "au-05"
EVA, LUIS, OMAR, ROSA = "op-31", "op-32", "op-33", "sv-04"


class SamplePerson(NamedTuple):
    """The name of a person, and the factory that the person works in."""

    name: str
    factory_id: str


PEOPLE: Final = {  # badge -> person
    LIZ: SamplePerson("Liz", "gdl-1"),
    SUE: SamplePerson("Sue", "gdl-1"),
    ANN: SamplePerson("Ann", "gdl-1"),
    TOM: SamplePerson("Tom", "gdl-1"),
    SARA: SamplePerson("Sara", "gdl-1"),
    OLGA: SamplePerson("Olga", "gdl-1"),
    EVA: SamplePerson("Eva", "Guadalajara"),
    LUIS: SamplePerson("Luis", "Guadalajara"),
    OMAR: SamplePerson("Omar", "Guadalajara"),
    ROSA: SamplePerson("Rosa", "Guadalajara"),
}

BADGES: Final = {person.name: badge for badge, person in PEOPLE.items()}


def name_of(person: str) -> str:
    """Return the name of who has an id; of somebody who is not in the table, the id."""
    return PEOPLE[person].name if person in PEOPLE else person
