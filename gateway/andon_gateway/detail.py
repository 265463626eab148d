"""Texts with values in them: `oil at {oil:.0f} °C`. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Final

from andon_gateway.conditions import Malformed, Value

MAX_CHARACTERS: Final = 1000  # of UTF-8 at most 4,000 bytes: the API takes 4,096
UNKNOWN: Final = "?"
FORMAT: Final = re.compile(r"[<>^]?[+ -]?0?\d{0,2},?(?:\.\d{1,2})?[a-zA-Z%]?")


@dataclass(frozen=True, slots=True)
class Detail:
    """A text that was checked; make it by `parse`."""

    text: str

    @classmethod
    def parse(cls, text: str, names: Collection[str]) -> "Detail":
        """Return a text with values of some names.

        Raises:
            Malformed: a brace is alone, a name is not among `names`, or a format is none of a number's.

        """
        try:
            fields = [(name, spec or "", conversion) for _, name, spec, conversion in Formatter().parse(text)]
        except ValueError as error:
            raise Malformed(f"{text!r}: {error}") from error
        for name, spec, conversion in fields:
            if name is not None and (name not in names or conversion or not FORMAT.fullmatch(spec)):
                raise Malformed(f"not allowed in a text: {{{name}{':' if spec else ''}{spec}}}")
        return cls(text)

    def of(self, values: Mapping[str, Value]) -> str:
        """Return the text with values; what is unknown is `?`, what has no such format is as it is."""
        parts = (
            literal + ("" if name is None else _formatted(values.get(name), spec or ""))
            for literal, name, spec, _ in Formatter().parse(self.text)
        )
        return "".join(parts)[:MAX_CHARACTERS]


def _formatted(value: Value, spec: str) -> str:
    if value is None:
        return UNKNOWN
    try:
        return format(value, spec)
    except (ValueError, OverflowError):
        return str(value)
