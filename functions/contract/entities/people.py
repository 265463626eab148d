"""Entities of people."""

from typing import TypedDict


class PlacementEntity(TypedDict):
    """`placement`: the factory of a person, by their ids."""

    id: str
    factoryId: str


class PersonEntity(TypedDict):
    """`person`: somebody who was erased, and when. No event ever has a name."""

    id: str
    erasedAt: str
