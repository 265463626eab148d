"""The two services of `pair`, their tables, streams and queues, in memory; a test decides who goes on when."""

import json
from contextlib import AbstractContextManager
from typing import Any, Final, Self

from andon.dynamodb.attribute_values import Item, to_plain
from andon.events.hops import MAX_HOPS
from andon.events.latch import LATCHED
from andon.events.publish_changes import publish_changes
from andon.sync.crossing import Edit, edit_of
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.world import World
from andon.views.materialize import materialize
from toys.clock import NOW
from toys.pair import NAMES, Name, Side, schemas, shared_of

# Edits say small times; the listeners' clock is ahead of them all.
CLOCK_MS = NOW

NOT_ON_ROW: Final = ("discriminator", "since")
"""Members of a revision that differ from the row's."""


class TwoSides(AbstractContextManager["TwoSides"]):
    """Both services, as their streams and the bus saw them.

    edits: those that commands made in each service. crossed: those that it took from the other one. published: every
    event that was published, in EventBridge's envelope.
    """

    def __init__(self, *, keeps_history: bool = False) -> None:
        self.world = World(schemas(keeps_history=keeps_history))
        self.sides: dict[Name, Side] = {name: Side(name, keeps_history) for name in NAMES}
        self.published: list[dict[str, Any]] = []
        self.edits: dict[Name, list[Edit]] = {name: [] for name in NAMES}
        self.crossed: dict[Name, list[Edit]] = {name: [] for name in NAMES}

    def __enter__(self) -> Self:
        self.world.__enter__()
        self._clock = frozen_clock(CLOCK_MS)
        self._clock.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._clock.__exit__(None, None, None)
        self.world.__exit__(None, None, None)

    @property
    def old(self) -> Side:
        return self.sides["old"]

    @property
    def new(self) -> Side:
        return self.sides["new"]

    def clear(self) -> None:
        self.world.clear()
        self.published.clear()
        for name in NAMES:
            self.edits[name].clear()
            self.crossed[name].clear()

    def row(self, side: Side, note: str = "n") -> Item | None:
        return side.table.get({"pk": note, "sk": "-"})

    def revisions(self, side: Side, note: str = "n") -> list[Item]:
        """Return the revisions of a note, the oldest first."""
        return [row for row in self.world.rows(side.history.variable) if row["pk"] == note]

    def records(self, side: Side) -> list[dict[str, Any]]:
        """Take what the stream of a service has new; check that each version follows the one before."""
        records = self.world.new_records(side.table.variable)
        for record in records:
            old, new = (to_plain(record["dynamodb"].get(image, {})) for image in ("OldImage", "NewImage"))
            assert new["version"] == old.get("version", 0) + 1
            (self.crossed if LATCHED in new else self.edits)[side.name].append(self.edit_of(side, new))
        return records

    def trigger(self, side: Side, records: list[dict[str, Any]]) -> list[str]:
        """Run a service's trigger on records of its stream; return the messages that it published."""
        if records:
            publish_changes({"Records": records}, LocalContext("pair"), facts=side.facts)
        bodies = self.world.new_messages()
        self.published += map(json.loads, bodies)
        return bodies

    def listen(self, side: Side, bodies: list[str]) -> list[str]:
        """Run a service's listener on a batch; return the messages that must come again."""
        if not bodies:
            return []
        batch = sqs_event(bodies)
        failed = materialize(batch, LocalContext("pair"), listener=side.view)["batchItemFailures"]
        self.published += map(json.loads, self.world.new_messages())  # faults, to which neither subscribes
        again = {one["itemIdentifier"] for one in failed}
        return [record["body"] for record in batch["Records"] if record["messageId"] in again]

    def cross(self, side: Side) -> list[str]:
        """Bring all that a service has changed to the other one; return the messages."""
        bodies = self.trigger(side, self.records(side))
        self.listen(side.other, bodies)
        return bodies

    def settle(self) -> None:
        """Bring all changes of both sides to the other side, until nothing is on its way."""
        for _ in range(2 * MAX_HOPS):
            if not (self.cross(self.old) + self.cross(self.new)):
                return
        raise AssertionError("it goes round without end")

    def published_by(self, side: Side) -> dict[str, Edit]:
        """Return the edits that a service published: id of the event -> edit."""
        details = [envelope["detail"] for envelope in self.published if envelope["source"] == side.name]
        return {detail["id"]: Edit(detail["timestamp"], side.name) for detail in details if side.entity in detail}

    @staticmethod
    def edit_of(side: Side, row: Any) -> Edit:  # noqa: ANN401  a versioned row, whoever read it
        return edit_of(row, own=side.name)

    def is_same(self, note: str = "n") -> bool:
        """Return True if both services have the same content of a note, by the same edit."""
        return self.said(self.old, note) == self.said(self.new, note)

    def said(self, side: Side, note: str = "n") -> tuple[Edit, bool, tuple[str, ...]] | None:
        """Return a service's shared content of a note: its edit, its mark of deletion, its lines."""
        row = self.row(side, note)
        if row is None:
            return None
        return self.edit_of(side, row), "deleted" in row, shared_of(side, row)

    def require_histories(self, note: str = "n") -> None:
        """Check that the revisions have no gap, and that the newest says what the row says."""
        for side in self.sides.values() if self.old.keeps_history else ():
            row, revisions = self.row(side, note), self.revisions(side, note)
            assert [one["version"] for one in revisions] == [*range(1, len(revisions) + 1)]
            assert (row or {}).get("version", 0) == len(revisions)
            if row is not None:
                assert all(row[name] == value for name, value in revisions[-1].items() if name not in NOT_ON_ROW)
