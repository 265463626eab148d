"""Facts of a group that failed for now: they come again by themselves, in a smaller message on their own queue.

Else their neighbours, which are done, would come again with them, and end as dead letters with them. Each message that
is put back has fewer facts than the one before, so that this ends. If all failed, the message itself comes again, and
ends as a dead letter; so does one that cannot be put back. A crash between the two brings facts twice, and no harm.

Apart from `received.py`, which the listener of the lake loads without this.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from andon.events.group import body_of
from andon.events.received import Received
from andon.runtime.tried import Failed, tried
from andon.wire.in_parallel import in_parallel
from andon.wire.queue import OWN, DelayedMessage, beside, send_later

# What failed was throttled, or somebody else wrote the same. A message that comes again by itself waits for minutes.
PAUSE_SECONDS: Final = 10

_ToSend = Callable[[], list[DelayedMessage]]


class PutBack(NamedTuple):
    """The number of facts that were put back, and the ids of messages that come again themselves."""

    put_back: int = 0
    left: Sequence[str] = ()


def again(failed: Sequence[Received], *, queue: str) -> PutBack:
    """Let facts come again, and no others; `queue`: the name of the one that they came from."""
    if not failed:
        return PutBack()
    by_message = _by_message(failed)
    smaller = {id_: partial(_one_message, facts) for id_, facts in by_message.items() if _is_part(facts)}
    return _send(by_message, smaller, queue)


def apart(facts: Sequence[Received], *, queue: str) -> PutBack:
    """Let all facts of groups come again at once, each in a message of its own."""
    by_message = _by_message(facts)
    return _send(by_message, {id_: partial(_each_alone, some) for id_, some in by_message.items()}, queue)


def _by_message(facts: Sequence[Received]) -> Mapping[str, list[Received]]:
    by_message = defaultdict[str, list[Received]](list)
    for one in facts:
        by_message[one.message_id].append(one)
    return by_message


def _is_part(facts: Sequence[Received]) -> bool:
    """Return True if some facts of a message are done, and this function may put the others back."""
    whole = facts[0].whole
    return whole is not None and len(facts) < whole.count and OWN in os.environ


def _one_message(facts: Sequence[Received]) -> list[DelayedMessage]:
    return [DelayedMessage(body_of([one.body for one in facts]), PAUSE_SECONDS)]


def _each_alone(facts: Sequence[Received]) -> list[DelayedMessage]:
    return [DelayedMessage(one.body, 0) for one in facts]


def _send(by_message: Mapping[str, Sequence[Received]], to_send: Mapping[str, _ToSend], queue: str) -> PutBack:
    sent = in_parallel([partial(_put_back, messages, queue) for messages in to_send.values()])
    done = {id_ for id_, is_sent in zip(to_send, sent, strict=True) if is_sent}
    return PutBack(sum(len(by_message[id_]) for id_ in done), [id_ for id_ in by_message if id_ not in done])


def _put_back(messages: _ToSend, queue: str) -> bool:
    """Return True if all messages were sent."""
    sent = tried(lambda: send_later(beside(os.environ[OWN], queue), messages()))
    return not isinstance(sent, Failed)
