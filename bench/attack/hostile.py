"""Hostile values for a schema, by kind: `(kind, value, wanted)`."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, NamedTuple

from bench.attack.operations import Schema


class Wanted(Enum):
    """What has to happen, beside an answer as documented."""

    ANYTHING = "anything"
    REFUSED = "refused"
    NOT_AS_IT_IS = "not kept as it is"


class Hostile(NamedTuple):
    """A value that nobody in their right mind sends."""

    kind: str
    value: Any
    wanted: Wanted = Wanted.ANYTHING


E_ACUTE: Final = "e\u0301"  # two characters that look like one

CONTROL: Final = "\x00", "\x07", "\x1b", "\x7f", "\x85"
INVISIBLE: Final = "\u200b", "\u202e", "\u2060", "\ufeff", "\u00ad"
NO_CHARACTER: Final = "\ufffe", "\uffff", "\U0001fffe", "\ufdd0"
BLANK: Final = " ", "   ", "\u00a0", "\u3000"
INJECTIONS: Final = "' OR 1=1 --", "${jndi:ldap://x}", "{{7*7}}", "<script>alert(1)</script>", "$(id)", "#a", "\\"

WORDS: Final = "normal", "A" * 33, "A" * 129, "ERROR\n", "É", "*", "1", "WARN**", "A*B", "_A"

MISTYPED: Final[tuple[Any, ...]] = None, True, 0, -1.5, "", [], {}, [[]], {"a": 1}
INTEGERS: Final = "", "abc", "1.0", "1e3", "+1", "-0", "0x10", " 1", "٣", "1_000", "NaN", "9" * 40, "9" * 5000
TIMES: Final = (
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "1970-01-01T00:00:00Z",
    "2016-12-31T23:59:60Z",
    "2026-02-30T00:00:00Z",
    "2026-11-21T24:00:00Z",
    "2026-11-21T09:35:00+24:00",
    "2286-11-20T17:46:39.999Z",
    "2286-11-20T17:46:40Z",
    "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59-14:00",
    "+292278994-08-17T07:12:55Z",
    "2026-11-21T09:35:00." + "9" * 40 + "Z",
    "\u0662\u0660\u0662\u0666-11-21T09:35:00Z",
    "2026-11-21T09:35:00Z\n",
    "9999999999999",
    "now",
    "",
)
TAGS: Final = (
    '"999999999"', '"1000000000"', '"999999999999999"', '"1000000000000000"', '"0"', '"1"', '"-1"', '"1.0"', '"01"',
    'W/"1"', '"1", "2"', "*", "1", '"', '""', "", " ", '"\uff11"', '"' + "9" * 5000 + '"', "\t",
)  # fmt: skip
TYPES: Final = (
    "application/JSON", "APPLICATION/JSON", "application/json;charset=utf-8", "application/json; charset=UTF-16",
    "application/json;", "application/json , text/plain", "application/problem+json", "application/merge-patch+json",
    "text/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "*/*", "", "é",
)  # fmt: skip
CURSORS: Final = (
    "x",
    "e30",
    "bnVsbA",
    "W10",
    "W3t9LCIiXQ",
    "W3sia2V5IjoiLi4vLi4ifSwiMCJd",
    "====",
    "A" * 4097,
    "A" * 6000,
)


def values(schema: Schema) -> Iterator[Hostile]:
    """List what may be sent in the place of a value of `schema`: as JSON, or as the text of a parameter."""
    if schema.get("type") == "integer":
        yield from _integers(schema)
    elif any(name in str(schema.get("format", schema.get("anyOf", ""))) for name in ("date", "time")):
        yield from (Hostile("a time at an edge", value) for value in TIMES)
    elif schema.get("type") == "string" or "anyOf" in schema:
        yield from _texts(_text_of(schema))


def _what(schema: Schema) -> str:
    """Name what is no identifier: a free text, a word of a small alphabet, or names one below the other."""
    if "pattern" not in schema or "maxLength" in schema:
        return "a text"
    return "a list of names" if r"\p" in schema["pattern"] else "a word"


def is_name(schema: Schema) -> bool:
    """Whether it is what something is named by, which may stand in a path."""
    return "maxLength" in schema and "/" in schema.get("pattern", "")


def _integers(schema: Schema) -> Iterator[Hostile]:
    least, most = int(schema["minimum"]), int(schema["maximum"])
    yield from (Hostile("an integer at its edge", value) for value in (least, most))
    beyond = (least - 1, most + 1, -most, 2**31, 2**53, 2**63, 10**18, 10**38, 10**400)
    yield from (Hostile("an integer beyond its edge", value, Wanted.REFUSED) for value in beyond)


def _text_of(schema: Schema) -> Schema:
    """Return the text among alternatives."""
    return next((one for one in schema.get("anyOf", ()) if one.get("type") == "string"), schema)


def _texts(schema: Schema) -> Iterator[Hostile]:
    is_identifier = is_name(schema)
    if "maxLength" in schema:
        most = schema["maxLength"]
        for one in ("x", "é", "漢", "😀"):
            yield Hostile("a text of the greatest length", one * most)
            yield Hostile("a text that is too long", one * (most + 1), Wanted.REFUSED)
    what = "an identifier" if is_identifier else _what(schema)
    refused = {"control characters": CONTROL, "invisible characters": INVISIBLE, "non-characters": NO_CHARACTER}
    for kind, characters in refused.items():
        for one in characters:
            for value in (f"a{one}b", one, f"ab{one}"):
                yield Hostile(f"{what} with {kind}", value, Wanted.REFUSED)
    yield Hostile(f"{what} with lone surrogates", "a\ud800b", Wanted.REFUSED)
    yield Hostile(f"{what} that is empty", "", Wanted.REFUSED if "minLength" in schema else Wanted.ANYTHING)
    yield from (Hostile(f"{what} that is blank", one, Wanted.REFUSED) for one in BLANK)
    if is_identifier:
        yield from (Hostile("an identifier that is . or ..", one, Wanted.REFUSED) for one in (".", ".."))
        yield Hostile("an identifier that is not normalised", f"caf{E_ACUTE}", Wanted.NOT_AS_IT_IS)
        yield from (Hostile("an identifier with spaces at its ends", one, Wanted.NOT_AS_IT_IS) for one in (" a", "a "))
        yield from (Hostile("an identifier with a slash", one, Wanted.REFUSED) for one in ("a/b", "/", "../a"))
    elif "pattern" in schema and r"\p" not in schema["pattern"]:  # `re` knows no properties of characters
        fits = re.compile(schema["pattern"].removesuffix("$") + r"\Z")
        others = (one for one in WORDS if not fits.match(one))
        yield from (Hostile("a word that does not fit its pattern", one, Wanted.REFUSED) for one in others)
    yield from (Hostile(f"{what} that is an injection", one) for one in INJECTIONS)
