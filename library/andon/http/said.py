"""Members of bodies that several packages declare, with inert marks: validators are loaded at their first call.

Listeners load declarations; the tables of Unicode and the expressions of `texts` are for commands.
"""

# ruff: noqa: PLC0415  see above

from collections.abc import Sequence
from typing import Final

from andon.runtime import times
from andon.runtime.marks import Annotated, Bounds, Says, Takes

MAX_TEXT_CHARACTERS: Final = 1000

# A row of DynamoDB has 400 KB; its event has it up to three times, as entity, new image and old image, and an entry of
# the bus has a million bytes, see `andon.events.bus_entry`.
LARGEST_ROW_BYTES: Final = 256 * 1024


def part(text: str) -> str:
    """See `texts.part`."""
    from andon.runtime import texts

    return texts.part(text)


def identifier(text: str) -> str:
    """See `texts.identifier`."""
    from andon.runtime import texts

    return texts.identifier(text)


def word(text: str) -> str:
    """See `texts.word`."""
    from andon.runtime import texts

    return texts.word(text)


def person_id(text: str) -> str:
    """Return a text if it can be the id of a person, by `Project.people`.

    Raises:
        ValueError: it cannot, as a name cannot.

    """
    import re

    from andon.project import project

    people = project().people
    if people is None or not re.fullmatch(people.pattern, text, re.ASCII):
        raise ValueError("must be the id of a person, such as p-1001 or a UUID, and no name")
    return text


def person_schema() -> dict[str, str]:
    """Return the schema of the id of a person."""
    from andon.project import project

    people = project().people
    return {"type": "string", "pattern": people.pattern if people else ""}


UNIQUE: Final = {"uniqueItems": True}


def different(values: Sequence[str]) -> Sequence[str]:
    """Return a list without doubles; UNIQUE is the same in JSON Schema.

    Raises:
        ValueError: one is there twice.

    """
    if len({*values}) < len(values):
        raise ValueError("must name each of them once")
    return values


def fits_row(said: object) -> None:
    """Check that a body becomes no larger row than it and its event may be, see `marks.checked`.

    Raises:
        ValueError: it has lists or texts by which it would.

    """
    from andon.runtime import strict_json

    size = len(strict_json.dumps(said).encode())
    if size > LARGEST_ROW_BYTES:
        raise ValueError(f"must be at most {LARGEST_ROW_BYTES} bytes, not {size}")


class OneLine:
    """See `texts.line`; longest: in characters."""

    __slots__ = ("longest",)

    def __init__(self, longest: int = MAX_TEXT_CHARACTERS) -> None:
        self.longest = longest

    def __call__(self, text: str) -> str:
        """Return a line."""
        from andon.runtime import texts

        return texts.line(text, longest=self.longest)


class SomeLines(OneLine):
    """See `texts.lines`."""

    __slots__ = ()

    def __call__(self, text: str) -> str:
        """Return lines."""
        from andon.runtime import texts

        return texts.lines(text, longest=self.longest)


Part = Annotated[str, Takes(part)]
Id = Annotated[str, Takes(identifier)]
Word = Annotated[str, Takes(word)]
Line = Annotated[str, Takes(OneLine())]
Lines = Annotated[str, Takes(SomeLines()), Says(personal="possible")]
Time = Annotated[str, Takes(times.said)]
First = Annotated[str, Takes(times.first_of), Says("2026-11-21")]
"""A time, or the beginning of a day (UTC)."""
Last = Annotated[str, Takes(times.last_of), Says("2026-11-21")]
"""A time, or the end of a day."""
Number = Annotated[int, Bounds(1, 999_999_999), Says(1)]
PersonId = Annotated[str, Takes(person_id, person_schema), Says("p-1001", "no")]
"""The id of a person, by `Project.people`: rows, events and paths have it in the place of a name."""
