"""Incidents at PagerDuty: resolved once what was told is over, whatever order that is heard in, and left open never."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.outbound.delivery import Message, NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.packages.package import Package
from andon.runtime import clock, times
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.runtime.json_types import JsonObject
from andon.testing.above_retries import Pass, between
from andon.testing.environment import frozen_clock
from andon.testing.memory.hook import Call
from services.notify.message import SLOT_MS, slot_of
from services.notify.over import MOST
from tests.services.notify.factory import NOTIFY, NOW, Floor, Spy, channels, request
from tests.services.notify.reached import reach
from tests.support.samples import body_of, fact

ANA: Final = "op-17"
SLOT: Final = slot_of(ANA, NOW) + SLOT_MS
CALL: Final = "7f3c0d5e-9b1a-4c62-8f0e-2d6a1b9c4e57"
PAGERDUTY: Final = "https://events.pagerduty.com/v2/enqueue#R0ut1ngKey"
AGAIN_MS: Final = 2 * MINUTE_MS


class Killed(BaseException):
    """The process ended here."""


class PagerDuty:
    """A channel that keeps incidents; `answers` are given in turn, then `Sent`. `None`: whoever called is killed."""

    name = "webhook"

    def __init__(self, *answers: Outcome | None) -> None:
        self.answers = list(answers)
        self.sent: list[Message] = []
        self.open = set[str]()

    def send(self, message: Message) -> Outcome:
        """Open or resolve an incident, unless that is refused."""
        answer = self.answers.pop(0) if self.answers else Sent("id")
        if not isinstance(answer, NotTaken | RefusedForGood):
            self.sent.append(message)
            (self.open.discard if message.is_over else self.open.add)(message.about)
        if answer is None:
            raise Killed
        return answer

    @property
    def resolved(self) -> list[str]:
        """The incidents that were resolved, each time that they were."""
        return [message.about for message in self.sent if message.is_over]


class Mortal(Floor):
    """A floor whose sender may be killed: its message comes again."""

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """See `Floor`."""
        try:
            return super().invoke(package, role, event)
        except Killed:
            return {"batchItemFailures": [{"itemIdentifier": one["messageId"]} for one in event["Records"]]}

    def hears(self, event: DomainEvent, at_ms: int, *, source: str = "dispatch") -> None:
        """Hear an event at a time, and send what is due by then."""
        with frozen_clock(at_ms):
            assert self.deliver(NOTIFY, [body_of(event, source=source)]) == []
        self.pass_to(at_ms)

    def pass_to(self, at_ms: int) -> None:
        """Do what is due at a time."""
        with frozen_clock(at_ms):
            self.run()
            self.sweep_notify()
            self.send(at_ms, batch=1)
            self.run()

    def settle(self, at_ms: int) -> None:
        """Let so much time pass that nothing waits any more."""
        for number in range(1, 10):
            self.pass_to(at_ms + number * AGAIN_MS)
        assert not self.waiting


def back(machine: str, number: int = 0) -> DomainEvent:
    """Return the fact that a machine is back; number: of several publications of it."""
    said = {"equipmentId": machine, "timestamp": times.to_utc(SLOT + 1_000)}
    return fact("trouble-ended", id=f"{machine} back {number}", at=SLOT + 1_000, **said)


def log_of(machine: str) -> str:
    return f"About#Log#ERROR#{times.to_utc(SLOT)}#{machine}"


class Card(NamedTuple):
    """An event, and how long it is after the one before."""

    event: DomainEvent
    after_ms: int


GAPS: Final = st.sampled_from([0, 3_000, 11_000, AGAIN_MS, 12 * MINUTE_MS])
EVENTS: Final = [
    *(request("press-1", at=SLOT), request("press-2", at=SLOT)),
    *(back("press-1"), back("press-1", 1), back("press-2")),
]
ANSWERS: Final = st.lists(st.sampled_from([Sent("id"), NotTaken("busy"), Unknown("timeout"), None]), max_size=4)


def is_heard(answers: Sequence[Outcome | None]) -> bool:
    """Return True if one call at most ends without an answer: of two nobody counts as told."""
    return sum(not isinstance(one, Sent | NotTaken) for one in answers) <= 1


@settings(max_examples=25)
@example(cards=tuple(map(Card, EVENTS, (0, 0, 0, 12 * MINUTE_MS, 0))), answers=[NotTaken("busy")])
@example(cards=tuple(map(Card, EVENTS, (0, 0, 0, 0, 0))), answers=[Unknown("timeout"), NotTaken("busy")])
@example(cards=tuple(map(Card, EVENTS[1:] + EVENTS[:1], (0, 0, 11_000, *[12 * MINUTE_MS] * 2))), answers=[])
@given(
    cards=st.permutations(EVENTS).flatmap(
        lambda events: st.tuples(*(st.builds(Card, st.just(event), GAPS) for event in events))
    ),
    answers=ANSWERS.filter(is_heard),
)
def test_whatever_comes_first_and_whoever_is_killed_nothing_that_is_over_stays_open(
    cards: Sequence[Card], answers: Sequence[Outcome | None]
) -> None:
    pagerduty, at_ms = PagerDuty(*answers), SLOT
    with Mortal() as floor, channels(pagerduty), patch.object(clock, "wait"):
        reach(ANA, "webhook", webhooks=[PAGERDUTY])
        for card in cards:
            for pause_ms in range(AGAIN_MS, card.after_ms, AGAIN_MS):
                floor.pass_to(at_ms + pause_ms)
            at_ms += card.after_ms
            floor.hears(card.event, at_ms)
        floor.settle(at_ms)

        told = [message for message in pagerduty.sent if not message.is_over]
        assert told
        assert pagerduty.open == set()
        assert {*pagerduty.resolved} == {message.about for message in told}
        assert len(pagerduty.resolved) <= len(told) + sum(answer != Sent("id") for answer in answers)
        assert {one["type"] for one in floor.facts} <= {"person-told"}
        assert len(floor.facts) <= len(told)  # that it is over is told nobody


def one_of(name: str, **said: object) -> DomainEvent:
    """Return a fact about press-1, or a call there."""
    event = fact(name, at=SLOT + DAY_MS, equipmentId="press-1")
    entities = {name: entity | said for name, entity in event.entities.items()}
    return event._replace(id=f"{name} of {said}", entities=entities)


ERROR: Final = {"equipmentId": "press-1", "state": "ERROR", "timestamp": times.to_utc(SLOT)}
SILENT: Final = ERROR | {"state": "SILENT"}
OF_CALL: Final = {"callId": CALL, "equipmentId": "press-1"}
AFTER: Final = {"timestamp": times.to_utc(SLOT + 1)}


@pytest.mark.parametrize(
    ("about", "source", "end", "resolves"),
    [
        (ERROR, "dispatch", one_of("trouble-ended", **AFTER), True),
        (ERROR, "dispatch", one_of("trouble-ended", timestamp=times.to_utc(SLOT)), False),
        (ERROR, "dispatch", one_of("trouble-ended", **AFTER, equipmentId="press-2"), False),
        (ERROR, "dispatch", one_of("equipment-back", **AFTER), False),
        (ERROR, "calls", one_of("call-closed", id=CALL), False),
        (SILENT, "dispatch", one_of("equipment-back", **AFTER), True),
        (SILENT, "dispatch", one_of("trouble-ended", **AFTER), True),
        (OF_CALL, "calls", one_of("call-closed", id=CALL), True),
        (OF_CALL, "calls", one_of("call-rejected", id=CALL), True),
        (OF_CALL, "calls", one_of("call-taken", id=CALL), False),
        (OF_CALL, "calls", one_of("call-closed", id="7f3c0d5e-0000-4c62-8f0e-2d6a1b9c4e57"), False),
        (OF_CALL, "dispatch", one_of("trouble-ended", **AFTER), False),
    ],
    ids=lambda one: one.type if isinstance(one, DomainEvent) else None,
)
def test_an_incident_is_resolved_days_later_by_what_ends_its_subject_alone(
    about: JsonObject, source: str, end: DomainEvent, *, resolves: bool
) -> None:
    pagerduty, later_ms = PagerDuty(), SLOT + DAY_MS
    with Mortal() as floor, channels(pagerduty):
        reach(ANA, "webhook", webhooks=[PAGERDUTY])
        floor.hears(request("press-1", at=SLOT, about=about), SLOT)
        floor.settle(SLOT)
        (told,) = pagerduty.sent
        floor.hears(end, later_ms, source=source)
        floor.settle(later_ms)

        assert pagerduty.resolved == ([told.about] if resolves else [])
        assert [one["type"] for one in floor.facts] == ["person-told"]
        assert len(floor.tellings) == 1


def test_an_end_costs_as_much_among_many_of_its_machine_as_among_few() -> None:
    def items(number: int) -> float:
        found = 0

        def counted(call: Call, make: Pass) -> dict[str, Any]:
            nonlocal found
            answer = make()
            found += answer.get("Count", 0) if call.operation == "Query" else 0
            return answer

        with Mortal() as floor, between(counted), frozen_clock(SLOT + DAY_MS):
            for one in range(number):
                ended = one_of("trouble-ended", timestamp=times.to_utc(SLOT + one))._replace(timestamp_ms=SLOT + one)
                floor.deliver(NOTIFY, [body_of(ended, source="dispatch")])
                if one % 5 == 4:
                    floor.run()
        return found / number

    assert items(1_000) <= 1.2 * items(200) + 0.1


def test_a_call_is_over_behind_many_troubles_of_its_machine() -> None:
    pagerduty, later_ms = PagerDuty(), SLOT + DAY_MS
    with Mortal() as floor, channels(pagerduty):
        reach(ANA, "webhook", webhooks=[PAGERDUTY])
        floor.hears(request("press-1", at=SLOT, about=OF_CALL), SLOT)
        floor.settle(SLOT)
        with frozen_clock(later_ms):
            ends = [one_of("trouble-ended", timestamp=times.to_utc(SLOT + one)) for one in range(2 * MOST)]
            floor.deliver(NOTIFY, [body_of(end, source="dispatch") for end in ends])
        floor.hears(one_of("call-closed", id=CALL), later_ms, source="calls")
        floor.settle(later_ms)

        assert pagerduty.resolved == [f"About#Call#{CALL}"]


OTHERS: Final[dict[str, tuple[str, list[str], Outcome]]] = {
    "another-host": ("webhook", ["https://hooks.example.com/t"], Sent("id")),
    "another-channel": ("mail", [PAGERDUTY], Sent("id")),
    "not-told": ("webhook", [PAGERDUTY], RefusedForGood("no")),
    "unsure": ("webhook", [PAGERDUTY], Unknown("timeout")),
}


@pytest.mark.parametrize("other", OTHERS)
def test_who_was_not_told_by_such_a_webhook_gets_no_end(other: str) -> None:
    channel, webhooks, answer = OTHERS[other]
    spies = Spy("webhook", answer), Spy("mail")
    with Mortal() as floor, channels(*spies):
        reach(ANA, channel, webhooks=webhooks)
        floor.hears(request("press-1", at=SLOT), SLOT)
        floor.settle(SLOT)
        failed = len(floor.facts)
        floor.hears(back("press-1"), SLOT + DAY_MS)
        floor.settle(SLOT + DAY_MS)

        assert not any(message.is_over for spy in spies for message in spy.sent)
        assert len(floor.facts) == failed


def test_an_end_that_is_refused_is_a_failure_that_says_of_what() -> None:
    pagerduty = PagerDuty(Sent("id"), RefusedForGood("HTTP 400"))
    with Mortal() as floor, channels(pagerduty):
        reach(ANA, "webhook", webhooks=[PAGERDUTY])
        floor.hears(request("press-1", at=SLOT), SLOT)
        floor.settle(SLOT)
        floor.hears(back("press-1"), SLOT + DAY_MS)
        floor.settle(SLOT + DAY_MS)

        failures = [one["failure"] for one in floor.facts if one["type"] == "delivery-failed"]
        assert [(one["reason"], one["about"]) for one in failures][:1] == [("HTTP 400", [ERROR])]
        assert pagerduty.open == {log_of("press-1")}
