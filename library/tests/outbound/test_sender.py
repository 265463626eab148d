"""A message that nobody takes ends by itself, before its queue makes it a dead letter."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Final
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.bus_entry import to_message
from andon.outbound import sender
from andon.outbound.delivery import (
    MOST_CALLS,
    MOST_CHANNELS,
    MOST_COVERED,
    NO_CHANNEL,
    Gateway,
    Message,
    Notice,
    NotTaken,
    Outcome,
    RefusedForGood,
    Sent,
    Status,
    Unknown,
    Waiting,
    Wake,
    Way,
    most_receives,
)
from andon.outbound.provider import LONGEST_MS
from andon.outbound.sender import SenderCounts
from andon.runtime import clock
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import bus_members, sqs_event
from andon.testing.memory.aws import AwsInMemory
from andon.wire.deadline import ATTEMPT_MS
from toys.things import happened

NOON: Final = 1_790_000_000_000
KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLE: Final = Table("TOLD_TABLE", KEYS)
WAKE: Final = Wake("Person#op-17", f"{NOON:013d}.now", NOON, "now")
HIDDEN_MS: Final = 120_000
SENDER_MS: Final = 20_000
OWN_FAILURES: Final = 5  # of a sender that ends before it has done anything

NO_ROOM: Final = 0
OUTCOMES: Final = st.sampled_from([NotTaken("429"), Unknown("timeout"), RefusedForGood("400"), Sent("id")])


class Scripted:
    """A channel whose calls end as a script says, then always as its last one."""

    def __init__(self, name: str, outcomes: Sequence[Outcome]) -> None:
        self.name, self._outcomes = name, list(outcomes)

    def send(self, _: Message) -> Outcome:
        """End as is next."""
        return self._outcomes.pop(0) if len(self._outcomes) > 1 else self._outcomes[0]


@contextmanager
def standing() -> Iterator[Callable[[int], None]]:
    """An empty table, and what sets the clock."""
    now = [NOON]
    with (
        AwsInMemory({TABLE.variable: TableSchema(KEYS)}),
        patch.dict("os.environ", {TABLE.variable: TABLE.variable}),
        patch.object(clock, "now_ms", lambda: now[0]),
    ):
        yield lambda to_ms: now.__setitem__(0, to_ms)


def gateway_of(script: Sequence[tuple[Sequence[Outcome], int | None]]) -> Gateway:
    """The gateway to somebody who is reached by so many channels, some of which have a limit an hour."""
    notice = Notice("n", NOON, {"machine": "press-1"})
    ways = [Way(f"c{number}", "somebody", per_hour=most) for number, (_, most) in enumerate(script)]
    channels = {way.channel: Scripted(way.channel, outcomes) for way, (outcomes, _) in zip(ways, script, strict=True)}
    message = Message("m", "somebody", "subject", "text", "low", "about", None, "en")
    return Gateway(
        TABLE,
        on=frozenset(),
        emits=frozenset(),
        wake_of=lambda _: WAKE,
        waiting_of=lambda *_: Waiting([notice], [notice]),
        ways_of=lambda *_: ways,
        compose=lambda *_: message,
        channels=lambda: channels,
        tell_story=lambda *_: None,
    )


@given(
    script=st.lists(
        st.tuples(st.lists(OUTCOMES, min_size=1, max_size=6), st.sampled_from([None, NO_ROOM])),
        max_size=MOST_CHANNELS,
    ),
    late_ms=st.integers(0, HIDDEN_MS),
)
@example(script=[([Sent("id")], NO_ROOM)], late_ms=0)
@example(script=[([Unknown("timeout")], None)] * MOST_CHANNELS, late_ms=0)
def test_its_end_is_known_before_it_has_come_as_often_as_it_may(
    script: list[tuple[list[Outcome], int | None]], late_ms: int
) -> None:
    gateway = gateway_of(script)
    with standing() as at:
        for received in count(1):
            at(NOON + late_ms + received * HIDDEN_MS)
            try:
                is_told = sender.tell(WAKE, gateway, SenderCounts())
            except sender.NotYet:
                assert received < most_receives(HIDDEN_MS) - OWN_FAILURES
            else:
                break
        ended = {one.channel: one.status for one in sender.read_box(TABLE, WAKE.recipient, clock.now_ms()).deliveries}

    assert is_told == (Status.SENT in ended.values())
    assert is_told or ended[NO_CHANNEL] is Status.FAILED


@pytest.mark.parametrize(("hidden_ms", "times"), [(120_000, 22), (60_000, 29), (900_000, 15)])
def test_it_may_come_as_often_as_it_is_held_back_and_called_for(hidden_ms: int, times: int) -> None:
    assert most_receives(hidden_ms) == times


class Slow:
    """A channel whose calls take the longest."""

    def __init__(self, at: Callable[[int], None]) -> None:
        self.name, self.calls, self._at = "c0", 0, at

    def send(self, _: Message) -> Outcome:
        """Answer at the last moment."""
        self.calls += 1
        self._at(clock.now_ms() + LONGEST_MS)
        return Sent("id")


class Ends(LocalContext):
    """The context of an invocation that began at noon."""

    def get_remaining_time_in_millis(self) -> int:
        """Return what the clock says is left."""
        return NOON + SENDER_MS - clock.now_ms()


def test_no_part_of_a_message_is_begun_that_would_outlast_the_invocation() -> None:
    notices = [Notice(f"n{number}", NOON, {"machine": f"press-{number}"}) for number in range(5 * MOST_COVERED)]
    woken = to_message(happened("painted", "a thing"), source="things", bus_event=bus_members("an entry", NOON))
    with standing() as at:
        slow = Slow(at)
        gateway = gateway_of([([Sent("id")], None)])._replace(
            waiting_of=lambda *_: Waiting(notices, notices), channels=lambda: {"c0": slow}
        )
        answer = sender.send_messages(sqs_event([woken]), Ends("sender"), gateway=gateway, service="notify")

    assert slow.calls == (SENDER_MS - ATTEMPT_MS) // LONGEST_MS + 1, "each began with time for a call and its mark"
    assert len(answer["batchItemFailures"]) == 1, "the other parts come again"


class Killed(BaseException):
    """The process ended here."""


class Dies:
    """A channel whose first caller is killed at its call; the next ones end as they should."""

    def __init__(self, then: Outcome) -> None:
        self.name, self.calls, self._then = "c0", 0, then

    def send(self, _: Message) -> Outcome:
        """Kill the first caller."""
        self.calls += 1
        if self.calls == 1:
            raise Killed
        return self._then


@pytest.mark.parametrize("then", [Sent("id"), Unknown("timeout"), RefusedForGood("400"), NotTaken("429")])
def test_what_another_message_claimed_and_nobody_ended_is_told_behind_its_lease(then: Outcome) -> None:
    stories, dies = list[str](), Dies(then)
    gateway = gateway_of([([Sent("id")], None)] * 2)._replace(
        tell_story=lambda delivery, _: stories.append(delivery.message)
    )
    channels = {**gateway.channels(), "c0": dies}
    overdue = WAKE._replace(message=f"{NOON:013d}.overdue", kind="overdue")
    with standing() as at:
        with pytest.raises(Killed):
            sender.tell(WAKE, gateway._replace(channels=lambda: channels), SenderCounts())
        assert sender.tell(overdue, gateway, SenderCounts()) is False, "whoever claimed it may be calling"
        gone = gateway._replace(channels=lambda: channels)
        for received in count(1):
            at(NOON + received * HIDDEN_MS)
            try:
                sender.tell(overdue, gone, SenderCounts())
            except sender.NotYet:
                assert received < most_receives(HIDDEN_MS)
            else:
                break
        box = sender.read_box(TABLE, WAKE.recipient, clock.now_ms())

    assert [one.channel for one in box.deliveries if one.status is Status.SENT], "somebody was told"
    assert dies.calls <= MOST_CALLS, "and nobody more than twice by a channel"
    assert len(stories) == 1
