"""The wire format of protobuf, without its library: bytes <-> numbered fields. Pure.

https://protobuf.dev/programming-guides/encoding/
"""

from collections.abc import Iterator, Mapping
from typing import Final

VARINT, BYTES = 0, 2
FIXED_SIZES: Final[Mapping[int, int]] = {1: 8, 5: 4}
MORE: Final = 0x80
MAX_VARINT_BYTES: Final = 10
MAX_UINT64: Final = 2**64 - 1

Field = int | bytes
"""What stands in a field: an integer without a sign for a varint, otherwise its bytes."""


class Malformed(ValueError):
    """Bytes that are no message; it says why."""


def fields(content: bytes) -> Iterator[tuple[int, Field]]:
    """Yield the fields of a message: number and content.

    Raises:
        Malformed: it is none.

    """
    at = 0
    while at < len(content):
        key, at = _read_varint(content, at)
        number, kind = key >> 3, key & 7
        if number == 0 or kind not in {VARINT, BYTES, *FIXED_SIZES}:
            raise Malformed(f"a field {number} of the wire type {kind}")
        size, at = (FIXED_SIZES[kind], at) if kind in FIXED_SIZES else _read_varint(content, at)
        if kind == VARINT:
            yield number, size
            continue
        if size > len(content) - at:
            raise Malformed(f"field {number} is cut off")
        yield number, content[at : at + size]
        at += size


def integer(number: int, value: int) -> bytes:
    """Return a field of an integer that is not negative."""
    return _varint(number << 3 | VARINT) + _varint(value)


def member(number: int, content: bytes) -> bytes:
    """Return a field of bytes."""
    return _varint(number << 3 | BYTES) + _varint(len(content)) + content


def _read_varint(content: bytes, at: int) -> tuple[int, int]:
    """Return an integer of 64 bits, and where the next field begins."""
    value = 0
    for number, byte in enumerate(content[at : at + MAX_VARINT_BYTES]):
        value |= (byte & ~MORE) << 7 * number
        if byte < MORE:
            return value & MAX_UINT64, at + number + 1
    raise Malformed("an integer has no end")


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value >= MORE:
        parts.append(value % MORE | MORE)
        value //= MORE
    return bytes([*parts, value])
