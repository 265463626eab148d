from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.dynamodb.key_query import LessThan
from andon.dynamodb.keys import MAX_SORT_KEY_BYTES
from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.events.domain_event import MAX_TIMESTAMP_MS
from andon.rules.due import MAX_AT_MS, READ_SHARDS, SHARDS, Due, due_by, partition_of, shard_of
from andon.rules.plan import dues_of
from andon.rules.rule import Rule
from andon.rules.stored_event import StoredEvent, sort_of
from toys.clock import NOW
from toys.things import happened
from toys.toy_control import BROKEN, FORGOTTEN, FORGOTTEN_MS, KEYS, NOISY

HOLD_BACK_MS = 30_000

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
dues = st.builds(
    Due,
    at_ms=st.integers(0, MAX_TIMESTAMP_MS),
    key=texts,
    anchor=texts,
    rules=st.lists(texts, min_size=1, max_size=3).map(tuple),
    ttl=st.integers(0, MAX_TIMESTAMP_MS // 1000),
    shard=st.none(),
)


def anchor(*, at: int = NOW, arrived: int = NOW) -> StoredEvent:
    event = happened("knocked", "a thing", at=at)
    return StoredEvent(
        source="workshop", event=event, arrived_ms=arrived, key="Thing#1", sort=sort_of(at, "e1"), ttl=NOW
    )


LATE_MS = FORGOTTEN_MS + 1


@pytest.mark.parametrize(
    ("one", "rules", "expected"),
    [
        (anchor(), (), {}),
        (anchor(), (BROKEN, FORGOTTEN, NOISY), {NOW: ("broken", "noisy"), NOW + FORGOTTEN_MS: ("forgotten",)}),
        (anchor(arrived=NOW + 9), (BROKEN, FORGOTTEN), {NOW + 9: ("broken",), NOW + FORGOTTEN_MS: ("forgotten",)}),
        (anchor(arrived=NOW + LATE_MS), (FORGOTTEN,), {NOW + LATE_MS: ("forgotten",)}),
        (anchor(at=NOW + 9), (BROKEN,), {NOW + 9: ("broken",)}),  # from a clock that is ahead
    ],
)
def test_rules_are_due_when_all_that_counts_has_had_the_time_to_arrive(
    one: StoredEvent, rules: tuple[Rule, ...], expected: dict[int, tuple[str, ...]]
) -> None:
    found = {due.at_ms - HOLD_BACK_MS: due.rules for due in dues_of(one, rules, hold_back_ms=HOLD_BACK_MS)}

    assert found == expected


@given(dues, st.none() | st.integers(0, 99))
def test_a_row_is_read_back_from_the_shard_in_which_it_was_put(due: Due, shard: int | None) -> None:
    row = due._replace(shard=shard).row(KEYS)
    assert row["pk"] == partition_of(shard_of(due.key) if shard is None else shard)

    read = Due.of(to_plain(to_typed(row)), KEYS)

    assert read._replace(shard=None) == due
    assert read.row_key(KEYS) == {name: row[name] for name in KEYS.names}


@given(dues, dues)
def test_what_is_due_first_lies_first_and_one_time_of_one_anchor_is_one_row(one: Due, other: Due) -> None:
    sorts = [str(due.row_key(KEYS)["sk"]) for due in (one, other)]

    if one.at_ms != other.at_ms:
        assert (sorts[0] < sorts[1]) == (one.at_ms < other.at_ms)
    assert one._replace(rules=other.rules).row_key(KEYS) == one.row_key(KEYS)


@given(dues, st.integers(0, MAX_TIMESTAMP_MS - 1))
def test_a_sweep_reads_all_that_is_due_by_then_and_of_nothing_else(due: Due, at_ms: int) -> None:
    query = due_by(KEYS, shard_of(due.key), at_ms)

    assert query.partition == due.row_key(KEYS)["pk"]
    assert query.forward
    assert isinstance(query.sort, LessThan)
    assert (str(due.row_key(KEYS)["sk"]) < str(query.sort.bound)) == (due.at_ms <= at_ms)


def test_a_key_is_in_the_same_shard_in_every_process() -> None:
    # Of a hash that differs from process to process this would be another one each time.
    assert [shard_of(f"Thing#{number}") for number in range(8)] == [9, 15, 5, 3, 0, 6, 12, 10]


def test_no_shard_that_was_ever_written_to_is_left_unread() -> None:
    # With fewer shards, the old ones are read as long as their rows are kept: see docs/rules.md.
    assert max(SHARDS, 16) <= READ_SHARDS


def test_keys_are_spread_over_all_shards() -> None:
    spread = Counter(shard_of(f"Thing#{number}") for number in range(1_000))

    assert set(spread) == set(range(SHARDS))
    assert max(spread.values()) < 2 * 1_000 / SHARDS


def test_what_no_sweep_could_do_is_removed_in_the_end() -> None:
    (due,) = dues_of(anchor(), [BROKEN], hold_back_ms=0)

    assert due.row(KEYS)["ttl"] == NOW // 1000 + 33 * SECONDS_PER_DAY


def test_keys_that_do_not_fit_into_a_row_of_the_index_are_refused() -> None:
    fits = MAX_SORT_KEY_BYTES - len("0000000000000##")
    due = Due(at_ms=NOW, key="k" * 500, anchor="a" * (fits - 500), rules=("a",), ttl=0)

    assert len(str(due.row_key(KEYS)["sk"]).encode()) == 1024
    with pytest.raises(ValueError, match="at most 1024 bytes"):
        due._replace(anchor=due.anchor + "a").row_key(KEYS)


def test_what_would_be_due_behind_the_last_time_in_order_is_never_written() -> None:
    due = Due(at_ms=MAX_AT_MS, key="Thing#1", anchor="event#1", rules=("a",), ttl=0)

    assert str(due.row_key(KEYS)["sk"]).startswith("9999999999999#")
    with pytest.raises(ValueError, match="in order"):
        due._replace(at_ms=MAX_AT_MS + 1).row_key(KEYS)
