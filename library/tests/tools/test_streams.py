import threading
import time
from collections import defaultdict
from collections.abc import Iterator

import pytest

from andon.tools.stack.patches import Followers, StreamMapping
from andon.tools.stack.processes import PATIENCE_S

STREAM = "arn:aws:dynamodb:us-east-1:000000000000:table/things/stream/1"


class Emulator:
    """A poller as the emulator has: it hands over one batch of each mapping, and waits for the function."""

    def __init__(self, *streams: str) -> None:
        self.waiting: dict[str, list[int]] = {stream: [] for stream in streams}
        self.handled: dict[str, list[int]] = defaultdict(list)
        self.under_way: set[str] = set()
        self.held: dict[str, threading.Event] = defaultdict(threading.Event)
        self.followers = Followers(self.all_mappings, self.poll_all)

    def all_mappings(self) -> Iterator[StreamMapping]:
        yield "1", "here", {"UUID": "queue", "EventSourceArn": "arn:aws:sqs:us-east-1:1:things"}
        for stream in [*self.waiting]:
            yield "1", "here", {"UUID": stream, "EventSourceArn": STREAM}

    def poll_all(self) -> bool:
        done = False
        for _, _, mapping in self.followers.mappings():
            stream = mapping["UUID"]
            if self.waiting.get(stream):
                assert stream not in self.under_way
                self.under_way.add(stream)
                if stream == "slow":
                    self.held[stream].wait(PATIENCE_S)
                self.handled[stream].append(self.waiting[stream].pop(0))
                self.under_way.remove(stream)
                done = True
        return done

    def handles(self, stream: str, batches: list[int]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self.handled[stream] != batches:
            assert time.monotonic() < deadline, (stream, self.handled[stream])
            time.sleep(0.001)


@pytest.fixture
def emulator() -> Iterator[Emulator]:
    emulator = Emulator("slow", "fast")
    yield emulator
    emulator.waiting.clear()  # the mappings are deleted, so that their threads end


def test_a_slow_function_delays_its_own_stream_only_and_each_stream_keeps_its_order(emulator: Emulator) -> None:
    emulator.waiting["slow"], emulator.waiting["fast"] = [1, 2], [1, 2, 3]

    assert not emulator.followers.poll()

    emulator.handles("fast", [1, 2, 3])
    assert emulator.handled["slow"] == []
    emulator.waiting["fast"] += [4]
    emulator.followers.poll()
    emulator.handles("fast", [1, 2, 3, 4])
    emulator.held["slow"].set()
    emulator.handles("slow", [1, 2])


def test_a_mapping_that_was_deleted_is_not_followed_any_more(emulator: Emulator) -> None:
    before = {*threading.enumerate()}
    emulator.followers.poll()
    followed = {*threading.enumerate()} - before
    assert len(followed) == len(emulator.waiting)

    emulator.waiting.clear()

    for thread in followed:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def test_whoever_follows_no_stream_sees_every_mapping(emulator: Emulator) -> None:
    assert [one["UUID"] for _, _, one in emulator.followers.mappings()] == ["queue", "slow", "fast"]
