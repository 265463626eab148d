"""Guests: the name behind an id, until they are erased. All else has the id alone.

Facts, tables and versioning follow from this, see `andon.versions.persons`.
"""

from typing import Final

from andon.versions.persons import Persons, Placed
from contract.entities.guests import Guest, GuestErased, GuestPlaced

GUESTS: Final = Persons(
    service="guests",
    kind="guest",
    content=Guest,
    entity=GuestErased,
    # <placed>
    placed=Placed("hallId", GuestPlaced),
    # </placed>
)

RESOURCES: Final = (GUESTS,)
