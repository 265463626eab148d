"""The lake's listener: nothing is lost and nothing counts twice, wherever it dies and however often messages come."""

import json
import random
from collections.abc import Iterator

import pytest

from andon.runtime.errors import CallFailed
from andon.stores.lake import listener
from andon.stores.lake.store import BUCKET
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import bus_message
from andon.testing.log_lines import LogLines
from andon.testing.loop import Loop
from andon.wire import in_threads
from tests.support.lake import LAKE, lake_of, lines_of_messages
from tests.support.samples import NOW, fact

HOUR_MS = 3_600_000


class Killed(BaseException):
    """The function's process ended."""


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    with Loop() as loop:
        yield loop


@pytest.fixture(autouse=True)
def empty(loop: Loop) -> None:
    loop.clear()


def body(number: int, *, hours_ago: int = 0) -> str:
    return bus_message(fact("state-reported", id=f"fact-{number}", at=NOW - hours_ago * HOUR_MS), source="equipment")


def ids(loop: Loop) -> set[str]:
    return {event_id for _, event_id in lake_of(loop).events}


def keys(loop: Loop) -> list[str]:
    return [one["Key"] for one in loop.objects(BUCKET)]


def test_a_batch_is_one_object_for_each_hour_with_both_images_of_each_event(loop: Loop, log_lines: LogLines) -> None:
    bodies = [body(1), body(2), body(3, hours_ago=5)]

    assert loop.deliver(LAKE, bodies) == []

    assert len(keys(loop)) == 2
    assert sorted(lake_of(loop).lines) == sorted(lines_of_messages(bodies))
    assert all({"new", "old"} <= event["detail"]["raw"].keys() for event in lake_of(loop).events.values())
    [line] = log_lines
    counted = {name: line[name] for name in ("received", "applied", "duplicate", "failed", "unreadable", "objects")}
    assert counted == {"received": 3, "applied": 3, "duplicate": 0, "failed": 0, "unreadable": 0, "objects": 2}


def test_what_cannot_be_read_is_kept_as_it_came_and_its_neighbours_are_lines(loop: Loop, log_lines: LogLines) -> None:
    odd = ["{", json.dumps({"source": "equipment"}), "{"]

    assert loop.deliver(LAKE, [*odd, body(1)]) == []

    assert sorted(lake_of(loop).unreadable) == sorted(odd)
    assert ids(loop) == {"fact-1"}
    assert (log_lines[-1]["unreadable"], log_lines[-1]["received"]) == (3, 4)


def test_a_message_is_acknowledged_once_written(
    loop: Loop, monkeypatch: pytest.MonkeyPatch, log_lines: LogLines
) -> None:
    put = listener._bucket.put_if_absent  # noqa: SLF001

    def fail_sometimes(_: object, key: str, content: bytes) -> bool:
        if "hour=00" not in key:
            raise CallFailed("SlowDown")
        return put(key, content)

    monkeypatch.setattr(type(listener._bucket), "put_if_absent", fail_sometimes)  # noqa: SLF001

    again = loop.deliver(LAKE, [body(1), body(2, hours_ago=1), "{"])

    assert again == ["message-1", "message-2"]
    assert ids(loop) == {"fact-1"}
    assert log_lines[-1]["errors"] == ["SlowDown"]
    assert log_lines[-1]["failed"] == 2


def test_one_log_line_has_no_content_and_a_metric_of_what_cannot_be_read_alone(loop: Loop, log_lines: LogLines) -> None:
    loop.deliver(LAKE, [body(1)])
    loop.deliver(LAKE, [body(2), "{"])

    well, ill = log_lines
    assert (well["view"], well["applied"], well["unreadable"], "_aws" in well) == ("lake", 1, 0, False)
    [directive] = ill["_aws"]["CloudWatchMetrics"]
    assert (directive["Dimensions"], directive["Metrics"]) == ([["view", "stage"]], [{"Name": "unreadable"}])
    assert "fact-1" not in json.dumps(log_lines)


MOST = 30


@pytest.mark.parametrize("seed", range(60))
def test_killed_anywhere_and_batched_anew_nothing_is_lost_nor_counts_twice(loop: Loop, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  the same at every run
    count = chance.randint(1, MOST)
    with pytest.MonkeyPatch.context() as patch:
        bodies = [body(number, hours_ago=chance.randrange(3)) for number in range(count)]
        _kill_and_fail_at_random(patch, chance)
        waiting = [*bodies, *chance.sample(bodies, k=chance.randrange(count + 1))]  # the queue doubles some
        for _ in range(1_000):
            if not waiting:
                break
            chance.shuffle(waiting)
            size = chance.randint(1, 10)
            batch, waiting = waiting[:size], waiting[size:]
            try:
                again = loop.deliver(LAKE, batch)
            except Killed:
                waiting += batch  # nothing of it was acknowledged
                continue
            waiting += [batch[int(message_id.rpartition("-")[2])] for message_id in again]

    lake = lake_of(loop)
    assert waiting == []
    assert set(lake.lines) == set(lines_of_messages(bodies))
    assert len(lake.events) == count


def _kill_and_fail_at_random(patch: pytest.MonkeyPatch, chance: random.Random) -> None:
    """Let the function fail, or die, before its write, or after it and before the acknowledgement."""
    put = listener._bucket.put_if_absent  # noqa: SLF001

    def unreliable(_: object, key: str, content: bytes) -> bool:
        fate = chance.random()
        if fate < 0.1:
            raise Killed
        if fate < 0.2:
            raise CallFailed("SlowDown")
        is_new = put(key, content)
        if fate < 0.3:
            raise Killed
        if fate < 0.4:
            raise CallFailed("ReadTimeoutError")  # its answer was lost
        return is_new

    # A process that dies takes its threads along. Here they would write on, into the next test's lake.
    patch.setattr(in_threads, "PARALLEL", 1)
    patch.setattr(type(listener._bucket), "put_if_absent", unreliable)  # noqa: SLF001


def test_a_time_of_the_bus_that_lies_ahead_becomes_now_and_the_claim_is_kept(loop: Loop) -> None:
    ahead = body(1, hours_ago=-24 * 365 * 10)
    claimed = json.loads(ahead)["time"]

    with frozen_clock(NOW):
        assert loop.deliver(LAKE, [ahead, body(2)]) == []

    assert {key.rpartition("/")[0] for key in keys(loop)} == {"events/day=2020-04-28/hour=00"}
    [kept] = [json.loads(line) for line in lake_of(loop).lines if "fact-1" in line]
    assert kept == {
        **json.loads(ahead),
        "id": "equipment/fact-1",
        "time": "2020-04-28T00:00:00Z",
        "claimed-time": claimed,
    }


def test_a_clock_of_the_bus_that_is_a_little_ahead_is_believed(loop: Loop) -> None:
    ahead = bus_message(fact("state-reported", id="soon", at=NOW + 4 * 60_000), source="equipment")

    with frozen_clock(NOW):
        loop.deliver(LAKE, [ahead])
        assert lake_of(loop).lines == lines_of_messages([ahead])

    assert json.loads(lake_of(loop).lines[0])["time"] == json.loads(ahead)["time"]
