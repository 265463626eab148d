"""The whole loop in one process: real handlers, no deployment.

Commands write tables, triggers publish their changes, listeners write views, queries read them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from andon.packages.discovery import (
    follower_of_table,
    ingesting,
    owner_of_route,
    readers,
    recomputed,
    restorers,
    services,
    subscribers_of,
    woken_by,
)
from andon.packages.package import Package
from andon.rules.sweep import ALL_SHARDS, SHARDS
from andon.rules.timing import partition_of
from andon.runtime.json_types import JsonObject
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event, sqs_event
from andon.testing.world import OWN_QUEUES, World, alone
from andon.wire.queue import RECOMPUTE, name_of

BATCH = 10

REPLAYS = Package("stores", "replays")


@dataclass(frozen=True, slots=True)
class Answer:
    """Response to a client."""

    status: int
    headers: Mapping[str, str]
    body: Any


def own_queues() -> Iterator[tuple[Package, str, str]]:
    """Yield the packages that read queues beside the bus: with the role that does, and the queue's name."""
    yield from ((Package("stores", name), "listener", name_of(name)) for name in OWN_QUEUES.values())
    yield from ((package, "listener", name_of(package.name)) for package in readers())
    yield from ((package, "ingest", package.ingest_queue) for package in ingesting())
    yield from ((package, "restore", package.restore_queue) for package in restorers() if package.plays("restore"))
    yield from ((package, "recompute", name_of(package.name, RECOMPUTE)) for package in recomputed())
    yield from ((package, "sender", package.sender_queue) for package in services() if package.plays("sender"))


class Loop(World):
    """All packages of `functions/`, connected."""

    batch = BATCH  # messages at most

    @cached_property
    def _own_queues(self) -> Sequence[tuple[Package, str, str]]:
        return tuple(own_queues())  # files say which: they are read once

    def request(self, route: str, **parts: Any) -> Answer:  # noqa: ANN401  see `http_event`
        """Call a route by its key, with the arguments of `http_event`."""
        return self.call(http_event(route, **parts))

    def call(self, event: JsonObject) -> Answer:
        """Send an HTTP event to the handler of its route."""
        package, role = owner_of_route(event["routeKey"])
        answer = self.invoke(package, role, event)
        body = answer.get("body")
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        return Answer(answer["statusCode"], headers, json.loads(body) if body else None)

    def run(self) -> list[JsonObject]:
        """Publish changes and deliver messages until there are none; return the events that were published."""
        published, moved = [], True
        while moved:
            asked, changed, bodies = self._deliver_asked(), self._trigger(), self.new_bodies()
            published += [json.loads(body) for body in alone(bodies)]
            self.listen(bodies)
            moved = asked or changed or bool(bodies)
        return published

    def _deliver_asked(self) -> bool:
        """Deliver what handlers and operators asked for; return True if there was anything.

        They ask for rehydrations, replays, resubmissions, recomputations; and listeners for what they put back.
        """
        asked = False
        for package, role, queue in self._own_queues:
            while bodies := self.new_in(queue):
                self.deliver_all(package, bodies, role=role)
                asked = True
        return asked

    def sweep(self, *, is_whole: bool = False) -> list[JsonObject]:
        """Run every sweep once, then the loop; return the events that were published.

        A sweep reads the shards in which rows wait: the other reads would find nothing, and there are hundreds. A whole
        one makes them, too, as it does on AWS, where they cost.
        """
        for package in services():
            if package.plays("sweep"):
                table = self.tables[package.load("control").CONTROL.table.variable]
                if shards := [shard for shard in ALL_SHARDS if is_whole or any(table.rows(partition_of(shard)))]:
                    self.invoke(package, "sweep", {SHARDS: shards})
        return self.run()

    def listen(self, bodies: list[str]) -> None:
        """Deliver messages to every package that subscribes to them."""
        batches: dict[tuple[Package, str], list[str]] = {}
        for body in bodies:
            envelope = json.loads(body)
            topic = envelope["source"], envelope["detail-type"]
            readers = [(package, "listener") for package in subscribers_of(*topic)]
            for reader in (*readers, *((package, "sender") for package in woken_by(*topic))):
                batches.setdefault(reader, []).append(body)
        for (package, role), batch in batches.items():
            self.deliver_all(package, batch, role=role)

    def deliver(self, package: Package, bodies: list[str]) -> list[str]:
        """Deliver one batch to a listener; return the ids of the messages to be delivered again."""
        answer = self.invoke(package, "listener", sqs_event(bodies))
        return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """Call a handler; all calls come through here."""
        return package.handler(role)(event, LocalContext(f"{package.name}-{role}"))

    def deliver_all(self, package: Package, bodies: list[str], *, role: str = "listener") -> None:
        """Deliver messages to a package, a batch after another."""
        for start in range(0, len(bodies), self.batch):
            self.invoke(package, role, sqs_event(bodies[start : start + self.batch]))

    def _trigger(self) -> bool:
        """Hand every change to its trigger, or its push; return True if there was any."""
        moved = False
        for table in (name for name, schema in self.schemas.items() if schema.stream):
            if records := self.new_records(table):
                package, role = follower_of_table(table)
                self.invoke(package, role, {"Records": records})
                moved = True
        return moved
