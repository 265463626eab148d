"""Hostile bodies: what is no JSON, or JSON that no parser likes."""

import codecs
import gzip
import json
from collections.abc import Iterator
from typing import Any, Final

from bench.attack import examples, hostile
from bench.attack.hostile import Hostile, Wanted
from bench.attack.operations import Schema, members

DEPTHS: Final = 33, 250, 5_000, 100_000
MANY: Final = 100_000  # integers, in 200 KB
OF_ANOTHER_TYPE: Final[tuple[Any, ...]] = None, True, 1, "x", []
LONG: Final = 400_000, 600_000, 2_000_000


def of(schema: Schema) -> Iterator[Hostile]:
    """List bodies, as bytes, in the place of one that fits `schema`."""
    good = examples.value(schema)
    yield from _no_json(good)
    yield from _odd_json(good)
    yield from (Hostile(one.kind, _bytes(one.value), one.wanted) for one in _members(schema, good))
    yield from (Hostile("a body of another type", _bytes(one), Wanted.REFUSED) for one in OF_ANOTHER_TYPE)
    yield Hostile("an array of many integers", _bytes([1] * MANY), Wanted.REFUSED)


def _no_json(good: Any) -> Iterator[Hostile]:  # noqa: ANN401
    sent = _bytes(good)
    broken = (
        sent[:-1], sent + sent, sent + b"x", b"{", b"[", b"\x00", b"'a'", b"{a: 1}", b"// x\n" + sent, b"", b" ",
        sent.decode().encode("utf-16"), codecs.BOM_UTF16_LE, b"\xff\xfe\xfd", b"\xc0\x80", b'{"a":"\xed\xa0\x80"}',
        gzip.compress(sent, mtime=0),
    )  # fmt: skip
    yield from (Hostile("a body that is no JSON", one, Wanted.REFUSED) for one in broken)
    yield Hostile("a body with a byte order mark", codecs.BOM_UTF8 + sent)


def _odd_json(good: Any) -> Iterator[Hostile]:  # noqa: ANN401
    for depth in DEPTHS:
        yield Hostile("a deep body", b"[" * depth + b"]" * depth, Wanted.REFUSED)
        yield Hostile("a deep body", b'{"a":' * depth + b"1" + b"}" * depth, Wanted.REFUSED)
    yield from (Hostile("a long body", _bytes("x" * length), Wanted.REFUSED) for length in LONG)
    if isinstance(good, dict):
        inner = _bytes(good)[1:-1]
        first = next(iter(good))
        yield Hostile("a key twice", b"{" + inner + b',"' + first.encode() + b'":0}')
        names = ("unknown", "__proto__", "constructor", "", "a" * 5_000, "\ufffe", "\ud800", "eem", "$ref")
        for name in names:
            yield Hostile("an unknown member", _bytes({**good, name: 1}), Wanted.REFUSED)
        yield Hostile(
            "many unknown members", _bytes({**good, **dict.fromkeys(map(str, range(30_000)), 1)}), Wanted.REFUSED
        )


def _members(schema: Schema, good: Any) -> Iterator[Hostile]:  # noqa: ANN401
    for place, member in members(schema):
        if not _is_there(good, place[:-1]):
            continue
        for one in hostile.values(member):
            yield one._replace(value=examples.put(good, place, one.value))
        yield from (
            Hostile("a member of another type", examples.put(good, place, one), Wanted.REFUSED)
            for one in hostile.MISTYPED
            if type(one) is not type(examples.value(member)) and not (one is None and "anyOf" in member)
        )
        for number in (float("nan"), float("inf"), 10**400, -0.0):
            yield Hostile("a number that is none", examples.put(good, place, number), Wanted.REFUSED)
        if member.get("type") == "array":
            yield Hostile("a member of many integers", examples.put(good, place, [1] * MANY), Wanted.REFUSED)
            yield Hostile("an array with one element twice", examples.put(good, place, examples.value(member) * 2))
    if isinstance(good, dict):
        for left_out in schema.get("required", ()):
            rest = {name: one for name, one in good.items() if name != left_out}
            yield Hostile("a body without a member", rest, Wanted.REFUSED)


def _is_there(good: Any, place: tuple[str | int, ...]) -> bool:  # noqa: ANN401
    try:
        for name in place:
            good = good[name]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _bytes(content: Any) -> bytes:  # noqa: ANN401
    return json.dumps(content, separators=(",", ":")).encode()
