"""Groups: the facts of one source and type in one entry of the bus. Pure.

AWS bills an entry of EventBridge and a message of SQS by 64 KB each, and most facts have less than one. A group is the
`detail` of an entry: `{"group": 1, "facts": [<event>, …]}`, in the order in which they were published; `detail-type` is
the type of all of them, whatever was published between them. A fact that goes alone is the `detail` itself.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from andon.runtime import json_text, strict_json
from andon.runtime.batches import batches
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonMapping
from andon.runtime.strict_json import is_whole

GROUP: Final = "group"
"""The member of a group with its version. An event has an `id`, and may have an entity of that name."""

FACTS: Final = "facts"
VERSION: Final = 1

# EventBridge and SQS bill by 64 KB: https://aws.amazon.com/eventbridge/pricing/, https://aws.amazon.com/sqs/pricing/
# EventBridge's own envelope around a group has some 230 bytes, and may escape each character of source and type.
BILLED_BYTES: Final = 64 * 1024
MOST_BYTES: Final = BILLED_BYTES - 1024
"""Bytes of a group's entry, at the most, as EventBridge counts: the source, the type, and the detail."""

MOST_FACTS: Final = 1_000
"""Facts of a group, at the most: hardly an event is so small that more would fit. Each may become a fault."""

_FRAME: Final = f'{{"{GROUP}":{VERSION},"{FACTS}":[]}}'

_HEAD: Final = frozenset({"version", "id", "source", "detail-type", "account", "time", "region"})

_UNKNOWN_VERSION: Final = "a group of a version that is not known"
NO_FACTS: Final = f"a group has 1 to {MOST_FACTS} facts"
_NO_FACT: Final = "a fact of a group is an object, and no group"


def cut(types: Sequence[str], sizes: Sequence[int], *, source: str) -> list[list[int]]:
    """Return the numbers of the events of each entry: all of one type, in their order, as many as fit.

    Entries are in the order of their first events. types, sizes: of each event; a size is the UTF-8 bytes of its JSON.
    One that is too large for a group goes alone.
    """
    with_commas = defaultdict[str, list[tuple[int, int]]](list)
    for number, event_type in enumerate(types):
        with_commas[event_type].append((number, sizes[number] + 1))
    groups = list[list[int]]()
    for event_type, events in with_commas.items():
        room = MOST_BYTES - len(f"{source}{event_type}{_FRAME}".encode())
        groups += batches(events, most=MOST_FACTS, most_bytes=room)
    return sorted(groups)


def to_detail(facts: Sequence[str]) -> str:
    """Return the detail of an entry with these facts, which are JSON."""
    return facts[0] if len(facts) == 1 else f"{_FRAME[:-2]}{','.join(facts)}]}}"


def details_in(detail: str) -> list[str]:
    """Return the facts of an entry, as JSON: the detail itself, unless it is a group.

    Raises:
        Poison: see `facts_in`.

    """
    read = strict_json.loads(detail)
    return [*map(strict_json.dumps, facts_in(read))] if is_group(read) else [detail]


def is_group(detail: object) -> bool:
    """Return True if a detail is meant to be a group, of whichever version."""
    return isinstance(detail, dict) and GROUP in detail and "id" not in detail


def unpacked(detail: JsonMapping) -> list[JsonMapping]:
    """Return the facts of an entry: the detail itself, unless it is a group.

    Raises:
        Poison: see `facts_in`.

    """
    return facts_in(detail) if is_group(detail) else [detail]


def facts_in(group: JsonMapping) -> list[JsonMapping]:
    """Return the facts of a group.

    Raises:
        Poison: it is of another version, or not what we would publish.

    """
    if not is_whole(group[GROUP]) or group[GROUP] != VERSION:
        raise Poison(_UNKNOWN_VERSION)
    facts = group.get(FACTS)
    if not isinstance(facts, list) or not 1 <= len(facts) <= MOST_FACTS:
        raise Poison(NO_FACTS)
    if not all(isinstance(fact, dict) for fact in facts) or any(map(is_group, facts)):
        raise Poison(_NO_FACT)
    return facts


Value = TypeVar("Value")


def head_of(envelope: Mapping[str, Value]) -> dict[str, Value]:
    """Return the members of EventBridge's envelope that stand around each fact of an entry.

    `resources` is none of them: nobody reads it, and a publisher may fill it with 180 KB, beside a thousand facts.
    """
    return {name: value for name, value in envelope.items() if name in _HEAD}


def bodies_of(body: str) -> list[str]:
    """Return the bodies of the messages in which the facts of a group would have come alone, as they are written.

    Raises:
        ValueError: it is not JSON's form of a message with a group.
        Poison: see `facts_in`.

    """
    envelope = json_text.members(body)
    group = json_text.members(envelope.get("detail", ""))
    if not is_group(group):
        raise ValueError("it is no group")
    if group[GROUP] != str(VERSION):
        raise Poison(_UNKNOWN_VERSION)
    facts = json_text.elements(group.get(FACTS, ""))
    if not 1 <= len(facts) <= MOST_FACTS:
        raise Poison(NO_FACTS)
    if any(map(_is_no_fact, facts)):
        raise Poison(_NO_FACT)
    head = head_of(envelope)
    return [_body(head, fact) for fact in facts]


def body_of(bodies: Iterable[str]) -> str:
    """Return the body of one message with the facts of several that came in one."""
    envelopes = [*map(json_text.members, bodies)]
    return _body(envelopes[0], to_detail([envelope["detail"] for envelope in envelopes]))


def _is_no_fact(text: str) -> bool:
    return not text.startswith("{") or is_group(json_text.members(text))


def _body(envelope: Mapping[str, str], detail: str) -> str:
    """Return an envelope, with members in JSON, around another detail."""
    members = {**envelope, "detail": detail}
    return f"{{{','.join(f'{json.dumps(name)}:{value}' for name, value in members.items())}}}"
