"""Parts of JSON as they are written: nothing of them is read, so that no digit and no escape changes. Pure.

Slow beside a parser, and therefore for what is rare: a fault, a number that a parser would change.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

# A quotation mark that stands alone begins a text without an end.
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|["\[\]{},]', re.DOTALL)
_NAME: Final = re.compile(r'\s*("(?:[^"\\]++|\\.)*+")\s*:', re.DOTALL)
_SPACE: Final = " \t\r\n"

OPENING: Final = frozenset("[{")
_CLOSING: Final = frozenset("]}")


def members(text: str) -> dict[str, str]:
    """Return the members of an object, by name; of two with one name the last counts, as for a parser.

    Raises:
        ValueError: it is no object.

    """
    found = dict[str, str]()
    for part in _parts(text, "{"):
        name = _NAME.match(part)
        if name is None:
            raise ValueError("a member without a name")
        found[json.loads(name[1])] = part[name.end() :].strip(_SPACE)
    return found


def elements(text: str) -> list[str]:
    """Return the elements of an array.

    Raises:
        ValueError: it is no array.

    """
    return [part.strip(_SPACE) for part in _parts(text, "[")]


def _parts(text: str, opening: str) -> Iterator[str]:  # noqa: PLR0915  one walk over the tokens
    """Yield the texts between the commas of the outermost brackets; nothing, if they are empty."""
    inner = text.strip(_SPACE)
    if not inner.startswith(opening):
        raise ValueError(f"it does not begin with {opening}")
    depth, start = 0, 1
    for token in _TOKEN.finditer(inner):
        mark = token[0]
        if mark in OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        elif mark == '"':
            break
        if depth == 0:
            yield from _last(inner, start, token.end())
            return
        if mark == "," and depth == 1:
            yield inner[start : token.start()]
            start = token.end()
    raise ValueError("it has no end")


def _last(inner: str, start: int, end: int) -> Iterator[str]:
    """Yield the last part, which is none if there is nothing between the brackets."""
    if end != len(inner):
        raise ValueError("something stands behind it")
    if start > 1 or inner[start : end - 1].strip(_SPACE):
        yield inner[start : end - 1]
