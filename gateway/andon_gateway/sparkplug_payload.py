"""Payloads of Sparkplug B: bytes -> metrics. Pure.

https://sparkplug.eclipse.org/specification/version/3.0/documents/sparkplug-specification-3.0.0.pdf, chapter 6. What a
conforming decoder skips is skipped; a data set, a template, an array and a file have the value None. Encoders of
proto3 leave out what is 0 or empty: https://protobuf.dev/programming-guides/field_presence
"""

import struct
from collections.abc import Mapping
from typing import Final, NamedTuple

from andon_gateway.conditions import Value
from andon_gateway.protobuf import MAX_UINT64, Field, Malformed, fields, integer, member

MAX_UINT32: Final = 2**32 - 1
COMPRESSED: Final = b"SPBV1.0_COMPRESSED"
REBIRTH: Final = b"Node Control/Rebirth"

# Numbers of fields.
PAYLOAD_TIME, PAYLOAD_METRIC, PAYLOAD_SEQ, PAYLOAD_UUID = 1, 2, 3, 4
NAME, ALIAS, TIME, DATATYPE, IS_HISTORICAL, IS_NULL, PROPERTIES = 1, 2, 3, 4, 5, 7, 9
PROPERTY_NAME, PROPERTY = 1, 2
# A value stands in one of some fields: of a metric from 10 on, of a property from 3 on, in the same order.
OF_METRIC, OF_PROPERTY = 10, 3
VALUES: Final = range(7)
UINT32, UINT64, FLOAT, DOUBLE, BOOL, TEXT = 0, 1, 2, 3, 4, 5

BITS: Final[Mapping[int, int]] = {1: 8, 2: 16, 3: 32, 4: 64, 5: 8, 6: 16, 7: 32, 8: 64, 13: 64}
SIGNED: Final = frozenset({1, 2, 3, 4})
KINDS: Final[Mapping[int, type]] = {9: float, 10: float, 11: bool, 12: str, 14: str, 15: str}
BOOLEAN: Final = 11

# The quality codes of OPC that say good; the specification names 192 alone of them.
GOOD: Final = range(192, 256)


class Metric(NamedTuple):
    """A metric as it was sent; value: as on the wire, where integers have no sign (`typed` gives it back).

    name: None where an alias stands for it, which may be a 0 that was left out. at_ms: epoch ms. is_good: False if its
    property `Quality` says so.
    """

    name: str | None = None
    alias: int | None = None
    at_ms: int | None = None
    datatype: int | None = None
    is_historical: bool = False
    is_good: bool = True
    value: Value = None


class Payload(NamedTuple):
    """A payload; at_ms: epoch ms; seq: 0 to 255, if it is well made; deaths of nodes have none, which is 0, too."""

    at_ms: int | None
    seq: int
    metrics: tuple[Metric, ...]


def decode(content: bytes) -> Payload:
    """Return the payload of a message.

    Raises:
        Malformed: it is none, or compressed.

    """
    found = list(fields(content))
    last = dict(found)
    if last.get(PAYLOAD_UUID) == COMPRESSED:
        raise Malformed("a compressed payload: switch compression off at the edge node")
    metrics = (_metric(one) for number, one in found if number == PAYLOAD_METRIC and isinstance(one, bytes))
    return Payload(_integer(last.get(PAYLOAD_TIME)), _integer(last.get(PAYLOAD_SEQ)) or 0, tuple(metrics))


def typed(value: Value, datatype: int | None) -> Value:
    """Return a value of the wire as its datatype means it; None: it is none of that type.

    An Int8 of -5 comes as 251, or as 4,294,967,291: encoders differ in how far they extend the sign.
    """
    bits = BITS.get(datatype or 0)
    if bits is None:
        kind = KINDS.get(datatype or 0)
        return value if kind and isinstance(value, kind) else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    low = value & (1 << bits) - 1
    if datatype not in SIGNED:
        return value if value == low else None
    signed = low - (1 << bits) if low >> bits - 1 else low
    return signed if value in {low, signed & MAX_UINT32, signed & MAX_UINT64} else None


def rebirth(now_ms: int) -> bytes:
    """Return the payload of the command that asks an edge node for its births."""
    parts = (member(NAME, REBIRTH), integer(TIME, now_ms), integer(DATATYPE, BOOLEAN), integer(OF_METRIC + BOOL, 1))
    return integer(PAYLOAD_TIME, now_ms) + member(PAYLOAD_METRIC, b"".join(parts))


def _metric(content: bytes) -> Metric:
    found = dict(fields(content))
    return Metric(
        name=_text(found.get(NAME)) or None,
        alias=_integer(found.get(ALIAS)),
        at_ms=_integer(found.get(TIME)),
        datatype=_integer(found.get(DATATYPE)),
        is_historical=bool(found.get(IS_HISTORICAL)),
        is_good=_is_good(found.get(PROPERTIES)),
        value=None if found.get(IS_NULL) else _value(found, OF_METRIC),
    )


def _is_good(properties: Field | None) -> bool:
    """Return True if properties call the quality good, or do not name it."""
    found = list(fields(properties)) if isinstance(properties, bytes) else []
    names = [_text(one) for number, one in found if number == PROPERTY_NAME]
    values = [one for number, one in found if number == PROPERTY]
    quality = dict(zip(names, values, strict=False)).get("Quality")
    return not isinstance(quality, bytes) or _value(dict(fields(quality)), OF_PROPERTY) in GOOD


def _value(found: Mapping[int, Field], first: int) -> Value:
    """Return the value among fields, as on the wire; None: there is none, or none that anything here is made of."""
    kind, one = next(((kind, found[first + kind]) for kind in VALUES if first + kind in found), (0, b""))
    if isinstance(one, int):
        return {UINT32: one & MAX_UINT32, UINT64: one, BOOL: bool(one)}.get(kind)
    if kind == TEXT:
        return _text(one)
    form = {FLOAT: "<f", DOUBLE: "<d"}.get(kind)
    return float(*struct.unpack(form, one)) if form and len(one) == struct.calcsize(form) else None


def _integer(found: Field | None) -> int | None:
    return found if isinstance(found, int) else None


def _text(found: Field | None) -> str | None:
    return found.decode(errors="replace") if isinstance(found, bytes) else None
