"""A legacy database beside the whole loop: what is published goes to equipment2, and its edits come back."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from andon.testing.environment import LocalContext
from andon.testing.lambda_events import sqs_event
from andon.testing.loop import Loop
from andon.views.outcome import Outcome
from demo.legacy import adapter, subscription


class Beside:
    """The two sides; `waiting` has what was published and did not come to its reader yet."""

    def __init__(self, loop: Loop, connection: sqlite3.Connection) -> None:
        self._loop, self.connection = loop, connection
        self.waiting: list[dict[str, Any]] = []

    def settle(self) -> Counter[Outcome]:
        """Publish and deliver until there is nothing left; return what became of the edits that the database took."""
        taken: Counter[Outcome] = Counter()
        while self.publish() or self.waiting:
            messages, self.waiting = self.waiting, []
            taken += self.deliver(messages)
        return taken

    def publish(self) -> int:
        """Publish what was edited on either side; return how many events that are for the other one."""
        adapter.publish_edits(self.connection)
        published = [event for event in self._loop.run() if _topic_of(event) in READ]
        self.waiting += published
        return len(published)

    def deliver(self, messages: Iterable[dict[str, Any]]) -> Counter[Outcome]:
        """Bring messages to their readers."""
        bodies = [(_topic_of(message), json.dumps(message)) for message in messages]
        ours = [body for topic, body in bodies if topic in subscription.ON]
        if ours:
            subscription.handler(sqs_event(ours), LocalContext("equipment2-listener"))
        return adapter.take_edits(self.connection, [body for topic, body in bodies if topic in adapter.TAKEN])


READ: Final = adapter.TAKEN | frozenset(subscription.ON)


def _topic_of(message: dict[str, Any]) -> tuple[str, str]:
    return message["source"], message["detail-type"]
