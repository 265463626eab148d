"""The language of DynamoDB's conditions, in texts: each comparison and each clause is a law of some design."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

IS_CONDITION: Final = re.compile(r"#[\w\ue000-\uf8ff]|attribute_")

# A formatted value of an f-string stands in the text as one private character, and comes back as it was.
_FIRST: Final = 0xE000
_VALUE: Final = re.compile(r"([\ue000-\uf8ff])")

_PAIRS: Final = (
    (" < ", " <= "),
    (" > ", " >= "),
    (" = ", " <> "),
    (" AND ", " OR "),
    ("attribute_exists", "attribute_not_exists"),
)
_SWAPPED: Final = (*_PAIRS, *((after, before) for before, after in _PAIRS), ("NOT ", ""))
_BETWEEN_CLAUSES: Final = re.compile(r" AND | OR ")


def changed(parts: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """Yield the parts of a text or an f-string anew for each change of a condition in it."""
    values = [part for part in parts if not isinstance(part, ast.Constant)]
    text = ""
    for part in parts:
        text += str(part.value) if isinstance(part, ast.Constant) else chr(_FIRST + values.index(part))
    if not IS_CONDITION.search(text):
        return
    for other in (*_swapped(text), *dict.fromkeys(_with_a_clause_less(text))):
        yield [
            values[ord(piece) - _FIRST] if _VALUE.match(piece) else ast.Constant(piece)
            for piece in _VALUE.split(other)
            if piece
        ]


def _swapped(text: str) -> Iterator[str]:
    for before, after in _SWAPPED:
        for found in re.finditer(before, text):
            yield text[: found.start()] + after + text[found.end() :]


def _with_a_clause_less(text: str) -> Iterator[str]:
    """Yield the text without the clause before, and without that after, each AND and OR, in parentheses or not."""
    for found in _BETWEEN_CLAUSES.finditer(text):
        yield text[: found.start() - _length(text[: found.start()], backwards=True)] + text[found.end() :]
        yield text[: found.start()] + text[found.end() + _length(text[found.end() :]) :]


def _length(text: str, *, backwards: bool = False) -> int:
    """Return the length of the clause that a text begins, or ends, with."""
    opening, closing, between = (")", "(", (" DNA ", " RO ")) if backwards else ("(", ")", (" AND ", " OR "))
    text, depth = text[::-1] if backwards else text, 0
    for at, character in enumerate(text):
        depth += {opening: 1, closing: -1}.get(character, 0)
        if depth < 0 or (not depth and text.startswith(between, at)):
            return at
    return len(text)
