"""JSON Schemas of the factory's own values, for the OpenAPI document."""

from typing import Final

from andon.http.schemas import PART_INK, Schema, named
from contract import names, people
from contract.levels import LEVELS
from contract.zones import ZONE_PATTERN

LOCATION: Final[Schema] = {
    "type": "string",
    "pattern": f"^{named(PART_INK)}(?:/{named(PART_INK)}){{0,{len(LEVELS) - 1}}}$",
}
STATE: Final[Schema] = {"type": "string", "pattern": names.STATE_PATTERN}
LEVEL: Final[Schema] = {"type": "string", "pattern": names.LEVEL_PATTERN}
STATE_FILTER: Final[Schema] = {"type": "string", "pattern": names.STATE_PATTERN.removesuffix("$") + r"\*?$"}
CLOCK: Final[Schema] = {"type": "string", "pattern": names.CLOCK_PATTERN}
ZONE: Final[Schema] = {"type": "string", "pattern": ZONE_PATTERN}
PERSON: Final[Schema] = {"type": "string", "pattern": people.PERSON_PATTERN}
