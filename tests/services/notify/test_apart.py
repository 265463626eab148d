"""Facts that wake the sender and came in one message: each is told of by itself."""

from collections.abc import Iterator

import pytest

from andon.events.group import body_of as group_of
from andon.runtime.clock import MINUTE_MS
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.memory.queues import QueuedMessage
from andon.testing.wire import Wire
from andon.testing.world import alone
from tests.services.notify.factory import NOTIFY, NOW, Floor, Spy, channels, request
from tests.services.notify.reached import reach


@pytest.fixture
def floor() -> Iterator[Floor]:
    with Floor() as floor:
        yield floor


PEOPLE = [f"op-{number}" for number in range(12)]


@pytest.fixture
def decided(floor: Floor) -> list[str]:
    """Return messages that wake the sender, for one person each, alone."""
    for person in PEOPLE:
        reach(person, "mail")
    floor.go_on(NOW, 1, hears=[request("press-1", at=NOW, person=person) for person in PEOPLE], sends=False)
    return alone(body for _, body in floor.waiting)


def test_facts_of_a_group_come_again_at_once_each_alone_and_nobody_waits_for_a_neighbours_provider(
    floor: Floor, decided: list[str]
) -> None:
    mail = Spy("mail")
    with channels(mail), frozen_clock(NOW + MINUTE_MS):
        answer = floor.invoke(NOTIFY, "sender", sqs_event([group_of(decided)]))
        assert mail.sent == []
        apart = floor.queues.messages(floor.address(NOTIFY.sender_queue))
        for one in apart:
            floor.invoke(NOTIFY, "sender", sqs_event([one.body]))

    assert answer == {"batchItemFailures": []}
    # The queue delays what says nothing, and these have waited already.
    assert apart == [QueuedMessage(body, 0) for body in decided]
    assert len(decided) == len(mail.sent) == len(PEOPLE)


def test_a_group_that_cannot_be_sent_apart_comes_again(floor: Floor, decided: list[str]) -> None:
    with Wire(("sqs",)) as wire:
        wire.fail("SendMessageBatch", "AccessDeniedException")
        answer = floor.invoke(NOTIFY, "sender", sqs_event([group_of(decided)]))

    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
