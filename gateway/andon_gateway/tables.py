"""Tables of a TOML file, with members that are taken one by one: a mistake is reported with its place."""

import re
from typing import Any, Final

DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
UNITS_MS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}

MISSING: Final = object()


class BadConfiguration(Exception):
    """The configuration cannot be used; the text has the mistake and its place."""


class Table:
    """A table of the file, with members that are taken one by one; the rest are errors."""

    def __init__(self, members: object, place: str) -> None:
        if not isinstance(members, dict):
            raise BadConfiguration(f"{place}: should be a table")
        self._left = dict(members)
        self.place = place

    def take(self, name: str, kind: type, default: object = MISSING) -> Any:  # noqa: ANN401  of that kind
        """Return a member of a kind."""
        found = self._left.pop(name, default)
        if found is MISSING:
            raise BadConfiguration(f"{self.place}: {name} is missing")
        if found is not default and (not isinstance(found, kind) or (kind is int and isinstance(found, bool))):
            raise BadConfiguration(f"{self.place}.{name}: should be {kind.__name__}")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts that are not empty."""
        found = self.take(name, list, [])
        if not all(isinstance(one, str) and one for one in found):
            raise BadConfiguration(f"{self.place}.{name}: should be a list of texts")
        return tuple(found)

    def duration_ms(self, name: str, default: int | None = None) -> int | None:
        """Return a duration."""
        found = self.take(name, str, None)
        if found is None:
            return default
        parts = DURATION.fullmatch(found)
        if not parts:
            raise BadConfiguration(f"{self.place}.{name}: should be a duration, such as 250ms, 2s, 10m, 1h")
        return int(float(parts[1]) * UNITS_MS[parts[2]])

    def tables(self, name: str) -> list["Table"]:
        """Return a list of tables."""
        found = self.take(name, list, [])
        return [Table(one, f"{self.place}.{name}[{number}]".lstrip(".")) for number, one in enumerate(found)]

    def end(self) -> None:
        """Refuse the remaining members."""
        if self._left:
            raise BadConfiguration(f"{self.place or 'the file'}: nobody knows {', '.join(sorted(self._left))}")
