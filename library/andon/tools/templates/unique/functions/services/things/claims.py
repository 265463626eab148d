"""Claims of things: no two have the same number. Pure, but for where they stand."""

from typing import Final

from andon.dynamodb.attribute_values import Attributes
from andon.runtime.errors import Conflict
from andon.versions.claims import Claim
from services.things.tables import TABLE

TAKEN: Final = Conflict("Another thing has this number.")


def claims_of(version: Attributes) -> dict[str, Claim]:
    """Return what a version has and no other thing may have; a save takes it, and lets go what the one before had."""
    key = TABLE.keys.of(f"Number#{version['number']}")
    return {"number": Claim(TABLE, key, version["id"], TAKEN)}
