"""An episode's story comes back from replayed events: the same rows and decisions, whatever happens in which order."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pytest

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import is_alive, ttl_at
from andon.events.bus_entry import Replay, to_replayed
from andon.packages.package import Package
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import sqs_event
from andon.testing.memory.tables import Partitions, Record
from andon.testing.orders import OrderedStep, State, ends_of_every_order
from demo.people import ANN
from tests.support.dispatch.floor import Floor, report_body
from tests.support.dispatch.model import MINUTE, Report
from tests.support.samples import NOW
from tests.support.services.reports import ASSIGN, log_path

DAY_MS = 86_400_000
RESTORE = Package("services", "dispatch").handler("restore")
LONG_AGO = NOW - 40 * DAY_MS
UNTIL = ttl_at(NOW, 33)
JOB, LATER_JOB = Replay("job-1", UNTIL), Replay("job-2", UNTIL + 99)
EPISODES = "GET /equipment/{id}/episodes"

WARNING = Report(LONG_AGO, "WARNING1", LONG_AGO)
NORMAL = Report(LONG_AGO + 50 * MINUTE, "NORMAL", LONG_AGO + 50 * MINUTE)
ERROR = Report(NOW, "ERROR", NOW)


@pytest.fixture(scope="module")
def old_floor() -> Iterator[Floor]:
    """Dispatch alone, forty days before `NOW`."""
    with Floor(LONG_AGO) as floor:
        yield floor


def restored(bodies: Sequence[str], job: Replay = JOB) -> None:
    """Deliver what comes back, in one batch."""
    replayed = [to_replayed(json.loads(body), job) for body in bodies]
    assert RESTORE(sqs_event(replayed), LocalContext("dispatch-restore")) == {"batchItemFailures": []}


def facts_of(floor: Floor) -> list[str]:
    """Return the messages of what dispatch published."""
    return [
        json.dumps({"source": one["Source"], "detail-type": one["DetailType"], "detail": json.loads(one["Detail"])})
        for one in floor.table.published
    ]


def story_of(floor: Floor, equipment_id: str) -> Any:  # noqa: ANN401  a body
    status, body = floor.request(EPISODES, path={"id": equipment_id})
    assert status == 200
    return body


def step(floor: Floor, name: str, do: partial[None]) -> OrderedStep:
    """Return a step after which the stream flows on."""

    def done() -> None:
        do()
        floor.settle()

    return OrderedStep(name, done)


def _as_text(content: object) -> str:
    return json.dumps(content, sort_keys=True)


class Orders:
    """All that has happened to one floor until `NOW`, and what every order of further steps comes to."""

    def __init__(self, floor: Floor, partitions: Partitions) -> None:
        self._floor, self._partitions = floor, partitions

    def begin(self) -> None:
        self._floor.table.clear()
        self._floor.table.partitions = self._partitions
        self._floor.now_ms = NOW

    def end(self) -> str:
        """Return the due rows before and after the decision, unexpired rows and the published events."""
        due = self._floor.due_times()
        self._floor.wait_until(NOW + 20 * MINUTE)
        published = {detail["id"]: detail for detail in map(json.loads, self._details())}
        text = json.dumps([due, self.alive(), [*published.values()]])
        for event_id, detail in published.items():  # the id of a fact is that of the stream's record
            text = text.replace(event_id, f"{detail['type']} at {detail['timestamp']}")
        return json.dumps([sorted(one, key=_as_text) for one in json.loads(text)], sort_keys=True)

    def alive(self) -> list[Item]:
        return [row for row in self._floor.table.rows() if is_alive(row, self._floor.now_ms)]

    def _details(self) -> list[str]:
        return [one["Detail"] for one in self._floor.table.published]

    def reap(self) -> None:
        self._floor.table.reap(self._floor.now_ms)

    def ends(self, *steps: OrderedStep) -> dict[str, str]:
        state = State(self._floor.kept, self._floor.put_back)
        return ends_of_every_order(steps, begin=self.begin, end=self.end, state=state)


def lived_through(floor: Floor, press: str) -> tuple[list[str], Any]:
    """Let an episode happen long ago; return its facts, and its story as clients saw it."""
    floor.restart(press)
    floor.table.bus.clear()
    floor.report(press, WARNING)
    floor.report(press, NORMAL)
    floor.wait_until(NORMAL.at_ms + 60 * MINUTE)
    facts = facts_of(floor)
    assert sorted(json.loads(fact)["detail-type"] for fact in facts) == [
        *("equipment-back", "equipment-silent", "equipment-silent", "operator-assigned", "state-escalated")
    ]
    return facts, story_of(floor, press)


def reaped(floor: Floor) -> Partitions:
    """Let the TTL service do its work at `NOW`."""
    floor.now_ms = NOW
    floor.table.reap(NOW)
    return floor.table.partitions


@pytest.mark.parametrize("is_reaped", [False, True], ids=["not yet reaped", "reaped"])
def test_a_story_that_expired_is_the_same_after_every_order_and_nothing_is_decided(
    old_floor: Floor, *, is_reaped: bool
) -> None:
    floor, press = old_floor, "press-7"
    facts, story = lived_through(floor, press)
    orders = Orders(floor, reaped(floor) if is_reaped else floor.table.partitions)
    warning, normal = (report_body(press, report) for report in (WARNING, NORMAL))

    ends = orders.ends(
        step(floor, "reports replayed", partial(restored, [warning, normal])),
        step(floor, "facts replayed", partial(restored, facts)),
        step(floor, "all replayed by another job", partial(restored, [*facts, normal, warning], LATER_JOB)),
        step(floor, "duplicate of the warning", partial(floor.deliver, [warning])),
        step(floor, "duplicate of the normal report", partial(floor.deliver, [normal])),
        step(floor, "reap", partial(orders.reap)),
    )

    assert len(ends) == 1, ends.values()
    due, rows, published = json.loads(next(iter(ends)))
    came_back = [row for row in rows if "ttl" in row]
    assert len(came_back) == len(facts) + 2
    assert {(row["ttl"], row["latched"]) for row in came_back} == {(LATER_JOB.until, True)}
    assert (due, published) == ([], [])
    assert story_of(floor, press) == story


@pytest.mark.parametrize("is_reaped", [False, True], ids=["not yet reaped", "reaped"])
def test_what_is_decided_about_a_new_episode_is_the_same_in_every_order_with_a_story_that_comes_back(
    old_floor: Floor, *, is_reaped: bool
) -> None:
    floor, press = old_floor, "press-8"
    facts, _ = lived_through(floor, press)
    orders = Orders(floor, reaped(floor) if is_reaped else floor.table.partitions)
    warning, normal, error = (report_body(press, report) for report in (WARNING, NORMAL, ERROR))
    live = step(floor, "a new report", partial(floor.deliver, [error]))
    replay = step(floor, "replayed", partial(restored, [*facts, warning, normal]))

    ends = orders.ends(
        *(live, live, replay, replay),
        step(floor, "duplicate of the warning", partial(floor.deliver, [warning])),
        step(floor, "reap", partial(orders.reap)),
    )

    assert len(ends) == 1, ends.values()
    alone = orders.ends(live)
    *_, published = json.loads(next(iter(ends)))
    *_, published_alone = json.loads(next(iter(alone)))
    assert sorted(detail["type"] for detail in published) == ["operator-assigned", "state-escalated"]
    assert published == published_alone, "the story of long ago changes no decision"


def test_a_story_that_has_not_expired_is_the_same_after_every_order_as_without_a_replay(floor: Floor) -> None:
    press, report = "press-9", Report(NOW - MINUTE, "WARNING1", NOW)
    floor.restart(press)
    floor.table.bus.clear()
    path = log_path(press, at="2020-04-27T23:59:00.000Z")
    assert floor.request(ASSIGN, path=path, body={"operator": ANN})[0] == 201
    orders = Orders(floor, floor.table.partitions)
    records: list[Record] = floor.table.new_records()
    floor.react(records)
    facts = facts_of(floor)
    live = step(floor, "live", partial(floor.deliver, [report_body(press, report)]))
    replay = step(floor, "replayed", partial(restored, [report_body(press, report)]))
    trigger = step(floor, "the trigger's batch", partial(floor.react, records))

    ends = orders.ends(
        *(live, live, replay, replay, trigger, trigger),
        step(floor, "fact replayed", partial(restored, facts)),
    )

    assert len(ends) == 1, ends.values()
    assert ends.keys() == orders.ends(live, trigger).keys()
    _, rows, _ = json.loads(next(iter(ends)))
    assert not any("latched" in row for row in rows)
