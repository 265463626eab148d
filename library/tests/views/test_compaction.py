"""Messages folded into one write of a batch come out as if each had come alone."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.events.domain_event import DomainEvent
from andon.events.received import Received
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import LogLines, logged
from andon.testing.memory.aws import OneTable
from andon.views.compaction import Message, compact
from andon.views.inverse_oplock import event_order
from andon.views.materialize import interpret, materialize
from toys.clock import NOW
from toys.things import KEYS, ON, TTL_MS, VARIABLE, VIEW, happened, message, on_painted

OUTCOMES = ("applied", "duplicate", "stale", "expired", "compacted", "fault", "failed")
DAY_MS = SECONDS_PER_DAY * 1000
POISON = "not JSON"


def event_of(kind: str, name: str, at: int, value: int | None) -> DomainEvent:
    """Return an event under an id that names all of it: one id, one fact."""
    field = "gloss" if kind == "painted" else "grams"
    return happened(kind, name, at=at, id=f"{name} {kind} {at} {value}", **{field: value})


facts = st.builds(
    event_of,
    st.sampled_from(["painted", "weighed"]),
    st.sampled_from(["lathe", "drill"]),
    st.sampled_from([NOW - TTL_MS, NOW - TTL_MS + 1000, NOW - DAY_MS, NOW - 1, NOW]),
    st.none() | st.integers(0, 2),
)
bodies = facts.map(message) | st.just(POISON)
batches = st.lists(st.lists(bodies, min_size=1, max_size=10), min_size=1, max_size=3)


@pytest.fixture(name="memory", scope="module")
def memory_of_module() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as memory, frozen_clock(NOW):
        yield memory


@pytest.fixture(autouse=True)
def let_all_through(memory: OneTable) -> None:
    memory.busy_after(None)


@pytest.fixture(scope="module")
def lines(memory: OneTable) -> Iterator[LogLines]:  # noqa: ARG001  its service names the logger
    with logged() as lines:
        yield lines


def deliver(*bodies: str) -> list[str]:
    """Deliver a batch; give the ids of the messages that are to come again."""
    answer = materialize(sqs_event(bodies), LocalContext("things-listener"), listener=VIEW)
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


@given(batches)
def test_compacted_and_uncompacted_delivery_give_the_same_table(memory: OneTable, series: list[list[str]]) -> None:
    memory.partitions = {}
    for batch in series:
        assert deliver(*batch) == []
    compacted, memory.partitions = memory.partitions, {}

    for batch in series:
        for body in batch:
            assert deliver(body) == []

    assert compacted == memory.partitions


@given(st.lists(bodies, max_size=6), st.lists(bodies, min_size=1, max_size=10), st.integers(0, 5))
def test_every_message_has_one_outcome_and_those_that_failed_come_again_to_the_same_table(
    memory: OneTable, lines: LogLines, before: list[str], batch: list[str], writes: int
) -> None:
    memory.partitions = {}
    deliver(*before)
    start = memory.partitions
    lines.clear()
    deliver(*batch)
    whole, memory.partitions = memory.partitions, start

    memory.busy_after(writes)
    failed = deliver(*batch)
    memory.busy_after(None)
    again = [batch[int(message_id.removeprefix("message-"))] for message_id in failed]
    assert deliver(*again) == []

    assert memory.partitions == whole
    for line, received in zip(lines, (len(batch), len(batch), len(again)), strict=True):
        assert line["received"] == sum(line[outcome] for outcome in OUTCOMES) == received
    assert [line["failed"] for line in lines] == [0, len(failed), 0]
    assert lines[1]["fault"] == batch.count(POISON)


def paintings(name: str, *, of: int = 3) -> list[str]:
    """Return the messages of several paintings of one thing, the newest last."""
    return [message(happened("painted", name, id=f"e{number}", colour=f"c{number}")) for number in range(1, of + 1)]


def colour_in(memory: OneTable) -> object:
    ((row,),) = (rows.values() for rows in memory.partitions.values())
    return row["colour"]


@pytest.mark.parametrize(
    ("refused", "colour", "counts"),
    [
        (0, {"S": "c3"}, {"applied": 1, "compacted": 2}),
        (1, {"S": "c2"}, {"fault": 1, "applied": 1, "compacted": 1}),
        (2, {"S": "c1"}, {"fault": 2, "applied": 1}),
    ],
)
def test_members_of_a_write_that_is_refused_for_ever_are_written_one_after_the_other_newest_first(
    memory: OneTable, lines: LogLines, refused: int, colour: dict[str, str], counts: dict[str, int]
) -> None:
    memory.partitions = {}
    memory.refuse(lambda number, _: "ValidationException" if number <= refused else None)

    assert deliver(*paintings("lathe")) == []

    assert colour_in(memory) == colour
    assert {outcome: lines[-1][outcome] for outcome in OUTCOMES if lines[-1][outcome]} == counts


def test_if_every_member_is_refused_for_ever_each_is_a_fault(memory: OneTable, lines: LogLines) -> None:
    memory.partitions, published = {}, len(memory.published)
    memory.refuse(lambda *_: "ValidationException")

    assert deliver(*paintings("lathe")) == []

    assert memory.partitions == {}
    assert len(memory.published) == published + 3
    assert lines[-1]["fault"] == 3


def test_a_failure_that_may_pass_behind_one_for_ever_fails_the_rest(memory: OneTable, lines: LogLines) -> None:
    memory.partitions = {}
    bodies = paintings("lathe")
    memory.refuse(lambda number, _: "ValidationException" if number == 1 else "ThrottlingException")

    assert deliver(*bodies) == ["message-1", "message-0"]
    assert (lines[-1]["fault"], lines[-1]["failed"]) == (1, 2)
    memory.busy_after(None)
    assert deliver(*bodies[:2]) == []

    assert colour_in(memory) == {"S": "c2"}


def test_a_duplicate_that_is_the_newest_answers_for_the_older_ones_too(memory: OneTable, lines: LogLines) -> None:
    memory.partitions = {}
    bodies = paintings("lathe")
    deliver(bodies[2])

    assert deliver(*bodies) == []

    assert (lines[-1]["duplicate"], lines[-1]["compacted"], lines[-1]["applied"]) == (1, 2, 0)


@given(st.lists(facts, max_size=12))
def test_updates_are_put_together_by_row_and_oplock_newest_first_and_none_is_lost(events: list[DomainEvent]) -> None:
    messages = [Message(Received(str(n)), *interpret(message(event), ON, now_ms=NOW)) for n, event in enumerate(events)]

    groups = compact(messages)

    assert Counter(message.received.message_id for group in groups for message in group) == Counter(
        map(str, range(len(events)))
    )
    updates = [[ON["workshop", message.event.type](message.event) for message in group] for group in groups]
    targets = [{(str(update.key), update.oplock) for update in group} for group in updates]
    assert all(len(target) == 1 for target in targets)
    assert len(set.union(set(), *targets)) == len(groups)
    for group in groups:
        orders = [event_order(message.event) for message in group]
        assert orders == sorted(orders, reverse=True)


def test_what_is_about_the_later_time_is_the_newest_of_a_batch_whenever_it_was_said() -> None:
    said = [happened("painted", "x", at=NOW, id="late"), happened("painted", "x", at=NOW - 1, id="early")]
    later, earlier = (on_painted(event) for event in said)
    about = (replace(later, about_ms=1), replace(earlier, about_ms=2))

    [group] = compact(Message(Received(event.id), event, update) for event, update in zip(said, about, strict=True))

    assert [message.received.message_id for message in group] == ["early", "late"]
