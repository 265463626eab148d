"""The two services of `pair`, their tables, streams and queues, in memory; a test decides who goes on when."""

import json
from contextlib import AbstractContextManager
from typing import Any, Self

from local.in_process.lambda_context import LambdaContext
from local.in_process.lambda_events import sqs_event
from local.in_process.world import InProcess, frozen_clock
from patterns.dynamodb.attribute_values import Item
from patterns.events.publish_changes import publish_changes
from patterns.views.materialize import materialize
from tests.support.aws_in_memory import AwsInMemory
from tests.support.patterns.pair import NAMES, Name, Side, schemas
from tests.support.samples import NOW

# Edits say small times; the listeners' clock is ahead of them all.
CLOCK_MS = NOW


class _Tables(InProcess):
    keeps_history = False

    def __init__(self) -> None:
        super().__init__()
        self.schemas = schemas(keeps_history=self.keeps_history)


class _WithHistory(_Tables):
    keeps_history = True


class _InMemory(AwsInMemory, _Tables):
    """Tables without histories."""


class _HistoryInMemory(AwsInMemory, _WithHistory):
    """Tables with histories."""


class TwoSides(AbstractContextManager["TwoSides"]):
    """Both services. published: every message that was published, by who published it."""

    def __init__(self, *, keeps_history: bool = False) -> None:
        self.world = _HistoryInMemory() if keeps_history else _InMemory()
        self.sides: dict[Name, Side] = {name: Side(name, keeps_history) for name in NAMES}
        self.published: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        self.world.__enter__()
        self._clock = frozen_clock(CLOCK_MS)
        self._clock.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._clock.__exit__(None, None, None)
        self.world.__exit__()

    @property
    def old(self) -> Side:
        """The old service."""
        return self.sides["old"]

    @property
    def new(self) -> Side:
        """The new service."""
        return self.sides["new"]

    def clear(self) -> None:
        """Forget everything."""
        self.world.clear()
        self.published.clear()

    def row(self, side: Side, note: str = "n") -> Item | None:
        """Return the current row of a note."""
        return side.table.get({"pk": note, "sk": "-"})

    def revisions(self, side: Side, note: str = "n") -> list[Item]:
        """Return the revisions of a note, the oldest first."""
        return [row for row in self.world.rows(side.history.variable) if row["pk"] == note]

    def records(self, side: Side) -> list[dict[str, Any]]:
        """Take what the stream of a service has new."""
        return self.world.new_records(side.table.variable)

    def trigger(self, side: Side, records: list[dict[str, Any]]) -> list[str]:
        """Run a service's trigger on records of its stream; return the messages that it published."""
        if records:
            publish_changes({"Records": records}, LambdaContext("pair"), facts=side.facts)
        bodies = self.world.new_messages()
        self.published += map(json.loads, bodies)
        return bodies

    def listen(self, side: Side, bodies: list[str]) -> list[str]:
        """Run a service's listener on a batch; return the messages that must come again."""
        batch = sqs_event(bodies)
        failed = materialize(batch, LambdaContext("pair"), view=side.view)["batchItemFailures"]
        again = {one["itemIdentifier"] for one in failed}
        return [record["body"] for record in batch["Records"] if record["messageId"] in again]

    def cross(self, side: Side) -> list[str]:
        """Bring all that a service has changed to the other one; return the messages."""
        bodies = self.trigger(side, self.records(side))
        self.listen(side.other, bodies)
        return bodies

    def settle(self) -> None:
        """Bring all changes of both sides to the other side, until nothing is on its way."""
        for _ in range(10):
            if not (self.cross(self.old) + self.cross(self.new)):
                return
        raise AssertionError("it goes round without end")
