"""The bill counts as many requests for what is recorded as the real sweep and the real look make."""

from collections import Counter
from collections.abc import Iterable, Iterator
from uuid import NAMESPACE_URL, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.packages.package import Package
from andon.recorded.archive import SHARDS, shard_of
from andon.recorded.reader import SAMPLED
from andon.runtime import times
from andon.runtime.clock import DAY_MS, HOUR_MS
from andon.stores.archive.pages import MOST_BYTES
from andon.stores.archive.store import LAKE
from andon.testing.drift import keep_in_lake
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.samples import sample
from andon.testing.wire import RecordedCall, Wire
from lab.simulate.recorded import DAY_HOURS, OF_QUESTION, Requests, of_look, of_sweep, passes, reads

NOW = times.to_ms("2020-04-28T00:00:00Z")
ARCHIVE, BOARD = Package("stores", "archive"), Package("views", "board")
KINDS = {
    "GetObject": "reads",
    **dict.fromkeys(("PutObject", "ListObjectsV2"), "writes"),
    "DeleteObject": "deletes",
}
NAMES = [f"press-{number}" for number in range(1_000)]
ONE_OF_EACH_SHARD = list({shard_of(name): name for name in NAMES}.values())
OF_ONE_SHARD = [name for name in NAMES if shard_of(name) == 0][:SAMPLED]


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW):
        yield loop


def by_kind(requests: Iterable[RecordedCall]) -> Requests:
    """Requests to S3 by what they cost."""
    kinds = Counter(KINDS[one.operation] for one in requests)
    return Requests(kinds["reads"], kinds["writes"], kinds["deletes"])


def line_of(name: str, at_ms: int) -> str:
    """The line of a report by a machine, at which is a person of the same name."""
    wire = sample("domain", "state-reported")
    wire["state"] |= {"equipmentId": name, "operator": name}
    event = DomainEvent.from_wire(wire | {"id": f"{name} {at_ms}", "timestamp": at_ms, "partitionKey": name})
    taken = {"id": str(uuid5(NAMESPACE_URL, event.id)), "time": f"{times.to_utc(at_ms)[:19]}Z"}
    return to_message(event, source=event.tags["source"], bus_event=taken)


def keep(names: list[str], *, at_ms: int) -> None:
    """Write an object of reports by machines."""
    keep_in_lake(line_of(name, at_ms) for name in names)


def sweep(loop: Loop) -> None:
    loop.invoke(ARCHIVE, "sweep", {})


def test_the_sweeps_of_a_day_make_as_many_requests_as_the_bill_says(loop: Loop) -> None:
    made, last = list[RecordedCall](), list[RecordedCall]()
    for hour in range(DAY_HOURS):
        keep(ONE_OF_EACH_SHARD, at_ms=NOW + hour * HOUR_MS)
        with Wire(("s3",)) as s3:
            sweep(loop)
        last = s3.requests
        made += last

    assert len(ONE_OF_EACH_SHARD) == SHARDS
    own = [one for one in last if one.parameters.get("Bucket") != loop.buckets[LAKE] or one.operation != "GetObject"]
    assert by_kind(own) == of_sweep(1)
    assert len(last) == of_sweep(1).total + DAY_HOURS
    read = [one for one in made if one.operation == "GetObject" and one.parameters["Bucket"] == loop.buckets[LAKE]]
    assert len(read) == DAY_HOURS * reads(1)


@pytest.mark.parametrize("days", [2, 5])
def test_a_look_makes_as_many_requests_as_the_bill_says(loop: Loop, days: int) -> None:
    for day in range(days):
        keep(OF_ONE_SHARD, at_ms=NOW - day * DAY_MS)
    sweep(loop)
    with pytest.MonkeyPatch.context() as patch, Wire(("s3",)) as s3:
        patch.setattr("andon.recorded.reader.random.randrange", lambda _: 0)
        loop.invoke(BOARD, "recompute", {})

    assert by_kind(s3.requests) == of_look(days)


def test_a_run_before_which_nothing_happened_asks_that_alone_but_for_one_in_a_day(loop: Loop) -> None:
    midnight = NOW - NOW % DAY_MS
    keep(OF_ONE_SHARD, at_ms=midnight + 12 * HOUR_MS)
    sweep(loop)
    looked = dict[int, bool]()
    for hour in range(12, 38):
        with frozen_clock(midnight + hour * HOUR_MS + HOUR_MS // 2), Wire(("s3",)) as s3:
            loop.invoke(BOARD, "recompute", {"detail-type": "Scheduled Event", "source": "aws.events"})
        looked[hour] = by_kind(s3.requests) != OF_QUESTION

    assert [hour for hour, is_looked in looked.items() if is_looked] == [12, 13, 14, 24]


@given(st.floats(1, 1e12))
def test_a_day_is_read_once_if_memory_holds_it_and_once_for_each_shard_at_the_most(held_bytes: float) -> None:
    count = passes(held_bytes)

    assert 1 <= count <= SHARDS
    assert (count == 1) == (held_bytes <= MOST_BYTES)
    assert count * MOST_BYTES >= min(held_bytes, SHARDS * MOST_BYTES)
