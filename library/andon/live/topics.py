"""MQTT topics of a tree of places, from the widest level to the narrowest: whoever subscribes to one gets all below.

    <root>/<digest of level 1>/<digest of level 2>/…

A part is hashed: it may be longer than a topic, have one of MQTT's own characters (`+`, `#`, `/`) in it, or be nobody
else's business in a log. The root is the deployment's, for all of an account in a region share one broker.
"""

from collections.abc import Sequence
from hashlib import blake2s
from typing import Final

# https://docs.aws.amazon.com/general/latest/gr/iot-core.html#message-broker-limits
MOST_SLASHES: Final = 7
MOST_BYTES: Final = 256

EVERYTHING_BELOW: Final = "#"
_DIGEST_BYTES: Final = 8


def topic_of(root: str, path: Sequence[str]) -> str:
    """Return the topic of a path.

    Raises:
        ValueError: AWS IoT takes no topic with so many levels or bytes.

    """
    return _within_limits("/".join((root, *map(_digest, path))))


def filter_of(root: str, path: Sequence[str], *, levels: int) -> str:
    """Return the filter by which one subscribes to a path and all below; `levels`: of a whole path, with nothing below.

    Raises:
        ValueError: as above.

    """
    topic = topic_of(root, path)
    return topic if len(path) == levels else _within_limits(f"{topic}/{EVERYTHING_BELOW}")


def _digest(part: str) -> str:
    return blake2s(part.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _within_limits(topic: str) -> str:
    if topic.count("/") > MOST_SLASHES or len(topic.encode()) > MOST_BYTES:
        raise ValueError(f"a topic has at most {MOST_SLASHES} slashes and {MOST_BYTES} bytes")
    return topic
