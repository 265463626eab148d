"""Payloads of Sparkplug B as edge nodes encode them."""

import base64
import struct
from collections.abc import Iterable
from typing import Final

from andon_gateway.conditions import Value
from andon_gateway.protobuf import integer, member
from andon_gateway.sparkplug_payload import BITS, Metric

INT32, FLOAT, DOUBLE, BOOLEAN, STRING = 3, 9, 10, 11, 12
WIDE: Final = 32

# By sparkplug-payload 1.0.3 of Eclipse Tahu: a metric of each type, one without a value, of bad quality, a data set,
# and one of the past.
BY_TAHU: Final = base64.b64decode(
    "CPvYwaKMNBIVCgJpOBABGPjYwaKMNCABUPv///8PEg0KA2kxNiACUNT9//8PEg0KA2kzMiADUJDd+/8PEhIKA2k2NCAEWICc6K/t/////wESCQoC"
    "dTggBVD6ARILCgN1MTYgBlDo+wMSDQoDdTMyIAdYgNCs8w4SEAoDdTY0IAhY/////////w8SCgoBZiAJZQAAwD8SDgoBZCAKaQAAAAAAUFRAEgcK"
    "AWIgC3ABEg8KAXMgDHoIbMOtbmVhIDMSCAoCZHQgDVgAEgcKAW4gAzgBEhsKA2JhZCADShAKB1F1YWxpdHkSBQgDGPQDUAUSFgoCZHMgEIoBDQgB"
    "EgFhGAMiBAoCCAESCQoBaCADKAFQBRgH"
)


def payload(metrics: Iterable[Metric] = (), *, seq: int | None = None, at_ms: int | None = None) -> bytes:
    """Return a payload; the datatypes of metrics say how their values are encoded."""
    return b"".join([_number(1, at_ms), *(member(2, metric(one)) for one in metrics), _number(3, seq)])


def metric(one: Metric, *, says_type: bool = True) -> bytes:
    """Return a metric; says_type False: its birth has said the datatype."""
    name = b"" if one.name is None else member(1, one.name.encode())
    said = _number(4, one.datatype if says_type else None)
    quality = b"" if one.is_good else member(9, member(1, b"Quality") + member(2, integer(1, INT32) + integer(3, 0)))
    head = name + _number(2, one.alias) + _number(3, one.at_ms) + said + integer(5, int(one.is_historical)) + quality
    return head + value(one.value, one.datatype or 0)


def value(found: Value, datatype: int) -> bytes:
    """Return the member of a metric that holds a value."""
    match found:
        case None:
            return integer(7, 1)
        case bool():
            return integer(14, int(found))
        case str():
            return member(15, found.encode())
        case float() if datatype == FLOAT:
            return b"\x65" + struct.pack("<f", found)
        case float():
            return b"\x69" + struct.pack("<d", found)
        case int():
            is_wide = BITS[datatype] > WIDE
            return integer(11 if is_wide else 10, found % (1 << (64 if is_wide else WIDE)))


def _number(field: int, found: int | None) -> bytes:
    return b"" if found is None else integer(field, found)
