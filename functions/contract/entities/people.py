"""Entities of people."""

from typing import TypedDict


class PlacementEntity(TypedDict):
    """`placement`: the factory of a person, by their ids."""

    id: str
    factoryId: str


class PersonEntity(TypedDict):
    """`person`: an erased person, and the time. No event ever has a name."""

    id: str
    erasedAt: str
