"""JSON Schemas of the factory's own values, for the OpenAPI document."""

from typing import Final

from andon.http.models import PART_INK, Schema, named
from contract import names, people
from contract.levels import LEVELS

LOCATION: Final[Schema] = {
    "type": "string",
    "pattern": f"^{named(PART_INK)}(?:/{named(PART_INK)}){{0,{len(LEVELS) - 1}}}$",
}
STATE: Final[Schema] = names.schema(names.STATE_PATTERN)
STATE_FILTER: Final[Schema] = names.schema(names.STATE_FILTER_PATTERN)
PERSON: Final[Schema] = names.schema(people.PERSON_PATTERN)
