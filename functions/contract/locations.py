"""Where equipment stands: a company, and within it a hierarchy from the country down to the neighbourhood."""

from collections.abc import Mapping

from patterns.dynamodb.keys import sort_key, within_limit

LEVELS = ("country", "region", "state", "county", "city", "neighborhood")
MAX_PART_CHARACTERS = 128


def part(text: str) -> str:
    """Give `text` back if it can be a part of a location: no `#`, which separates keys, no `/`, which separates paths.

    Raises:
        ValueError: it cannot.

    """
    if not 1 <= len(text) <= MAX_PART_CHARACTERS or not text.isprintable() or "/" in text or "#" in text:
        raise ValueError(f"must be 1 to {MAX_PART_CHARACTERS} printable characters without # and /")
    return text


def board_sort_key(location: Mapping[str, str], equipment_id: str) -> str:
    """Compose the key by which equipment is found by location: `country#region#state#county#city#neighborhood#id`.

    Raises:
        ValueError: the whole is over 1,024 UTF-8 bytes.

    """
    levels = sort_key(*(location[level] for level in LEVELS))
    # The id stands last and may have a `#` in it: nothing is taken apart behind the levels.
    return within_limit(f"{levels}#{equipment_id}")
