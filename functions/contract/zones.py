"""Time zones: the clock on the wall of a place, by the rules that the layer pins (`tzdata`). Pure, once a zone is read.

Importing this costs nothing: the zones are looked up where one is asked for, and who knows none uses UTC.
"""

import re
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Final

UTC_NAME: Final = "UTC"
ZONE_PATTERN: Final = r"^[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}$"


@cache
def zone_of(name: str) -> tzinfo:
    """Return a time zone by its name in the IANA's database, as `America/Mexico_City`.

    Raises:
        ValueError: there is none of that name.

    """
    if name == UTC_NAME:
        return UTC
    if not re.fullmatch(ZONE_PATTERN, name, re.ASCII):
        raise ValueError("must be the name of a time zone, such as America/Mexico_City")
    # Of the layer's version, never the operating system's: two functions must not disagree about a night in March.
    from pathlib import Path  # noqa: PLC0415  who knows no zone needs none of these
    from zoneinfo import ZoneInfo  # noqa: PLC0415

    import tzdata  # type: ignore[import-untyped]  # noqa: PLC0415

    try:
        with Path(tzdata.__file__).with_name("zoneinfo").joinpath(*name.split("/")).open("rb") as file:
            return ZoneInfo.from_file(file, key=name)
    except (OSError, ValueError) as error:
        raise ValueError("must be the name of a time zone, such as America/Mexico_City") from error


def wall_time(at_ms: int, zone: str) -> datetime:
    """Return the local time, without an offset, of a time in epoch milliseconds."""
    return datetime.fromtimestamp(at_ms / 1000, zone_of(zone)).replace(tzinfo=None)
