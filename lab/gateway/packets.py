"""Packets of MQTT 3.1.1: https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/mqtt-v3.1.1.html."""

import struct
from typing import Final, NamedTuple

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, PINGRESP, DISCONNECT = 1, 2, 3, 4, 8, 9, 12, 13, 14
QOS: Final = 0b0110
RETAIN: Final = 0b0001


class Packet(NamedTuple):
    """A packet; flags: the lower half of its first byte."""

    kind: int
    flags: int
    content: bytes


class Publication(NamedTuple):
    """Content of a PUBLISH; number: the packet's, None with QoS 0."""

    topic: str
    content: bytes
    number: int | None
    is_retained: bool


def packet(kind: int, flags: int = 0, content: bytes = b"") -> bytes:
    """Return the bytes of a packet."""
    return bytes([kind << 4 | flags]) + _length(len(content)) + content


def text(found: str) -> bytes:
    """Return the bytes of a text; a surrogate stands for a byte that is no UTF-8."""
    content = found.encode(errors="surrogateescape")
    return struct.pack("!H", len(content)) + content


def read_text(content: bytes, at: int = 0) -> tuple[str, int]:
    """Return a text, and where it ends."""
    [size] = struct.unpack_from("!H", content, at)
    return content[at + 2 : at + 2 + size].decode(), at + 2 + size


def publication(found: Packet) -> Publication:
    """Return the content of a PUBLISH."""
    topic, at = read_text(found.content)
    if not found.flags & QOS:
        return Publication(topic, found.content[at:], None, bool(found.flags & RETAIN))
    [number] = struct.unpack_from("!H", found.content, at)
    return Publication(topic, found.content[at + 2 :], number, bool(found.flags & RETAIN))


def publish(found: Publication) -> bytes:
    """Return the bytes of a PUBLISH, with QoS 1 if it has a number."""
    number = b"" if found.number is None else struct.pack("!H", found.number)
    flags = (0 if found.number is None else 0b0010) | (RETAIN if found.is_retained else 0)
    return packet(PUBLISH, flags, text(found.topic) + number + found.content)


def cut(received: bytes) -> tuple[Packet, bytes] | None:
    """Return the first packet, and what is behind it; None: it is not whole yet."""
    size = 0
    for number, digit in enumerate(received[1:5]):
        size |= (digit & 0x7F) << 7 * number
        if digit < 0x80:  # noqa: PLR2004  the bit that says that there is more
            start = 2 + number
            first = Packet(received[0] >> 4, received[0] & 0x0F, received[start : start + size])
            return (first, received[start + size :]) if len(received) >= start + size else None
    return None


def _length(size: int) -> bytes:
    encoded = bytearray()
    while True:
        size, digit = divmod(size, 128)
        encoded.append(digit | (0x80 if size else 0))
        if not size:
            return bytes(encoded)
