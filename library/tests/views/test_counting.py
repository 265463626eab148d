"""A view that moves and counts: one row for each thing, an index by place, and a count of its entries."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.client import Counted, Table
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Index, Keys, TableSchema, counted
from andon.dynamodb.ttl import SECONDS_PER_DAY, ttl_at
from andon.events.domain_event import DomainEvent
from andon.runtime.clock import DAY_MS
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.memory import tables
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.meter import Meter, TableOrIndex
from andon.testing.orders import cut_into_batches
from andon.views.materialize import Listener, materialize
from andon.views.view_update import ViewUpdate
from toys.clock import NOW
from toys.things import TTL_DAYS, happened, message

KEYS: Final = Keys("thing", one_partition_per="entity")
BY_PLACE: Final = Keys("place", "thing", one_partition_per="tenant")
TABLE: Final = Table("PLACES_TABLE", KEYS)
INDEX: Final = "ByPlace"
SCHEMA: Final = TableSchema(KEYS, indexes={INDEX: counted(BY_PLACE)})
PLACES: Final = ("shed", "hall", "attic")
THINGS: Final = ("saw", "axe", "awl", "bit")


def on_moved(event: DomainEvent) -> ViewUpdate:
    """Keep where a thing is, until a date if it is lent; one that is nowhere is in no index."""
    thing = event.entity("thing")
    until = thing.get("until")
    return ViewUpdate(
        key={"thing": thing.text("name")},
        fields={"place": thing.get("place")},
        oplock="place",
        expires_at=until if isinstance(until, int) else ttl_at(event.timestamp_ms, TTL_DAYS),
    )


VIEW: Final = Listener("places", TABLE, on={("workshop", "thing-moved"): on_moved}, ttl_days=TTL_DAYS)


class Places(AwsInMemory):
    """The table of places; its rows are counted by the real listener's writes and by the meter."""

    def __init__(self, index: Index = SCHEMA.indexes[INDEX]) -> None:
        self.meter = Meter()
        super().__init__({TABLE.variable: SCHEMA._replace(indexes={INDEX: index})}, observer=self.meter)

    def listen(self, *events: DomainEvent) -> None:
        answer = materialize(sqs_event(map(message, events)), LocalContext("places-listener"), listener=VIEW)
        assert answer == {"batchItemFailures": []}


@pytest.fixture(name="places")
def places_of_test() -> Iterator[Places]:
    with Places() as places, frozen_clock(NOW):
        yield places


def at(place: str, *, is_base: bool = False) -> KeyQuery:
    return KeyQuery(keys=KEYS if is_base else BY_PLACE, partition=place, index_name=None if is_base else INDEX)


def counts(now_ms: int) -> dict[str, int]:
    """Return the number of things in each place."""
    found = {place: TABLE.count(at(place), now_ms=now_ms) for place in PLACES}
    assert all(one.is_whole for one in found.values())
    return {place: one.number for place, one in found.items() if one.number}


def moved(name: str, place: str | None, number: int, *, until: float | None = None) -> DomainEvent:
    said: dict[str, object] = {} if until is None else {"until": NOW // 1000 + int(until * SECONDS_PER_DAY)}
    return happened("moved", name, at=NOW + number, id=f"m{number}", place=place, **said)


def naive(events: Sequence[DomainEvent], now_ms: int) -> dict[str, int]:
    """Return the number of things in each place, by the last event of each thing."""
    last: dict[str, dict[str, Any]] = {}
    for event in sorted(events, key=lambda event: event.timestamp_ms):
        last[event.entity("thing").text("name")] = {**event.entity("thing").fields, "at": event.timestamp_ms}
    alive = (one for one in last.values() if one.get("until", ttl_at(one["at"], TTL_DAYS)) > now_ms // 1000)
    return dict(Counter(one["place"] for one in alive if one["place"]))


moves = st.tuples(st.sampled_from(THINGS), st.sampled_from([*PLACES, None]), st.sampled_from([None, 3.0, 20.0, -1.0]))


@given(st.lists(moves, max_size=16), st.randoms(use_true_random=False), st.sampled_from([0, 2, 4, 9, 11, 21]))
def test_each_place_has_as_many_things_as_their_last_moves_say_in_every_order(
    story: list[tuple[str, str | None, float | None]], chance: random.Random, days: int
) -> None:
    """With duplicates, in batches; and whether DynamoDB has taken what has expired, or not yet."""
    events = [moved(*one[:2], number, until=one[2]) for number, one in enumerate(story)]
    arriving = [*events, *events]
    chance.shuffle(arriving)
    now_ms = NOW + days * DAY_MS
    with Places() as places:
        with frozen_clock(NOW + len(story)):
            for batch in cut_into_batches(chance, arriving, 5):
                places.listen(*batch)
        assert counts(NOW + len(story)) == naive(events, NOW + len(story))
        for _ in range(2):
            assert counts(now_ms) == naive(events, now_ms)
            places.reap(now_ms)
        with frozen_clock(now_ms):
            places.listen(*chance.sample(arriving, min(10, len(arriving))))  # and what comes once more, later
        assert counts(now_ms) == naive(events, now_ms)


def test_a_thing_that_moves_is_counted_once_where_it_was_last(places: Places) -> None:
    places.listen(moved("saw", "hall", 2), moved("saw", "shed", 1))
    assert counts(NOW) == {"hall": 1}

    places.listen(moved("saw", None, 3))
    assert counts(NOW) == {}


def fill(number: int) -> None:
    for one in range(number):
        row = {"thing": f"thing {one:06d}", "place": "shed", "ttl": NOW // 1000 + 1 + one % 2}
        TABLE.put({**row, "note": "x" * 200}, condition=UNCONDITIONAL)


def test_a_count_of_several_pages_is_their_sum_and_says_if_there_is_more(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(50)
    monkeypatch.setattr(tables, "MAX_PAGE_BYTES", 600)

    whole = TABLE.count(at("shed"), now_ms=NOW, most_requests=50)
    assert whole == Counted(50, is_whole=True)
    assert TABLE.count(at("shed"), now_ms=NOW + 1000, most_requests=50) == Counted(25, is_whole=True)
    some = TABLE.count(at("shed"), now_ms=NOW)
    assert not some.is_whole
    assert 0 < some.number < 50
    assert places.meter.used.reads > 0


@pytest.mark.parametrize(("entries", "units"), [(0, 0.5), (100, 0.5), (1_000, 4.5), (5_000, 21.5)])
def test_a_count_costs_half_a_unit_for_each_4_kb_of_entries(places: Places, entries: int, units: float) -> None:
    fill(entries)
    places.meter.used.read_units.clear()

    assert TABLE.count(at("shed"), now_ms=NOW).number == entries
    assert places.meter.used.read_units == {TableOrIndex(TABLE.variable, INDEX): units}


def test_a_move_costs_one_unit_and_two_of_the_index_whatever_the_number_of_things(places: Places) -> None:
    fill(200)
    costs = list[int]()
    last = moved("saw", "hall", 2)
    for event in (moved("saw", "shed", 1), last, last, moved("saw", "attic", 1), moved("saw", "hall", 60_000)):
        places.meter.used.writes.clear()
        places.listen(event)
        costs.append(places.meter.used.write_units)

    # Put; moved; a duplicate and a stale one are refused; it stays, and its entry expires later.
    assert costs == [2, 3, 1, 1, 2]


def test_an_index_of_keys_alone_is_refused_with_what_to_write(places: Places) -> None:
    keys_only = at("shed")._replace(has_keys_only=True)

    with pytest.raises(ValueError, match=r"index ByPlace has keys only: write counted\(\.\.\.\) into INDEXES"):
        TABLE.count(keys_only, now_ms=NOW)
    assert TABLE.count(keys_only, now_ms=None) == Counted(0, is_whole=True)
    assert places.meter.used.write_units == 0


def test_an_index_without_what_says_that_rows_expire_counts_them() -> None:
    """What `counted` is for."""
    with Places(Index(BY_PLACE, projects=())), frozen_clock(NOW):
        fill(4)
        assert TABLE.count(at("shed"), now_ms=NOW + DAY_MS).number == 4
    with Places(), frozen_clock(NOW):
        fill(4)
        assert TABLE.count(at("shed"), now_ms=NOW + DAY_MS).number == 0


def test_a_table_is_counted_as_an_index_is(places: Places) -> None:
    places.listen(moved("saw", "hall", 1), moved("axe", "hall", 2, until=-1))

    found: list[Any] = [TABLE.count(at(name, is_base=True), now_ms=NOW).number for name in ("saw", "axe", "awl")]
    assert found == [1, 0, 0]
