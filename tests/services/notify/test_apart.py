"""Facts that wake the sender and came in one message: each is told of by itself."""

from collections.abc import Iterator

import pytest

from andon.events.group import body_of as group_of
from andon.testing.lambda_events import sqs_event
from andon.testing.memory.queues import QueuedMessage
from tests.services.notify.factory import NOTIFY, Floor, Spy, channels
from tests.support.samples import body_of, fact
from tests.support.wire import Wire


@pytest.fixture
def floor() -> Iterator[Floor]:
    with Floor() as floor:
        yield floor


ALONE = [body_of(fact("message-decided", id=f"decision {number}")) for number in range(12)]


def sent_to_itself(floor: Floor) -> list[QueuedMessage]:
    return floor.queues.messages(floor.address(NOTIFY.sender_queue))


def test_facts_of_a_group_come_again_at_once_each_alone_and_nobody_waits_for_a_neighbours_provider(
    floor: Floor,
) -> None:
    mail = Spy("mail")
    with channels(mail):
        answer = floor.invoke(NOTIFY, "sender", sqs_event([group_of(ALONE)]))

    assert answer == {"batchItemFailures": []}
    # The queue delays what says nothing, and these have waited already.
    assert sent_to_itself(floor) == [QueuedMessage(body, 0) for body in ALONE]
    assert mail.sent == []


def test_a_group_that_cannot_be_sent_apart_comes_again(floor: Floor) -> None:
    with Wire(("sqs",)) as wire:
        wire.fail("SendMessageBatch", "AccessDeniedException")
        answer = floor.invoke(NOTIFY, "sender", sqs_event([ALONE[0], group_of(ALONE)]))

    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-1"}]}
