"""Requests for help, people who can be reached, and a channel that keeps what it is given."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

from andon.events.domain_event import DomainEvent
from andon.outbound.delivery import Channel, Message, Outcome, Sent
from andon.packages.package import Package
from andon.runtime import clock, times
from andon.runtime.clock import MINUTE_MS
from andon.runtime.json_types import JsonObject
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.loop import Loop
from andon.testing.world import alone
from services.notify import outbound
from tests.support.samples import body_of, fact

NOTIFY: Final = Package("services", "notify")
NOW: Final = times.to_ms("2026-01-01T09:00:00Z")
SWEEP_MS: Final = MINUTE_MS
DELAY_MS: Final = 10_000
STEP_MS: Final = 5_000

Told = list[JsonObject]


class Spy:
    """A channel; `answers` are given in turn, the last one from then on."""

    def __init__(self, name: str, *answers: Outcome) -> None:
        self.name, self.answers = name, list(answers) or [Sent("id")]
        self.sent: list[Message] = []

    def send(self, message: Message) -> Outcome:
        """Keep the message, and answer."""
        self.sent.append(message)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def channels(*made: Channel) -> Iterator[None]:
    """Send by these channels."""
    with patch.dict(outbound.CHANNELS, {one.name: one for one in made}, clear=True):
        yield


def requests(number: int, *, every_ms: int, person: str = "op-17", at: int = NOW) -> list[DomainEvent]:
    """Return requests of one person for help with so many machines."""
    return [request(f"press-{n}", at=at + n * every_ms, person=person) for n in range(number)]


def request(machine: str, *, at: int, person: str = "op-17", **more: object) -> DomainEvent:
    """Return a request for help with a machine."""
    since = times.to_utc(at)
    about = {"equipmentId": machine, "state": "ERROR", "timestamp": since}
    said = {"person": person, "about": about, "name": machine, "since": since, **more}
    return fact("help-requested", id=f"{machine} {at}", at=at, **said)


class Floor(Loop):
    """The loop, by a clock; the sender's queue has a delay, and what it cannot do comes again after two minutes."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[tuple[int, str]] = []
        self.decided: list[JsonObject] = []
        self.facts: list[JsonObject] = []
        self.tellings: list[JsonObject] = []

    def hear(self, events: Sequence[DomainEvent], *, batch: int = 10) -> None:
        """Deliver requests to the listener in batches, and what follows at once."""
        bodies = [body_of(event, source="dispatch") for event in events]
        for start in range(0, len(bodies), batch):
            assert self.deliver(NOTIFY, bodies[start : start + batch]) == []

    def listen(self, bodies: list[str]) -> None:
        """Put messages on the sender's queue, and keep the facts of deliveries."""
        for body in bodies:
            facts = [*map(fact_in, alone([body]))]
            kept = {"trouble-told": self.tellings}.get(facts[0]["type"], self.facts)
            wakes = facts[0]["type"].startswith("message-")
            (self.decided if wakes else kept).extend(facts)
            if wakes:
                self.waiting.append((clock.now_ms() + DELAY_MS, body))

    def send(self, now_ms: int, *, batch: int = 5) -> None:
        """Hand the sender what is due by now."""
        due = [body for at_ms, body in self.waiting if at_ms <= now_ms]
        self.waiting = [(at_ms, body) for at_ms, body in self.waiting if at_ms > now_ms]
        while due:
            bodies, due = due[:batch], due[batch:]
            event = sqs_event(bodies)
            by_id = {one["messageId"]: one["body"] for one in event["Records"]}
            again = self.invoke(NOTIFY, "sender", event)["batchItemFailures"]
            self.waiting += [(now_ms + 2 * MINUTE_MS, by_id[one["itemIdentifier"]]) for one in again]
            due += self.new_in(NOTIFY.sender_queue)

    def go_on(self, from_ms: int, minutes: float, *, hears: Sequence[DomainEvent] = (), sends: bool = True) -> None:
        """Let time pass, by steps of five seconds; requests arrive at their times, a sweep runs each minute."""
        left = sorted(hears, key=lambda event: event.timestamp_ms)
        for now_ms in range(from_ms, from_ms + round(minutes * MINUTE_MS) + 1, STEP_MS):
            with frozen_clock(now_ms):
                if arrived := [event for event in left if event.timestamp_ms <= now_ms]:
                    left = left[len(arrived) :]
                    self.hear(arrived)
                self.run()
                if now_ms % SWEEP_MS < STEP_MS:
                    self.sweep_notify()
                if sends:
                    self.send(now_ms)
                self.run()

    def sweep_notify(self) -> None:
        """Run notify's sweep alone."""
        self.invoke(NOTIFY, "sweep", {})
        self.run()


def fact_in(body: str) -> JsonObject:
    """Return the event of a message."""
    event: JsonObject = json.loads(body)["detail"]
    return event
