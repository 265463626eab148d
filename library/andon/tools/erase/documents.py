"""Stored JSON without mentions of a person, and without what could be computed from one. Pure.

Unsalted digests of a text give it away to who guesses it: the `fingerprint` and `digest` of a row, and the ids of
faults and drifts. Of what has a mention they are computed anew from what is left, or become `ERASED`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, Final, NamedTuple

import orjson

from andon.dynamodb.attribute_values import Item, to_plain
from andon.events import drift, fault
from andon.runtime import times
from andon.runtime.errors import Poison
from andon.tools.erase.mentions import Mentions
from andon.versions.optimistic_lock import VersionedRow, digest_of

ERASED: Final = "erased"
"""In place of a digest that cannot be computed anew; no digest is equal to it."""

FINGERPRINT, DIGEST = "fingerprint", "digest"
NOT_CONTENT: Final = frozenset(VersionedRow.__annotations__)
MOST_ATTRIBUTES: Final = 12
"""Attributes of a row among which its content is looked for: it is one of 4,096 choices, at the most."""


_DIGEST: Final = re.compile("[0-9a-f]{64}")


class Document(NamedTuple):
    """A document, how many mentions in it were replaced and kept, and what its own digests became, old -> new."""

    text: str
    found: int
    kept: int
    digests: Mapping[str, str] = {}


def erased(text: str, mentions: Mentions) -> Document:
    """Return a JSON document, or any other text, without mentions and digests of them; else it is as it was."""
    replaced = mentions.replaced(text, document=True)
    if not replaced.found:
        return Document(text, 0, replaced.kept)
    digests = dict(_digests_in(_parsed(text), mentions))
    return Document(_with(digests, replaced.text), replaced.found, replaced.kept, digests)


def digests_of(row: Item, left: Item) -> Iterator[tuple[str, str]]:
    """Yield the digests of a row, and what they become for what is left of it."""
    if _is_digest(row.get(FINGERPRINT)):
        yield row[FINGERPRINT], ERASED
    if _is_digest(row.get(DIGEST)):
        content = _content_of(row)
        yield row[DIGEST], ERASED if content is None else digest_of({name: left[name] for name in content})


def _content_of(row: Item) -> Iterable[str] | None:
    """Return the attributes that a row's digest is of; None: of others than it has.

    What else stands on a row only its service knows, but the digest tells whether a choice is the right one.
    """
    names = [name for name in sorted(row) if name not in NOT_CONTENT]
    if len(names) > MOST_ATTRIBUTES:
        return None
    choices = (some for count in range(len(names), 0, -1) for some in combinations(names, count))
    return next((some for some in choices if digest_of({name: row[name] for name in some}) == row[DIGEST]), None)


def without(value: Any, mentions: Mentions, member: str = "") -> Any:  # noqa: ANN401  any JSON
    """Return plain values without mentions. member: the name of the one that has them."""
    match value:
        case str():
            return mentions.replaced(value, member=member).text
        case dict():
            return {name: without(inner, mentions, name) for name, inner in value.items()}
        case list():
            return [without(inner, mentions, member) for inner in value]
    return value


def _digests_in(value: Any, mentions: Mentions) -> Iterator[tuple[str, str]]:  # noqa: ANN401  any JSON
    """Yield what digests in a document become: those of rows, plain or typed, of events, and in JSON within texts."""
    match value:
        case str():
            yield from _digests_in(_parsed(value), mentions) if value[:1] in {"{", "["} else ()
        case list():
            for member in value:
                yield from _digests_in(member, mentions)
        case dict():
            yield from _digests_of(value, mentions)
            for member in value.values():
                yield from _digests_in(member, mentions)


def _digests_of(one: Item, mentions: Mentions) -> Iterator[tuple[str, str]]:
    row = _row_in(one)
    left = without(row, mentions)
    if left == row:
        return
    yield from digests_of(row, left)
    if _is_digest(row.get("id")) and (id_ := _id_of(left)):
        yield row["id"], id_


def _id_of(left: Item) -> str | None:
    """Return the id that an event of a fault or a drift gets, or what is kept of it; None: it is neither."""
    match left:
        case {"fault": {"consumer": str(consumer), "message": str(message)}, **_rest}:
            return fault.id_of(consumer, message)
        case {"consumer": str(consumer), "message": str(message), "error": _}:
            return fault.id_of(consumer, message)
        case {"drift": dict(found), "timestamp": int(timestamp_ms)}:
            return drift.id_of(found, timestamp_ms)
        case {"view": str(), "kinds": list(), "repair": str(), "timestamp": str(timestamp)}:
            found = {name: value for name, value in left.items() if name not in {"id", "timestamp"}}
            return drift.id_of(found, times.to_ms(timestamp))
    return None


def _row_in(one: Item) -> Item:
    """Return an object as plain values: a row in a stream has DynamoDB's types."""
    if not isinstance(one.get(FINGERPRINT, one.get(DIGEST)), dict):
        return one
    try:
        return to_plain(one)
    except (AttributeError, KeyError, TypeError, ValueError, Poison):
        return one


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and bool(_DIGEST.fullmatch(value))


def _parsed(text: str) -> Any:  # noqa: ANN401  any JSON
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return None


def _with(digests: Mapping[str, str], text: str) -> str:
    """Return a text with other digests: hexadecimal digits, which no encoding changes."""
    for old, new in digests.items():
        text = text.replace(old, new)
    return text
