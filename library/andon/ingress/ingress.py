"""Declaration of a service's input from things, in its `ingress.py`, and a message of one as it lies in a queue."""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from andon.events.domain_event import DomainEvent
from andon.ingress.names import LEVELS, Kind, name_in, without_rule
from andon.ingress.presence import Presence
from andon.ingress.provisioning import Provisioning
from andon.runtime import strict_json
from andon.runtime.errors import Poison, Rejected
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.strict_json import is_whole

# A message of a topic rule, as it lies in a queue -> its publisher, time and content. Pure.
#
# The rule passes the bytes on as Base64, whatever they are, so that garbage arrives whole and somebody can look at it.

SQL: Final = (
    "SELECT encode(*, 'base64') AS body, topic() AS topic, clientid() AS client, principal() AS principal, "
    "timestamp() AS at FROM '{topic}'"
)
"""The statement of a rule. https://docs.aws.amazon.com/iot/latest/developerguide/iot-sql-reference.html"""

BODY, TEXT = "body", "text"

# What lies in the queue for dead letters if the rule could not write to its own queue.
# https://docs.aws.amazon.com/iot/latest/developerguide/rule-error-handling.html
FAILED_BODY, FAILED_CLIENT = "base64OriginalPayload", "clientId"


class Message(NamedTuple):
    """A message that a thing published; `content` is JSON.

    thing: its name on the broker. name: that within the deployment. principal: the id of its certificate; empty if the
    rule could not say. at_ms: when the broker took it, in epoch milliseconds.
    """

    kind: str
    thing: str
    name: str
    principal: str
    at_ms: int
    content: Any


def from_message(body: str, *, kinds: Iterable[Kind], root: str, now_ms: int) -> Message:
    """Read the body of a queue's message.

    The policy of a thing allows it its own topic only; here they are compared again. now_ms: counts as the time of a
    message that the rule could not write, and whose time is not known any more.

    Raises:
        Poison: it is no such message, its topic is another's, or what was published is not JSON in UTF-8.

    """
    members = _object_of(body)
    topic, client = _text(members, "topic"), _text(members, "client" if "client" in members else FAILED_CLIENT)
    kind, thing = _kind_and_thing(without_rule(topic), kinds, root)
    if client != thing:
        raise Poison(f"{client} published to the topic of {thing}")
    if (name := name_in(root, thing)) is None:
        raise Poison(f"{thing} is no thing of {root}")
    at_ms = now_ms if FAILED_BODY in members else members.get("at")
    if not is_whole(at_ms):
        raise Poison("the rule does not say when it was published")
    principal = members.get("principal")
    principal = principal if isinstance(principal, str) else ""
    return Message(kind.name, thing, name, principal, at_ms, _content_of(_published(members)))


def legible(body: str) -> str:
    """Return a message with its content as text, if it is text; `from_message` reads it, too.

    All else stays in Base64: UTF-8 with NUL is nobody's text, but may be UTF-16.
    """
    try:
        members = _object_of(body)
        text = _decoded(_published(members))
    except Poison:
        return body
    return body if "\0" in text else _with_text(members, text)


def part_of(body: str, content: Any) -> str:  # noqa: ANN401  JSON is any
    """Return a message that was read as one with this content alone, legible."""
    return _with_text(_object_of(body), strict_json.dumps(content))


def _with_text(members: JsonMapping, text: str) -> str:
    encoded = {BODY, FAILED_BODY}
    return strict_json.dumps({**{key: members[key] for key in members if key not in encoded}, **_marked(members, text)})


def _marked(members: JsonMapping, text: str) -> JsonObject:
    """Return the text, under a name that still tells a rule's failure."""
    return {TEXT: text} if FAILED_BODY not in members else {TEXT: text, FAILED_BODY: ""}


def _object_of(body: str) -> JsonObject:
    try:
        members = strict_json.loads(body)
    except ValueError as error:
        raise Poison(f"not JSON: {error}") from error
    if not isinstance(members, dict):
        raise Poison("not a message of a topic rule")
    return members


def _text(members: JsonMapping, name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise Poison(f"not a message of a topic rule: it has no {name}")
    return value


def _kind_and_thing(topic: str, kinds: Iterable[Kind], root: str) -> tuple[Kind, str]:
    levels = topic.split("/")
    if len(levels) == LEVELS and levels[0] == root:
        for kind in kinds:
            if levels[1] == kind.name and levels[3] == kind.last:
                return kind, levels[2]
    raise Poison(f"{topic} is no topic of things of {root}")


def _published(members: JsonMapping) -> bytes:
    """Return the bytes that a thing published."""
    if isinstance(text := members.get(TEXT), str):
        return text.encode(errors="surrogatepass")
    try:
        return base64.b64decode(_text(members, FAILED_BODY if FAILED_BODY in members else BODY), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Poison(f"not Base64: {error}") from error


def _content_of(published: bytes) -> Any:  # noqa: ANN401  JSON is any
    text = _decoded(published)
    try:
        content = strict_json.loads(text)
        json.loads(text.removeprefix(strict_json.BOM), object_pairs_hook=_single)
    except ValueError as error:
        raise Poison(f"not JSON: {error}") from error
    return content


def _decoded(published: bytes) -> str:
    try:
        return published.decode()
    except UnicodeDecodeError as error:
        raise Poison(f"not UTF-8: {error.reason} at byte {error.start}") from error


def _single(members: list[tuple[str, Any]]) -> JsonObject:
    """Return an object, each member of which is there once: of two values, neither counts."""
    single = dict(members)
    if len(single) < len(members):
        raise ValueError("a member is there twice")
    return single


class Unusable(NamedTuple):
    """A part of a message that can never be an event; content: JSON, the part as a message of its own."""

    content: Any
    error: Rejected


_EventsOf = Callable[[Message, Mapping[str, str]], Sequence[DomainEvent | Unusable]]
"""Returns the events of a message, with these tags, and which parts can have none.

Raises `Poison`, `Invalid` or `Forbidden` if none can have any.
"""


OnPresence = Callable[[Presence], bool]
"""Writes down that a thing connected, or is gone; returns False if something newer was known."""


class Ingress(NamedTuple):
    """The kinds of things that publish to a service, and the events of their messages.

    on_presence: where the service keeps who is connected. That somebody is gone it hears after a grace, see
    `andon.cdk.things`; a thing that was back by then is connected. provisioning: how it knows who may become a thing by
    a claim; None: nobody may.
    """

    kinds: tuple[Kind, ...]
    events_of: _EventsOf
    on_presence: OnPresence | None = None
    provisioning: Provisioning | None = None
