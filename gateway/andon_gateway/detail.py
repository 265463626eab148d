"""Texts with values in them: `oil at {oil:.0f} °C`. Pure."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from string import Formatter
from typing import Final

from andon_gateway.conditions import Malformed, Value

MAX_CHARACTERS: Final = 1000  # of UTF-8 at most 4,000 bytes: the API takes 4,096
UNKNOWN: Final = "?"

# As the API takes texts: what cannot be seen is left out, and what has nothing else is none. So are joiners, which the
# API takes between some letters alone.
BREAKS: Final = "\t\n\r"
INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

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

    def of(self, values: Mapping[str, Value]) -> str | None:
        """Return the text with values: `?` for an unknown one, plain where its format does not fit. See `cleaned`."""
        parts = (
            literal + ("" if name is None else _formatted(values.get(name), spec or ""))
            for literal, name, spec, _ in Formatter().parse(self.text)
        )
        return cleaned("".join(parts))


def cleaned(text: str) -> str | None:
    """Return a text so that the API takes it; None: it has nothing that can be seen.

    A report that is refused for its text takes the state with it: PLCs fill texts up with NUL.
    """
    kept = (one for one in text if one in BREAKS or not unicodedata.category(one).startswith("C"))
    normalised = unicodedata.normalize("NFC", "".join(islice(kept, MAX_CHARACTERS)))[:MAX_CHARACTERS]
    return normalised if INVISIBLE.sub("", normalised).strip() else None


def _formatted(value: Value, spec: str) -> str:
    if value is None:
        return UNKNOWN
    try:
        return format(value, spec)
    except (ValueError, OverflowError):
        return str(value)
