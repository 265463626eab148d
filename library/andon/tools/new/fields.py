"""Fields that a new service has beside its place: wherever the template says the place, it says them, too."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from andon.tools.new.edits import place_of, with_imports
from andon.tools.new.errors import NotNew
from andon.tools.new.words import Name
from andon.versions.optimistic_lock import VersionedRow

LIKE: Final = "place"
"""The field of the template."""

OWN: Final = frozenset(
    {LIKE, "body", "command", "discriminator", "id", "if_match", "ttl", *VersionedRow.__annotations__}
)
"""Names of fields and parameters that each service has, beside those of a version."""

DATE: Final[Mapping[str, str]] = {
    "Line": "Time",
    '"north"': '"2026-01-31T00:00:00.000Z"',
    '"south"': '"2026-02-28T00:00:00.000Z"',
    '" "': '"2026-01-31T00:00:00.000Z"',
}
NUMBER: Final[Mapping[str, str]] = {"Line": "Word", '"north"': '"A-7"', '"south"': '"A-8"', '" "': '"A-7"'}


class Field(NamedTuple):
    """A field, and what is said of it instead of what is said of the place: its type, its examples."""

    name: str
    instead: Mapping[str, str]

    def added(self, text: str) -> str:
        """Return a file that says it behind each place: in dictionaries, classes, parameters and arguments."""
        ends = {end: f"{separator}{self._of(text[start:end])}" for start, end, separator in _said(text)}
        for end in sorted(ends, reverse=True):
            text = f"{text[:end]}{ends[end]}{text[end:]}"
        kind = self.instead["Line"]
        return with_imports(text, [f"from andon.http.fields import {kind}"]) if f": {kind} =" in text else text

    def _of(self, said: str) -> str:
        for old, new in self.instead.items():
            said = said.replace(old, new)
        return re.sub(rf"\b{LIKE}\b", self.name, said)


def require_fields(names: Sequence[str], *, of: Name) -> None:
    """Check names of fields of a new service.

    Raises:
        NotNew: one is there twice, or each service has it already.

    """
    for number, name in enumerate(names):
        if name in OWN | {*VersionedRow.__annotations__, of.one, f"{of.one}_id", *names[:number]}:
            raise NotNew(f"{name!r} is taken: choose a name that {of.many} has not yet")


def _said(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a file says the place, and what separates it from what stands beside it."""
    for node in ast.walk(ast.parse(text)):
        for first, last, separator in _in(node):
            yield place_of(text, first)[0], place_of(text, last)[1], separator


def _in(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt | ast.arg, ast.expr | ast.stmt | ast.arg, str]]:
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and key.value == LIKE:
                    yield key, value, ", "
        case ast.ClassDef(body=body):
            for one in body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == LIKE:
                    yield one, one, "\n    "
        case ast.arguments(args=args):
            yield from ((one, one, ", ") for one in args if one.arg == LIKE)
        case ast.Call(args=arguments):
            found = (one for one in arguments if isinstance(one, ast.Attribute) and one.attr == LIKE)
            yield from ((one, one, ", ") for one in found)
