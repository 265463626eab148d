r"""Hostile values that no generator finds by itself, as tables: `(kind, values, wanted)`.

Wrong types, lengths, patterns, enums, missing and unknown members and parameters come from schemathesis, here and in
`tests/test_openapi.py`. It does not know `\p{C}` of patterns, and it sends neither huge or deep bodies nor broken JSON,
encodings and spellings.
"""

import codecs
import gzip
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from typing import Any, Final, NamedTuple

from lab.attack.operations import Operation, Raw, RawRequest, RequestSlot, Schema, as_json, example, is_name


class RequiredAnswer(Enum):
    """The duty of the API, beside an answer as documented."""

    ANYTHING = "anything"
    REFUSED = "refused"
    NOT_AS_IT_IS = "not kept as it is"


class HostileValues(NamedTuple):
    """Values that have one thing wrong with them, or what makes whole requests that do."""

    name: str
    values: Iterable[Any]
    wanted: RequiredAnswer = RequiredAnswer.ANYTHING


REFUSED, NOT_AS_IT_IS = RequiredAnswer.REFUSED, RequiredAnswer.NOT_AS_IT_IS


def _around(characters: str) -> tuple[str, ...]:
    return tuple(text for one in characters for text in (f"a{one}b", one, f"ab{one}"))


MANY: Final = 100_000  # integers, in 200 KB
DEPTHS: Final = 33, 250, 5_000, 100_000
LONG: Final = 400_000, 600_000, 2_000_000

TEXTS: Final = (
    HostileValues("control characters", _around("\x00\x07\x1b\x7f\x85"), REFUSED),
    HostileValues("invisible characters", _around("\u200b\u202e\u2060\ufeff\u00ad"), REFUSED),
    HostileValues("non-characters", _around("\ufffe\uffff\U0001fffe\ufdd0"), REFUSED),
    HostileValues("nothing but blanks", (" ", "   ", "\u00a0", "\u3000"), REFUSED),
    HostileValues(
        "an injection", ("' OR 1=1 --", "${jndi:ldap://x}", "{{7*7}}", "<script>alert(1)</script>", "$(id)", "\\")
    ),
)
IDENTIFIERS: Final = (
    HostileValues("nothing but dots", (".", ".."), REFUSED),
    HostileValues("what shows nothing", _around("\u034f\ufe0f\U000e0100\u17b4\u180b\u3164\u2800\u115f\uffa0"), REFUSED),
    HostileValues("an accent of its own", ("cafe\u0301",), NOT_AS_IT_IS),
    HostileValues("a space at its end", (" a", "a "), NOT_AS_IT_IS),
    HostileValues("a slash", ("a/b", "/", "../a"), REFUSED),
)
NO_NUMBERS: Final = HostileValues("a number that is none", (float("nan"), float("inf"), 10**400, -0.0), REFUSED)
SURROGATES: Final = HostileValues("lone surrogates", ("a\ud800b",))
INTEGERS: Final = HostileValues("an integer of another spelling", (
    "1.0", "1e3", "+1", "-0", "0x10", " 1", "٣", "1_000", "NaN", "9" * 40, "9" * 5000,
))  # fmt: skip
ESCAPES: Final = HostileValues("a bad escape", tuple(map(Raw, (
    "%", "%zz", "%FF", "%C0%80", "%ED%A0%80", "%00", "a%2Fb", "%2e%2e", "a%3Fb%23", "a;b=c",
))))  # fmt: skip
IN_PATHS: Final = HostileValues("an identifier with ? or %", ("a?b", "a%b", "a%20b"), REFUSED)
CURSORS: Final = HostileValues("a cursor that is none", (
    "x", "e30", "bnVsbA", "W10", "W3t9LCIiXQ", "W3sia2V5IjoiLi4vLi4ifSwiMCJd", "====", "A" * 4097,
), REFUSED)  # fmt: skip
TIMES: Final = HostileValues("a time at an edge", (
    "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "1970-01-01T00:00:00Z", "2016-12-31T23:59:60Z",
    "2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:35:00+24:00", "2286-11-20T17:46:39.999Z",
    "2286-11-20T17:46:40Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-14:00", "+292278994-08-17T07:12:55Z",
    "2026-11-21T09:35:00." + "9" * 40 + "Z", "\u0662\u0660\u0662\u0666-11-21T09:35:00Z", "2026-11-21T09:35:00Z\n",
    "9999999999999", "now", "",
))  # fmt: skip
TAGS: Final = (
    '"999999999"', '"1000000000"', '"999999999999999"', '"1000000000000000"', '"0"', '"1"', '"-1"', '"1.0"', '"01"',
    'W/"1"', '"1", "2"', "*", "1", '"', '""', "", " ", '"\uff11"', '"' + "9" * 5000 + '"', "\t",
)  # fmt: skip
CONTENT_TYPES: Final = (
    "application/JSON", "APPLICATION/JSON", "application/json;charset=utf-8", "application/json; charset=UTF-16",
    "application/json;", "application/json , text/plain", "application/problem+json", "application/merge-patch+json",
    "text/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "*/*", "", "é",
    None,
)  # fmt: skip
HEADERS: Final = (
    ("accept", "text/html"), ("x-http-method-override", "DELETE"), ("x-request-id", "mine"), ("expect", "x"),
    ("content-encoding", "gzip"), ("x-forwarded-host", "elsewhere.example"), ("te", "x"), ("range", "bytes=0-1"),
    ("origin", "https://elsewhere.example"), ("x-amzn-trace-id", "\x7f"), ("cookie", "a=" + "b" * 4_000),
)  # fmt: skip
LONG_PARAMETER: Final = "9" * 8_000


def values_for(slot: RequestSlot) -> Iterator[HostileValues]:
    """Yield what may be sent in a place: as JSON, or as the text of a parameter."""
    schema, in_body = slot.schema, slot.where == "body"
    if slot.where == "header":
        yield HostileValues(f"{slot.name} at an edge", TAGS)
        return
    if slot.name == "cursor":
        yield CURSORS
        return
    yield from _of_schema(schema)
    if in_body:
        yield NO_NUMBERS
    if schema.get("type") == "string" or not in_body:  # a parameter's the gateway reads as it likes
        yield SURROGATES._replace(wanted=REFUSED if in_body else SURROGATES.wanted)
    if schema.get("type") == "array":
        yield HostileValues("a member of many integers", ([1] * MANY,), REFUSED)
    if schema.get("type") == "integer" and not in_body:
        yield INTEGERS
    if slot.where == "path":
        yield from (ESCAPES, IN_PATHS) if is_name(schema) else (ESCAPES,)


def _of_schema(schema: Schema) -> Iterator[HostileValues]:
    if any(name in str(schema.get("format", schema.get("anyOf", ""))) for name in ("date", "time")):
        yield TIMES
        return
    text = next((one for one in schema.get("anyOf", ()) if one.get("type") == "string"), schema)
    if text.get("type") != "string":
        return
    what = "an identifier" if is_name(text) else "a text" if "pattern" not in text or "maxLength" in text else "a word"
    for kind in (*TEXTS, *(IDENTIFIERS if is_name(text) else ())):
        yield kind._replace(name=f"{what} with {kind.name}")
    if most := text.get("maxLength"):  # the longest in characters need not be the longest in bytes
        yield HostileValues(f"{what} of the greatest length", tuple(one * most for one in "é漢😀"))


def requests_to(operation: Operation) -> Iterator[HostileValues]:
    """Yield what makes whole requests."""
    good, content = operation.request(), operation.content()
    yield HostileValues("a header of no interest", [partial(good.with_header, *header) for header in HEADERS])
    for parameter in operation.of("query"):
        yield from _with_query(good, parameter.name, str(example(parameter.schema)))
    if content is None:
        bodies = (b"{}", b"x", b"\xff")
        yield HostileValues("a body where none is wanted", [partial(good.having, body) for body in bodies])
        return
    types = [partial(good.with_header, "content-type", one) for one in CONTENT_TYPES]
    yield HostileValues("another content type, or none", types)
    for kind in _bodies(content):
        yield kind._replace(values=[partial(_with_body, good, body) for body in kind.values])


def _with_body(good: RawRequest, body: Callable[[], bytes] | bytes | None) -> RawRequest:
    return good.having(body() if callable(body) else body)


def _with_query(good: RawRequest, name: str, value: str) -> Iterator[HostileValues]:
    twice = ([(name, value)] * 2, [(name, value), (name, "2")], [(name, "2")] * 50)
    yield HostileValues("a parameter more than once", [partial(good.asking, pairs) for pairs in twice])
    spelled = (name, f"{name}=", f"{name}[]={value}", f"{name}={value};{name}={value}", f"&&{name}={value}&=")
    yield HostileValues("a query of another spelling", [partial(good.asking, query) for query in spelled])
    yield HostileValues("a long parameter", [partial(good.asking, [(name, LONG_PARAMETER)])], REFUSED)


def _bodies(good: Any) -> Iterator[HostileValues]:  # noqa: ANN401  any JSON
    """Yield bytes in the place of a body, or what makes them: of these many are long."""
    sent = as_json(good)
    broken = (
        sent[:-1], sent + sent, sent + b"x", b"{", b"[", b"\x00", b"'a'", b"{a: 1}", b"// x\n" + sent, b"", b" ", None,
        sent.decode().encode("utf-16"), codecs.BOM_UTF16_LE, b"\xff\xfe\xfd", b"\xc0\x80", b'{"a":"\xed\xa0\x80"}',
        gzip.compress(sent, mtime=0),
    )  # fmt: skip
    deep = [partial(one, d) for d in DEPTHS for one in (_nested_arrays, _nested_objects)]
    yield HostileValues("a body that is no JSON", broken, REFUSED)
    yield HostileValues("a body with a byte order mark", (codecs.BOM_UTF8 + sent,))
    yield HostileValues("a deep body", deep, REFUSED)
    yield HostileValues("a long body", [partial(_long_text, length) for length in LONG], REFUSED)
    yield HostileValues("an array of many integers", (partial(as_json, [1] * MANY),), REFUSED)
    if isinstance(good, dict):
        first = next(iter(good), "x")
        names = ("__proto__", "", "a" * 5_000, "\ufffe", "\ud800", "$ref")
        odd = [partial(as_json, {**good, name: 1}) for name in names]
        yield HostileValues("a key twice", (as_json({first: 0, **good})[:-1] + f',"{first}":0}}'.encode(),))
        yield HostileValues("an odd unknown member", (*odd, partial(_with_many_members, good)), REFUSED)


def _nested_arrays(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def _nested_objects(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


def _long_text(length: int) -> bytes:
    return as_json("x" * length)


def _with_many_members(good: dict[str, Any]) -> bytes:
    return as_json({**good, **dict.fromkeys(map(str, range(30_000)), 1)})
