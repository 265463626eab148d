import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.rules import sweep as sweeping
from andon.rules.control_service import Control
from andon.rules.due import SHARDS, Due, partition_of, shard_of
from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.rules.rule import Decision, History, Rule
from andon.rules.sweep import MARGIN_MS, OLDEST, shards_in, sweep
from andon.rules.timing import Later
from andon.testing.environment import frozen_clock
from andon.testing.wire import Wire
from toys.clock import NOW
from toys.toy_control import (
    BROKEN,
    CONTROL,
    FORGOTTEN,
    FORGOTTEN_MS,
    HOLD_BACK_MS,
    KEYS,
    SWEPT_MS,
    TABLE,
    VARIABLE,
    Keeper,
    decide,
    knocked,
    rules_of,
    thing_of,
)

Lines = list[dict[str, Any]]

OUTCOMES = tuple(
    "due failed left moved unknown decided stands nothing late gone flooded fault".split()  # noqa: SIM905
)


def control_of(*rules: Rule) -> Control:
    return CONTROL._replace(rules=rules_of(*rules))


def upon(history: History) -> Iterable[Decision]:
    yield decide("broken", thing_of(history.anchor.partition_key), str(history.anchor.timestamp_ms), history.anchor)


# Decides upon every knock, when that is due.
EACH = control_of(BROKEN._replace(expression=upon))


def knock(keeper: Keeper, *names: str, at: int = NOW, control: Control = EACH) -> None:
    """Let things be knocked, and that be due."""
    keeper.listen(*(knocked(one, at=at) for one in names))
    keeper.react(control)


def decided(keeper: Keeper, name: str) -> list[str]:
    return keeper.decisions(thing_of(name))


def swept(lines: Lines) -> dict[str, int]:
    """Return the counts of the last sweep, zeros left out."""
    line = next(line for line in reversed(lines) if line["message"] == "swept")
    return {outcome: line[outcome] for outcome in OUTCOMES if line[outcome]}


@dataclass(frozen=True, slots=True)
class Context:
    """An invocation that has so much time left, each time that somebody looks."""

    left: Iterable[int]
    aws_request_id: str = "one request"
    function_name: str = "keeper-sweep"

    def get_remaining_time_in_millis(self) -> int:
        return next(iter(self.left))


def test_what_is_due_is_decided_once_an_event_stamped_in_time_is_stored_and_taken_out_of_the_index(
    keeper: Keeper, name: str, wire: Wire, log_lines: Lines
) -> None:
    knock(keeper, name)
    assert SWEPT_MS == HOLD_BACK_MS + STORED_WITHIN_MS
    assert keeper.sweep(NOW + SWEPT_MS - 1, EACH) == []
    assert (decided(keeper, name), len(keeper.dues())) == ([], 1)

    published = keeper.sweep(NOW + SWEPT_MS, EACH)

    assert decided(keeper, name) == [f"broken#{NOW}"]
    assert [event["type"] for event in published] == ["thing-broken"]
    assert swept(log_lines) == {"due": 1, "decided": 1}
    wire.requests.clear()
    with frozen_clock(NOW + 10 * SWEPT_MS):
        sweep(Context([MARGIN_MS]), control=EACH)
    assert wire.operations == ["Query"] * SHARDS
    assert swept(log_lines) == {}


def test_what_is_due_of_one_thing_is_done_in_the_order_of_time(keeper: Keeper, name: str) -> None:
    # They arrive in another order than they happened in.
    for at in (NOW + 2, NOW, NOW + 1):
        with frozen_clock(at):
            knock(keeper, name, at=at)

    with frozen_clock(NOW + SWEPT_MS + 2):
        sweep(Context([MARGIN_MS]), control=EACH)

    changes = [_change(record) for record in keeper.new_records(VARIABLE)]
    assert changes == [
        change
        for at in (NOW, NOW + 1, NOW + 2)
        for change in (("INSERT", f"decision#broken#{at}"), ("REMOVE", f"{at + HOLD_BACK_MS}"))
    ]


def _change(record: dict[str, Any]) -> tuple[str, str]:
    sort = record["dynamodb"]["Keys"]["sk"]["S"]
    return record["eventName"], sort if sort.startswith("decision#") else sort.partition("#")[0]


def test_the_index_is_read_consistently_and_a_past_once_for_all_that_is_due(
    keeper: Keeper, name: str, wire: Wire
) -> None:
    for number in range(4):
        knock(keeper, name, at=NOW - number)
    wire.requests.clear()

    with frozen_clock(NOW + SWEPT_MS):
        sweep(Context([MARGIN_MS]), control=EACH)

    assert len(decided(keeper, name)) == 4
    queries = [request.parameters for request in wire.requests if request.operation == "Query"]
    assert all(query["ConsistentRead"] is True for query in queries[: SHARDS + 1])
    assert _queries(wire).count(thing_of(name)) == 1


def _queries(wire: Wire) -> list[str]:
    """Name the partitions that were read with a condition on the sort key."""
    queries = [request.parameters for request in wire.requests if request.operation == "Query"]
    return [
        query["ExpressionAttributeValues"][":p"]["S"] for query in queries if ":s" in query["ExpressionAttributeValues"]
    ]


@pytest.mark.parametrize("operation", ["Query", "PutItem", "DeleteItem"])
def test_what_fails_stays_due_and_does_not_keep_others_from_being_done(
    keeper: Keeper, name: str, wire: Wire, log_lines: Lines, operation: str
) -> None:
    names = [f"{name} {number}" for number in range(4)]
    knock(keeper, *names)
    failing = thing_of(names[1])
    wire.fail(operation, "ThrottlingException", when=lambda asked: failing in json.dumps(asked), times=1)

    keeper.sweep(NOW + SWEPT_MS, EACH)

    assert swept(log_lines) == {"due": 4, "failed": 1, "decided": 4 if operation == "DeleteItem" else 3}
    assert [row["key"] for row in keeper.dues()] == [failing]

    keeper.sweep(NOW + 2 * SWEPT_MS, EACH)

    again = {"due": 1, "stands" if operation == "DeleteItem" else "decided": 1}
    assert swept(log_lines) == again
    assert keeper.dues() == []
    assert [decided(keeper, one) for one in names] == [[f"broken#{NOW}"]] * 4


def test_a_row_in_the_index_that_nobody_can_read_is_a_fault_and_does_not_keep_others_from_being_done(
    keeper: Keeper, name: str, wire: Wire, pauses: list[float], log_lines: Lines
) -> None:
    knock(keeper, name)
    (due,) = keeper.dues()
    TABLE.put(KEYS.of(due["pk"], f"{NOW:013d}#unreadable"), condition=UNCONDITIONAL)

    is_broken = True
    wire.refuse_entries(lambda entry: "InternalFailure" if is_broken and "fault" in entry["DetailType"] else None)

    keeper.sweep(NOW + SWEPT_MS, EACH)

    assert decided(keeper, name) == [f"broken#{NOW}"]
    assert swept(log_lines) == {"due": 2, "failed": 1, "decided": 1}
    assert len(keeper.dues()) == 1
    is_broken = False
    (fault,) = keeper.sweep(NOW + SWEPT_MS, EACH)
    assert fault["fault"]["consumer"] == "keeper.sweep"
    assert "unreadable" in fault["fault"]["message"]
    assert swept(log_lines) == {"due": 1, "fault": 1}
    assert keeper.dues() == []
    assert pauses


def test_each_minute_begins_with_another_shard_so_that_none_is_always_the_last(keeper: Keeper, wire: Wire) -> None:
    assert keeper.dues() == []
    wire.requests.clear()

    for minute in range(SHARDS + 1):
        with frozen_clock(NOW + minute * 60_000):
            sweep(Context([MARGIN_MS]), control=EACH)

    asked = _queries(wire)
    each = [asked[first : first + SHARDS] for first in range(0, len(asked), SHARDS)]
    assert all(len(set(shards)) == SHARDS for shards in each)
    assert len({shards[0] for shards in each}) == SHARDS


def test_when_one_of_several_fails_what_was_done_before_it_is_done_and_what_is_behind_it_stays_due(
    keeper: Keeper, name: str, wire: Wire, log_lines: Lines
) -> None:
    for number in range(3):
        knock(keeper, name, at=NOW + number)
    second = f"decision#broken#{NOW + 1}"
    wire.fail("PutItem", "InternalServerError", when=lambda put: put["Item"]["sk"]["S"] == second, times=1)

    keeper.sweep(NOW + SWEPT_MS + 2, EACH)

    assert swept(log_lines) == {"due": 3, "failed": 2, "decided": 1}
    assert [row["at"] for row in keeper.dues()] == [NOW + 1 + HOLD_BACK_MS, NOW + 2 + HOLD_BACK_MS]
    keeper.sweep(NOW + SWEPT_MS + 2, EACH)
    assert len(decided(keeper, name)) == 3


def test_a_rule_that_was_taken_away_stays_due_and_is_tried_now_and_then_and_the_others_are_evaluated(
    keeper: Keeper, name: str, log_lines: Lines
) -> None:
    other = BROKEN._replace(id="other", expression=lambda _: ())
    both = control_of(BROKEN._replace(expression=upon), other)
    knock(keeper, name, control=both)
    (due,) = keeper.dues()

    keeper.sweep(NOW + SWEPT_MS, EACH)
    assert swept(log_lines) == {"due": 1, "unknown": 1, "decided": 1}
    (left,) = keeper.dues()
    assert (left["rules"], left["anchor"], left["ttl"]) == (["other"], due["anchor"], due["ttl"])
    for minute in range(1, 30):
        keeper.sweep(NOW + SWEPT_MS + minute * 60_000, EACH)
    assert sum(line["unknown"] for line in log_lines if line["message"] == "swept") == 5  # not each minute

    keeper.sweep(NOW + SWEPT_MS + 36 * 60_000, both)
    assert swept(log_lines) == {"due": 1, "nothing": 1}
    assert keeper.dues() == []


def test_what_is_due_of_several_rules_that_nobody_knows_is_all_kept(keeper: Keeper, name: str) -> None:
    knock(keeper, name, control=control_of(BROKEN, FORGOTTEN))

    keeper.sweep(NOW + FORGOTTEN_MS + SWEPT_MS, control_of(BROKEN._replace(id="another")))

    assert sorted(row["rules"] for row in keeper.dues()) == [["broken"], ["forgotten"]]


def test_a_shard_that_cannot_be_read_does_not_stop_others(
    keeper: Keeper, name: str, wire: Wire, log_lines: Lines
) -> None:
    names = [f"{name} {number}" for number in range(20)]
    knock(keeper, *names)
    broken = partition_of(shard_of(thing_of(names[0])))
    wire.fail("Query", "InternalServerError", when=lambda query: f'"{broken}"' in json.dumps(query))

    keeper.sweep(NOW + SWEPT_MS, EACH)

    elsewhere = [one for one in names if shard_of(thing_of(one)) != shard_of(thing_of(names[0]))]
    assert swept(log_lines) == {"failed": 1, "due": len(elsewhere), "decided": len(elsewhere)}


@pytest.mark.parametrize(
    "odd", [{"at": "soon"}, {"at": NOW + 1}, {"at": True}, {"key": ["a"]}, {"anchor": 7}, {"rules": [7]}, {"ttl": "x"}]
)
def test_one_bad_row_in_the_index_becomes_one_fault(
    keeper: Keeper, name: str, log_lines: Lines, odd: dict[str, Any]
) -> None:
    knock(keeper, name, f"{name}!")
    row, _ = keeper.dues()
    TABLE.put({**row, **odd}, condition=UNCONDITIONAL)

    faults = [keeper.sweep(NOW + SWEPT_MS + minute * 60_000, EACH) for minute in range(3)]

    assert [event["type"] for events in faults for event in events if event["type"] == "fault"] == ["fault"]
    assert keeper.dues() == []
    assert len(decided(keeper, name) + decided(keeper, f"{name}!")) == 1
    assert swept(log_lines) == {}


@pytest.mark.parametrize(
    "odd", [{"event": {"id": "e1"}}, {"arrived": None}, {"ttl": "never"}, {"source": 7}, {"late": [["one"]]}]
)
@pytest.mark.parametrize("at", [NOW - 1, NOW, NOW + 1], ids=["before", "the anchor", "behind"])
def test_one_bad_row_of_a_machine_becomes_one_fault(keeper: Keeper, name: str, at: int, odd: dict[str, Any]) -> None:
    control = control_of(BROKEN._replace(expression=upon, timing=Later(5)))
    for moment in (NOW - 1, NOW, NOW + 1):
        knock(keeper, name, at=moment, control=control)
    (row,) = (row for row in keeper.partition(thing_of(name)) if row["sk"] == f"event#{at}#knock of {name} at {at}")
    TABLE.put({**row, **odd}, condition=UNCONDITIONAL)
    keeper.new_records(VARIABLE)

    published = [keeper.sweep(NOW + 5 + SWEPT_MS + minute * 60_000, control) for minute in range(3)]
    knock(keeper, name, at=NOW + 2, control=control)
    published.append(keeper.sweep(NOW + 7 + 2 * SWEPT_MS + 180_000, control))

    faults = [event for events in published for event in events if event["type"] == "fault"]
    assert [fault["fault"]["consumer"] for fault in faults] == ["keeper.store"]
    assert decided(keeper, name) == [f"broken#{one}" for one in range(NOW - 1, NOW + 3) if one != at]
    assert keeper.dues() == []


def test_two_sweeps_at_once_decide_once(keeper: Keeper, name: str, wire: Wire, log_lines: Lines) -> None:
    knock(keeper, name)
    knock(keeper, name, at=NOW - 1)
    published = []
    wire.before("PutItem", lambda: published.extend(keeper.sweep(NOW + SWEPT_MS, EACH)))

    published += keeper.sweep(NOW + SWEPT_MS, EACH)

    assert len({event["id"] for event in published}) == len(published) == 2
    assert decided(keeper, name) == [f"broken#{NOW - 1}", f"broken#{NOW}"]
    assert swept(log_lines) == {"due": 2, "stands": 2}


@pytest.mark.parametrize("page", [1, 2, 3])
def test_more_is_due_than_a_page(
    keeper: Keeper, name: str, monkeypatch: pytest.MonkeyPatch, log_lines: Lines, page: int
) -> None:
    monkeypatch.setattr(sweeping, "PAGE", page)
    for number in range(7):
        knock(keeper, name, at=NOW - number)
    knock(keeper, f"{name}!")

    keeper.sweep(NOW + SWEPT_MS, EACH)

    assert swept(log_lines) == {"due": 8, "decided": 8}
    assert keeper.dues() == []


def test_every_key_has_its_turn_before_one_that_has_much_to_be_done_goes_on() -> None:
    queues = sweeping.Queues()
    for key, count in (("much", sweeping.IN_TURN + 1), ("little", 1)):
        for number in range(count):
            queues.add(Due(number, key, f"anchor {number}", rules=(), ttl=0))

    turns = [[(key, len(dues)) for key, dues in queues.take_turns()] for _ in range(3)]

    assert turns == [[("much", sweeping.IN_TURN), ("little", 1)], [("much", 1)], []]


def test_a_key_has_only_its_share_of_a_sweep_and_the_rest_at_the_next(
    keeper: Keeper, name: str, monkeypatch: pytest.MonkeyPatch, log_lines: Lines
) -> None:
    monkeypatch.setattr(sweeping, "IN_TURN", 2)
    monkeypatch.setattr(sweeping, "MOST_OF_KEY", 5)
    names = (name, f"{name}!")
    for number in range(7):
        knock(keeper, *names, at=NOW - number)

    with frozen_clock(NOW + SWEPT_MS):
        sweep(Context([MARGIN_MS]), control=EACH)

    assert swept(log_lines) == {"due": 10, "decided": 10, "left": 4}
    keeper.sweep(NOW + SWEPT_MS, EACH)
    assert [len(decided(keeper, one)) for one in names] == [7, 7]


def oldest(lines: Lines) -> int:
    return int(next(line for line in reversed(lines) if line["message"] == "swept")[OLDEST])


@pytest.mark.parametrize(("in_turn", "done"), [(2, 2), (25, 2), (25, 4)])
def test_a_sweep_whose_time_is_short_says_how_much_is_left_and_how_long_that_has_been_due(
    keeper: Keeper, name: str, monkeypatch: pytest.MonkeyPatch, log_lines: Lines, in_turn: int, done: int
) -> None:
    monkeypatch.setattr(sweeping, "IN_TURN", in_turn)
    for number in range(5):
        knock(keeper, name, at=NOW - number)
    left = iter([MARGIN_MS] * (2 + done) + [MARGIN_MS - 1] * 9)  # once for the invocation and the round, then for each
    with frozen_clock(NOW + SWEPT_MS):
        sweep(Context(left), control=EACH)

    assert swept(log_lines) == {"due": done, "decided": done, "left": 5 - done}
    assert decided(keeper, name) == [f"broken#{NOW - number}" for number in (4, 3, 2, 1)[:done]]
    assert oldest(log_lines) == STORED_WITHIN_MS

    keeper.sweep(NOW + SWEPT_MS, EACH)
    assert (swept(log_lines), oldest(log_lines)) == ({"due": 5 - done, "decided": 5 - done}, 0)


def test_a_shard_not_read_to_its_end_says_so(
    keeper: Keeper, name: str, monkeypatch: pytest.MonkeyPatch, log_lines: Lines
) -> None:
    monkeypatch.setattr(sweeping, "PAGE", 2)
    for number in range(5):
        knock(keeper, name, at=NOW - number)
    shard = shard_of(thing_of(name))

    with frozen_clock(NOW + SWEPT_MS):
        sweep(Context(iter([MARGIN_MS] * 4 + [MARGIN_MS - 1] * 9)), control=EACH, shards=[shard])

    assert swept(log_lines) == {"due": 2, "decided": 2, "left": 1}  # of three, of which nothing is known
    assert oldest(log_lines) == STORED_WITHIN_MS
    keeper.forget()


def test_what_fails_ages_and_so_does_what_a_key_has_too_much_of(
    keeper: Keeper, name: str, monkeypatch: pytest.MonkeyPatch, wire: Wire, log_lines: Lines
) -> None:
    knock(keeper, name)
    wire.fail("PutItem", "ThrottlingException", times=2)

    for minute in range(3):
        keeper.sweep(NOW + SWEPT_MS + minute * 60_000, EACH)
        assert oldest(log_lines) == (STORED_WITHIN_MS + minute * 60_000 if minute < 2 else 0)

    monkeypatch.setattr(sweeping, "MOST_OF_KEY", 2)
    for number in range(1, 4):
        knock(keeper, name, at=NOW - number)
    keeper.sweep(NOW + SWEPT_MS, EACH)
    assert swept(log_lines) == {"due": 2, "decided": 2, "left": 1}
    assert oldest(log_lines) == STORED_WITHIN_MS


def test_a_sweep_of_one_shard_does_nothing_elsewhere(keeper: Keeper, name: str, wire: Wire, log_lines: Lines) -> None:
    names = [f"{name} {number}" for number in range(20)]
    knock(keeper, *names)
    shard = shard_of(thing_of(names[0]))
    here = [one for one in names if shard_of(thing_of(one)) == shard]
    wire.requests.clear()

    with frozen_clock(NOW + SWEPT_MS):
        sweep(Context([MARGIN_MS]), control=EACH, shards=shards_in({"shards": [shard]}))

    assert swept(log_lines) == {"due": len(here), "decided": len(here)}
    assert {row["pk"] for row in keeper.dues()}.isdisjoint({partition_of(shard)})
    assert len(keeper.dues()) == len(names) - len(here)
    keeper.forget()


def test_rows_that_fewer_shards_left_are_done(keeper: Keeper, name: str, log_lines: Lines) -> None:
    knock(keeper, name)
    (row,) = keeper.dues()
    keeper.forget()
    elsewhere = (shard_of(thing_of(name)) + 1) % SHARDS
    TABLE.put({**row, "pk": partition_of(elsewhere)}, condition=UNCONDITIONAL)

    keeper.sweep(NOW + SWEPT_MS, EACH)

    assert swept(log_lines) == {"due": 1, "decided": 1}
    assert keeper.dues() == []


def test_a_line_is_logged_of_every_sweep_with_all_counts_although_there_is_nothing_to_do(
    keeper: Keeper, name: str, wire: Wire, log_lines: Lines
) -> None:
    with frozen_clock(NOW):
        sweep(Context([MARGIN_MS]), control=EACH)
    knock(keeper, f"{name} secret")
    wire.fail("DeleteItem", "ThrottlingException", times=1)
    with frozen_clock(NOW + SWEPT_MS):
        sweep(Context([MARGIN_MS]), control=EACH)

    idle, busy = (line for line in log_lines if line["message"] == "swept")
    assert {outcome: idle[outcome] for outcome in OUTCOMES} == dict.fromkeys(OUTCOMES, 0)
    assert idle["errors"] == []
    assert busy["errors"] == ["ThrottlingException"]
    assert busy["function_request_id"] == "one request"
    assert (idle[OLDEST], "_aws" in idle) == (0, False)
    [directive] = busy["_aws"]["CloudWatchMetrics"]
    assert [metric["Name"] for metric in directive["Metrics"]] == ["failed", OLDEST]
    assert directive["Dimensions"] == [["service", "stage"]]
    assert "secret" not in json.dumps(busy)
