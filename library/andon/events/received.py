"""The edge at which a queue's messages become facts: each as if it had come alone."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from andon.events.bus_entry import LAKE, Delivery, from_envelope, is_replayed
from andon.events.group import bodies_of, facts_in, head_of, is_group
from andon.runtime import json_text, strict_json
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject
from andon.runtime.message_batch import QueueMessage
from andon.runtime.tried import Failed, tried


class Whole:
    """A message with a group, and the number of its facts."""

    def __init__(self, body: str, count: int) -> None:
        self._body, self.count = body, count

    @cached_property
    def bodies(self) -> list[str]:
        """The bodies of its facts; they are made when the first is asked for, which is rare."""
        return bodies_of(self._body)


class Received(NamedTuple):
    """A fact of a message, or a message that nobody can read.

    envelope: EventBridge's around this fact alone, as JSON; Failed: it is none. alone: the body, if it came alone.
    whole, number: the message with its group, and its place there.
    """

    message_id: str
    envelope: object = None
    alone: str = ""
    whole: Whole | None = None
    number: int = 0

    @property
    def body(self) -> str:
        """The message in which the fact would have come alone."""
        return self.alone if self.whole is None else self.whole.bodies[self.number]

    @property
    def is_replayed(self) -> bool:
        """True if it is a replay, which has no groups; even if nothing else of it can be read."""
        return self.whole is None and is_replayed(self.alone)

    def read(self) -> Delivery:
        """Return the fact.

        Raises:
            Poison: it is not JSON, lacks something, or its `detail-type` is not the type of the event within.

        """
        if isinstance(self.envelope, Failed):
            raise self.envelope.error
        return from_envelope(self.envelope)


def received(messages: Iterable[QueueMessage]) -> Iterator[Received]:
    """Yield the facts of a batch, in order.

    A group that is not as we publish them is one message that nobody can read, and a fact in it that cannot be read is
    nobody's matter but its own. A replay brings facts that are alone, so that it has no groups.
    """
    for message in messages:
        message_id, body = message["messageId"], message.get("body", "")
        try:
            envelope = strict_json.loads(body)
        except ValueError as error:
            yield from _one_by_one(message_id, body, _no_json(error))
            continue
        if isinstance(envelope, dict) and is_group(envelope.get("detail")) and envelope.get(LAKE) is not True:
            yield from _facts(message_id, body, envelope)
        else:
            yield Received(message_id, envelope, body)


def _no_json(error: ValueError) -> Failed:
    return Failed(Poison(f"not JSON: {error}"))


def _json(body: str) -> object:
    try:
        return strict_json.loads(body)
    except ValueError as error:
        return _no_json(error)


def _facts(message_id: str, body: str, envelope: JsonObject) -> Iterator[Received]:
    facts = tried(facts_in, envelope["detail"])
    if isinstance(facts, Failed):
        yield Received(message_id, facts, body)
        return
    whole, head = Whole(body, len(facts)), head_of(envelope)
    for number, fact in enumerate(facts):
        yield Received(message_id, {**head, "detail": fact}, whole=whole, number=number)


def _one_by_one(message_id: str, body: str, failed: Failed) -> Iterator[Received]:
    """Yield the facts of a group that cannot be read as a whole: of some, a number is too large, or a text no text."""
    bodies = tried(bodies_of, body)
    if isinstance(bodies, Failed) or json_text.members(body).get(LAKE) == "true":
        yield Received(message_id, failed, body)
        return
    whole = Whole(body, len(bodies))
    for number, one in enumerate(bodies):
        yield Received(message_id, _json(one), whole=whole, number=number)
