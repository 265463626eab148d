"""Fields of a new service: one in the place of the template's own, and others wherever that one is said."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self

from andon.tools.new.edits import place_of, with_imports
from andon.tools.new.errors import NotNew
from andon.tools.new.words import Name
from andon.versions.optimistic_lock import VersionedRow

OWN: Final = frozenset({"body", "command", "discriminator", "id", "if_match", "ttl", *VersionedRow.__annotations__})
"""Names of fields and parameters that each service has."""

DATE: Final[Mapping[str, str]] = {
    "Line": "Time",
    '"north"': '"2026-01-31T00:00:00.000Z"',
    '"south"': '"2026-02-28T00:00:00.000Z"',
    '" "': '"2026-01-31T00:00:00.000Z"',
}
NUMBER: Final[Mapping[str, str]] = {"Line": "Word", '"north"': '"A-7"', '"south"': '"A-8"', '" "': '"A-7"'}


class Fields(NamedTuple):
    """Names of fields: the first one, in place of `place`; one that no two have the same; and times."""

    first: Name
    unique: Name | None
    dates: tuple[Name, ...]

    @classmethod
    def of(cls, first: str, unique: str | None, dates: Sequence[str], *, service: Name) -> Self:
        """Return the fields that somebody typed.

        Raises:
            NotNew: one cannot be a name, is there twice, or each service has it already.

        """
        found = cls(Name.only(first), None if unique is None else Name.only(unique), tuple(map(Name.only, dates)))
        names = [one.one for one in (found.first, found.unique, *found.dates) if one is not None]
        for number, name in enumerate(names):
            if name in OWN | {service.one, f"{service.one}_id", *names[:number]}:
                raise NotNew(f"{name!r} is taken: choose a name that {service.many} has not yet")
        return found

    def beside_first(self, text: str) -> str:
        """Return a file that says all of them wherever it says the first."""
        text = self.dates_beside_first(text)
        return text if self.unique is None else self._beside(text, self.unique, NUMBER)

    def dates_beside_first(self, text: str) -> str:
        """Return a file that says the times wherever it says the first."""
        for date in reversed(self.dates):
            text = self._beside(text, date, DATE)
        return text

    def _beside(self, text: str, field: Name, instead: Mapping[str, str]) -> str:
        """Return a file that says a field more; instead: what is said of it, and not of the first."""
        ends = dict[int, str]()
        for start, end, separator in _said(text, self.first.one):
            said = text[start:end]
            for old, new in instead.items():
                said = said.replace(old, new)
            ends[end] = separator + re.sub(rf"\b{self.first.one}\b", field.one, said)
        for end in sorted(ends, reverse=True):
            text = f"{text[:end]}{ends[end]}{text[end:]}"
        kind = instead["Line"]
        return with_imports(text, [f"from andon.http.said import {kind}"]) if f"Annotated[{kind}," in text else text


def _said(text: str, name: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a file says a field, and what separates it from what stands beside it."""
    for node in ast.walk(ast.parse(text)):
        for first, last, separator in _in(node, name):
            yield place_of(text, first)[0], place_of(text, last)[1], separator


def _in(node: ast.AST, name: str) -> Iterator[tuple[ast.expr | ast.stmt | ast.arg, ast.expr | ast.stmt | ast.arg, str]]:
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    yield key, value, ", "
        case ast.ClassDef(body=body):
            for one in body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == name:
                    yield one, one, "\n    "
        case ast.arguments(args=args):
            yield from ((one, one, ", ") for one in args if one.arg == name)
        case ast.Call(args=arguments):
            found = (one for one in arguments if isinstance(one, ast.Attribute) and one.attr == name)
            yield from ((one, one, ", ") for one in found)
