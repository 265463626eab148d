r"""Hostile values that no generator finds by itself, as tables: `(kind, values, wanted)`.

Wrong types, lengths, missing and unknown members come from schemathesis. It does not know `\p{C}` of patterns, and it
sends neither huge or deep bodies nor broken JSON, encodings and spellings.
"""

import codecs
import gzip
import json
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, Final, NamedTuple

from bench.attack.operations import Schema, is_name


class Wanted(Enum):
    """The duty of the API, beside an answer as documented."""

    ANYTHING = "anything"
    REFUSED = "refused"
    NOT_AS_IT_IS = "not kept as it is"


class Kind(NamedTuple):
    """Values that have one thing wrong with them."""

    name: str
    values: Iterable[Any]
    wanted: Wanted = Wanted.ANYTHING


def _around(characters: str) -> tuple[str, ...]:
    return tuple(text for one in characters for text in (f"a{one}b", one, f"ab{one}"))


CONTROL: Final = "\x00\x07\x1b\x7f\x85"
INVISIBLE: Final = "\u200b\u202e\u2060\ufeff\u00ad"
NO_CHARACTER: Final = "\ufffe\uffff\U0001fffe\ufdd0"
LARGE: Final = (float("nan"), float("inf"), 10**400, -0.0)
MANY: Final = 100_000  # integers, in 200 KB
DEPTHS: Final = 33, 250, 5_000, 100_000
LONG: Final = 400_000, 600_000, 2_000_000

TEXTS: Final = (
    Kind("control characters", _around(CONTROL), Wanted.REFUSED),
    Kind("invisible characters", _around(INVISIBLE), Wanted.REFUSED),
    Kind("non-characters", _around(NO_CHARACTER), Wanted.REFUSED),
    Kind("nothing but blanks", (" ", "   ", "\u00a0", "\u3000"), Wanted.REFUSED),
    Kind("an injection", ("' OR 1=1 --", "${jndi:ldap://x}", "{{7*7}}", "<script>alert(1)</script>", "$(id)", "\\")),
)
SURROGATES: Final = ("a\ud800b",)
IDENTIFIERS: Final = (
    Kind("nothing but dots", (".", ".."), Wanted.REFUSED),
    Kind("an accent of its own", ("cafe\u0301",), Wanted.NOT_AS_IT_IS),
    Kind("a space at its end", (" a", "a "), Wanted.NOT_AS_IT_IS),
    Kind("a slash", ("a/b", "/", "../a"), Wanted.REFUSED),
)
IN_PATHS: Final = Kind("? or %", ("a?b", "a%b", "a%20b"), Wanted.REFUSED)
BAD_ESCAPES: Final = "%", "%zz", "%FF", "%C0%80", "%ED%A0%80", "%00", "a%2Fb", "%2e%2e", "a%3Fb%23", "a;b=c"
WORDS: Final = "normal", "A" * 129, "ERROR\n", "É", "*", "A*B", "#a"
INTEGERS: Final = "1.0", "1e3", "+1", "-0", "0x10", " 1", "٣", "1_000", "NaN", "9" * 40, "9" * 5000
TIMES: Final = (
    "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "1970-01-01T00:00:00Z", "2016-12-31T23:59:60Z",
    "2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:35:00+24:00", "2286-11-20T17:46:39.999Z",
    "2286-11-20T17:46:40Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-14:00", "+292278994-08-17T07:12:55Z",
    "2026-11-21T09:35:00." + "9" * 40 + "Z", "\u0662\u0660\u0662\u0666-11-21T09:35:00Z", "2026-11-21T09:35:00Z\n",
    "9999999999999", "now", "",
)  # fmt: skip
TAGS: Final = (
    '"999999999"', '"1000000000"', '"999999999999999"', '"1000000000000000"', '"0"', '"1"', '"-1"', '"1.0"', '"01"',
    'W/"1"', '"1", "2"', "*", "1", '"', '""', "", " ", '"\uff11"', '"' + "9" * 5000 + '"', "\t",
)  # fmt: skip
CONTENT_TYPES: Final = (
    "application/JSON", "APPLICATION/JSON", "application/json;charset=utf-8", "application/json; charset=UTF-16",
    "application/json;", "application/json , text/plain", "application/problem+json", "application/merge-patch+json",
    "text/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "*/*", "", "é",
)  # fmt: skip
CURSORS: Final = "x", "e30", "bnVsbA", "W10", "W3t9LCIiXQ", "W3sia2V5IjoiLi4vLi4ifSwiMCJd", "====", "A" * 4097
HEADERS: Final = (
    ("accept", "text/html"), ("x-http-method-override", "DELETE"), ("x-request-id", "mine"), ("expect", "x"),
    ("content-encoding", "gzip"), ("x-forwarded-host", "elsewhere.example"), ("te", "x"), ("range", "bytes=0-1"),
    ("origin", "https://elsewhere.example"), ("x-amzn-trace-id", "\x7f"), ("cookie", "a=" + "b" * 4_000),
)  # fmt: skip


def kinds_for(schema: Schema) -> Iterator[Kind]:
    """Yield what may be sent in the place of a value of `schema`: as JSON, or as the text of a parameter."""
    if any(name in str(schema.get("format", schema.get("anyOf", ""))) for name in ("date", "time")):
        yield Kind("a time at an edge", TIMES)
        return
    text = next((one for one in schema.get("anyOf", ()) if one.get("type") == "string"), schema)
    if text.get("type") != "string":
        return
    what = "an identifier" if is_name(text) else "a text" if "pattern" not in text or "maxLength" in text else "a word"
    for kind in (*TEXTS, *(IDENTIFIERS if is_name(text) else ())):
        yield kind._replace(name=f"{what} with {kind.name}")
    if most := text.get("maxLength"):  # the longest in characters need not be the longest in bytes
        yield Kind(f"{what} of the greatest length", tuple(one * most for one in "xé漢😀"))
        yield Kind(f"{what} that is too long", tuple(one * (most + 1) for one in "xé漢😀"), Wanted.REFUSED)
    elif "pattern" in text:
        yield Kind("a word of other characters", WORDS)


def bodies(good: Any) -> Iterator[Kind]:  # noqa: ANN401  any JSON
    """Yield bytes in the place of a body."""
    sent = as_json(good)
    broken = (
        sent[:-1], sent + sent, sent + b"x", b"{", b"[", b"\x00", b"'a'", b"{a: 1}", b"// x\n" + sent, b"", b" ",
        sent.decode().encode("utf-16"), codecs.BOM_UTF16_LE, b"\xff\xfe\xfd", b"\xc0\x80", b'{"a":"\xed\xa0\x80"}',
        gzip.compress(sent, mtime=0),
    )  # fmt: skip
    deep = [one for d in DEPTHS for one in (b"[" * d + b"]" * d, b'{"a":' * d + b"1" + b"}" * d)]
    yield Kind("a body that is no JSON", broken, Wanted.REFUSED)
    yield Kind("a body with a byte order mark", (codecs.BOM_UTF8 + sent,))
    yield Kind("a deep body", deep, Wanted.REFUSED)
    yield Kind("a long body", [as_json("x" * length) for length in LONG], Wanted.REFUSED)
    yield Kind("an array of many integers", (as_json([1] * MANY),), Wanted.REFUSED)
    if isinstance(good, dict):
        names = ("__proto__", "", "a" * 5_000, "\ufffe", "\ud800", "$ref")
        many = as_json({**good, **dict.fromkeys(map(str, range(30_000)), 1)})
        yield Kind("a key twice", (sent[:-1] + f',"{next(iter(good))}":0}}'.encode(),))
        unknown = [*(as_json({**good, name: 1}) for name in names), many]
        yield Kind("an odd unknown member", unknown, Wanted.REFUSED)


def as_json(content: Any) -> bytes:  # noqa: ANN401
    """Return a body as it is sent."""
    return json.dumps(content, separators=(",", ":")).encode()
