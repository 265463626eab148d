"""The loop as AWS drives it on a bad day: what failed comes again, what did not comes twice, in another order.

The first work of each trigger, listener and sweep meets an outage, so that each fails for sure; all else is chance.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from random import Random
from typing import Any, Final

from andon.events.change_data_capture import event_of
from andon.events.publish import NotPublished
from andon.packages.discovery import follower_of_table, readers, services, subscribers_of
from andon.packages.package import Package
from andon.runtime.errors import CallFailed
from andon.testing.environment import LocalContext
from andon.testing.loop import BATCH, Loop
from andon.testing.world import alone

STREAM_BATCH: Final = 100
DOUBLED: Final = 0.1
LATE: Final = 0.3
KILLED: Final = 0.1
"""Of the batches of the lake's listener, after so many it dies before it answers."""

LAKE: Final = Package("stores", "lake")
ATTEMPTS: Final = 100

TAGS: Final = {"stage": "", "source": "", "functionname": "", "pipeline": ""}


class ChaoticLoop:
    """Takes changes to triggers and messages to listeners, on `loop`."""

    def __init__(self, loop: Loop, chance: Random, *, outage: Callable[[], AbstractContextManager[None]]) -> None:
        self.published: list[str] = []
        """The facts that the bus passed on, in its order, each as the body of a message of its own."""
        self.meant: set[str] = set()
        """The ids of the events that the changes of the tables mean."""
        self.counts: Counter[str] = Counter()
        self._loop = loop
        self._chance = chance
        self._outage = outage
        self._have_failed: set[tuple[Package, str]] = set()
        self._queues: dict[Package, list[str]] = {package: [] for package in readers()}

    def step(self, *, late: float = LATE) -> bool:
        """Take everything on by one step, but some messages not yet; tell whether anything moved."""
        told = self._trigger()
        heard = self._hear(self._loop.new_bodies())
        return any([told, heard, self._listen(late)])

    def drain(self) -> None:
        """Go on until nothing moves."""
        for _ in range(ATTEMPTS):
            if not self.step(late=0):
                return
        raise AssertionError("it never comes to rest")

    def sweep(self) -> None:
        """Let the clock tick once; what fails is for the next time."""
        for package in services():
            if package.plays("sweep"):
                try:
                    with self._first_in_outage(package, "sweep"):
                        package.handler("sweep")({}, LocalContext(f"{package.name}-sweep"))
                except CallFailed:
                    self.counts["sweeps broken off"] += 1

    def _first_in_outage(self, package: Package, role: str) -> AbstractContextManager[None]:
        if (package, role) in self._have_failed:
            return nullcontext()
        self._have_failed.add((package, role))
        return self._outage()

    def _trigger(self) -> bool:
        records = {table: self._loop.new_records(table) for table, one in self._loop.schemas.items() if one.stream}
        for table, news in records.items():
            package, role = follower_of_table(table)
            if role == "push":
                continue  # screens, not events
            self.counts["changes"] += len(news)
            for start in range(0, len(news), STREAM_BATCH):
                self._tell(package, news[start : start + STREAM_BATCH])
        return any(records.values())

    def _tell(self, package: Package, records: list[dict[str, Any]]) -> None:
        """Hand a batch to the trigger, and after a failure its halves, as the stream's mapping does."""
        errors: Counter[str] = Counter()
        meant = set(_meant(package, records))
        self.meant |= meant
        for _ in range(ATTEMPTS):
            try:
                with self._first_in_outage(package, "trigger") if meant else nullcontext():
                    package.handler("trigger")({"Records": records}, LocalContext(f"{package.name}-trigger"))
            except (NotPublished, CallFailed) as error:
                self.counts["trigger batches again"] += 1
                errors[str(error)[:300]] += 1
                if len(records) > 1:
                    middle = len(records) // 2
                    self._tell(package, records[:middle])
                    self._tell(package, records[middle:])
                    return
            else:
                return
        raise AssertionError(f"{package.name} cannot tell of {len(records)} changes: {errors}")

    def _hear(self, bodies: list[str]) -> bool:
        self.published += alone(bodies)
        for body in bodies:
            envelope = json.loads(body)
            for package in subscribers_of(envelope["source"], envelope["detail-type"]):
                twice = self._chance.random() < DOUBLED
                self.counts["doubled by the queue"] += twice
                self._queues.setdefault(package, []).extend([body] * (1 + twice))
        return bool(bodies)

    def _listen(self, late: float) -> bool:
        moved = [self._deliver(package, late) for package in self._queues]  # every one, whatever the first says
        return any(moved)

    def _deliver(self, package: Package, late: float) -> bool:
        messages = self._queues[package]
        self._chance.shuffle(messages)
        later = int(len(messages) * late)
        now, self._queues[package] = messages[later:], messages[:later]
        for start in range(0, len(now), BATCH):
            batch = now[start : start + BATCH]
            with self._first_in_outage(package, "listener"):
                again = self._loop.deliver(package, batch)
            if package == LAKE and self._chance.random() < KILLED:  # after its writes: nothing is acknowledged
                again = [f"message-{number}" for number in range(len(batch))]
            left = [batch[int(message_id.rpartition("-")[2])] for message_id in again]
            if package != LAKE:
                left += self._loop.resubmitted(package)  # what it put back itself
            self._count(package, batch, left)
            self._queues[package] += left
        return bool(now)

    def _count(self, package: Package, batch: list[str], left: list[str]) -> None:
        """Count facts."""
        whither = "to the lake" if package == LAKE else "deliveries"
        self.counts[whither] += len(alone(batch))
        self.counts[f"{whither} again"] += len(alone(left))


def _meant(package: Package, records: list[Any]) -> Iterator[str]:
    for record in records:
        if event := event_of(record, facts=package.facts, tags=TAGS):
            yield event.id
