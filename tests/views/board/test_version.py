"""The version of a row only grows, whatever order events arrive in, and ends at the same number."""

import json
import random
from collections.abc import Iterator, Sequence
from functools import partial

import pytest

from andon.dynamodb.attribute_values import Item, to_plain
from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.testing.memory.aws import OneTable
from andon.testing.orders import OrderedStep, State, ends_of_every_order
from tests.support.samples import NOW
from tests.views.board.stories import ANOMALIES, EVERYTHING, HELP, JOIN, LIFE, PEOPLE, STATES, state
from tests.views.board.test_calls import AT as AT_MS
from tests.views.board.test_calls import call_fact
from tests.views.board.test_nobody import nobody_fact
from views.board.version import version_of
from views.board.view import CALLS, KEYS, NOBODY_TOLD, ON, REPORTS, TABLE

MANY = [state(f"S{number:02d}", number, f"s{number}") for number in range(REPORTS.most + 6)]
CATEGORIES = [call_fact(number, "call-raised", number, category=f"c-{number}") for number in range(CALLS.most + 4)]
UNTOLD = [
    nobody_fact(number, number, what=f"c-{number}", since=times.to_utc(AT_MS)) for number in range(NOBODY_TOLD.most + 4)
]
STORIES = {"life": LIFE, "states": STATES, "people": PEOPLE, "help": HELP, "anomalies": ANOMALIES, "join": JOIN}


@pytest.fixture(scope="module")
def table() -> Iterator[OneTable]:
    with OneTable("BOARD_TABLE", KEYS) as table:
        yield table


def write(event: DomainEvent) -> None:
    ON[event.tags["source"], event.type](event).write(TABLE, event, ttl_days=None, now_ms=NOW)


def images(table: OneTable, events: Sequence[DomainEvent]) -> list[Item]:
    """Return the images of the row, in order, as events change it."""
    table.clear()
    for event in events:
        write(event)
    return [to_plain(record["dynamodb"]["NewImage"]) for record in table.new_records()]


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_it_grows_in_every_order_and_ends_at_the_same_number(table: OneTable, story: Sequence[DomainEvent]) -> None:
    def version() -> int:
        return max((version_of(row) for row in table.rows()), default=0)

    def change(event: DomainEvent) -> None:
        before = version()
        write(event)
        assert version() >= before, event.id

    def put_back(kept: str) -> None:
        table.partitions = json.loads(kept)

    ends = ends_of_every_order(
        [OrderedStep(event.id, partial(change, event)) for event in story],
        begin=table.clear,
        end=lambda: str(version()),
        state=State(lambda: json.dumps(table.partitions, sort_keys=True), put_back),
    )

    assert len(ends) == 1, ends
    assert "0" not in ends


@pytest.mark.parametrize(
    "story",
    [MANY, CATEGORIES, UNTOLD, EVERYTHING],
    ids=["more states than are kept", "more calls than are kept", "more calls of nobody", "everything"],
)
def test_it_never_falls_when_the_oldest_are_removed(table: OneTable, story: Sequence[DomainEvent]) -> None:
    chance, ends = random.Random(7), set()  # noqa: S311  no secret
    for _ in range(30):
        events = chance.sample([*story, *story], 2 * len(story))
        versions = [version_of(row) for row in images(table, events)]
        assert versions == sorted(versions), [event.id for event in events]
        ends.add(versions[-1])
    assert len(ends) == 1


def test_what_is_said_again_about_the_same_log_ties_and_is_not_older(table: OneTable) -> None:
    liz, ann = PEOPLE[3], PEOPLE[5]

    first, second = images(table, [liz, ann])

    assert first["Operator"] != second["Operator"]
    assert version_of(first) == version_of(second)


def test_javascript_can_hold_it(table: OneTable) -> None:
    everything = [*EVERYTHING, *MANY]

    assert version_of(images(table, everything)[-1]) * 5 < 2**53  # the clock may show year 2200
