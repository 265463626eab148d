"""A line takes so many messages a second and a day, whoever sends: counted before the call, by one worker at a time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Final
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.dynamodb.client import Table
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.schema import Keys, TableSchema
from andon.outbound.delivery import Way
from andon.outbound.pace import MOST_WAIT_MS, SECOND_MS, Turn, take
from andon.runtime import clock
from andon.runtime.clock import DAY_MS
from andon.testing.memory.aws import AwsInMemory

NOON: Final = 20_000 * DAY_MS + DAY_MS // 2
KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLE: Final = Table("PACE_TABLE", KEYS)
MAIL: Final = Way("mail", "a@example.com", per_second=14)
HOOK: Final = Way("webhook", "https://hooks.example.com", host="hooks.example.com", per_second=1)


@contextmanager
def line() -> Iterator[list[int]]:
    """A line that sent nothing; yields a clock of one time, by which a worker also waits."""
    now = [NOON]

    def wait(seconds: float) -> None:
        now[0] += round(seconds * SECOND_MS)

    with (
        AwsInMemory({TABLE.variable: TableSchema(KEYS)}),
        patch.dict("os.environ", {TABLE.variable: TABLE.variable}),
        patch.object(clock, "now_ms", lambda: now[0]),
        patch.object(clock, "wait", wait),
    ):
        yield now


def sent(way: Way, gaps: Sequence[int]) -> list[int]:
    """Return when messages went out that came one after the other, each so long after the one before."""
    with line() as now:
        times = list[int]()
        for at_ms in accumulate(gaps, initial=NOON):
            now[0] = max(now[0], at_ms)
            if take(TABLE, way) is Turn.TAKEN:
                times.append(now[0])
        return times


@settings(max_examples=30)
@given(per_second=st.integers(1, 20), gaps=st.lists(st.integers(0, 400), max_size=40))
def test_in_no_second_more_goes_out_than_a_line_takes_beside_the_second_it_begins_with(
    per_second: int, gaps: list[int]
) -> None:
    times = sent(MAIL._replace(per_second=per_second), gaps)

    for first, since in enumerate(times):
        for number, until in enumerate(times[first:], start=1):
            assert number <= per_second * (1 + (until - since) / SECOND_MS) + 1e-9


def test_a_line_that_has_time_keeps_nobody_waiting() -> None:
    assert sent(HOOK, [SECOND_MS] * 3) == [NOON + n * SECOND_MS for n in range(4)]


def test_a_worker_waits_a_moment_for_its_turn_and_then_no_longer() -> None:
    with line() as now:
        turns = [take(TABLE, HOOK) for _ in range(3)]
        assert turns == [Turn.TAKEN] * 3
        assert now[0] - NOON == 2 * SECOND_MS

        TABLE.update(
            TABLE.keys.of(f"Channel#{HOOK.line}", "state"),
            assign={"free_ms": now[0] + 9 * SECOND_MS},
            condition=UNCONDITIONAL,
        )
        assert take(TABLE, HOOK) is Turn.BUSY
        assert now[0] - NOON <= 2 * SECOND_MS + MOST_WAIT_MS


def test_a_day_has_so_many_messages_and_the_next_one_begins_at_midnight() -> None:
    way = Way("sms", "+5213312345678", per_day=3)
    with line() as now:
        assert [take(TABLE, way) for _ in range(5)] == [Turn.TAKEN] * 3 + [Turn.SPENT] * 2

        now[0] = NOON + DAY_MS // 2 - 1
        assert take(TABLE, way) is Turn.SPENT
        now[0] += 1
        assert [take(TABLE, way) for _ in range(4)] == [Turn.TAKEN] * 3 + [Turn.SPENT]


def test_hosts_of_a_channel_do_not_wait_for_each_other() -> None:
    with line() as now:
        turns = [take(TABLE, HOOK._replace(host=f"{name}.example.com")) for name in "ab"]
        assert turns == [Turn.TAKEN] * 2
        assert now[0] == NOON


def test_a_way_without_limits_is_not_counted() -> None:
    with line():
        assert take(TABLE, Way("push", "p")) is Turn.TAKEN
        assert TABLE.get(TABLE.keys.of("Channel#push", "state")) is None


@pytest.mark.parametrize("left", [1, 2])
def test_of_two_workers_with_the_last_message_of_a_day_one_sends_it(left: int) -> None:
    way = Way("sms", "+5213312345678", per_day=left)
    update, turns = Table.update, list[Turn]()

    def while_another_one(*args: object, **parts: object) -> None:
        with patch.object(Table, "update", update):
            turns.append(take(TABLE, way))  # between the read of the first worker and its write
        update(*args, **parts)  # type: ignore[arg-type]

    with line():
        with patch.object(Table, "update", autospec=True, side_effect=while_another_one):
            turns.append(take(TABLE, way))
        row = TABLE.get(TABLE.keys.of("Channel#sms", "state"))

    assert turns.count(Turn.TAKEN) == left
    assert row is not None
    assert row["spent"] == left
