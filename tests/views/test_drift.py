"""Rows that differ from their events are found, reported and repaired; sound ones are never touched."""

import io
import json
import random
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.cdk.names import pascal
from andon.dynamodb.attribute_values import to_typed
from andon.events.domain_event import DomainEvent
from andon.packages.discovery import readers, recomputed, views
from andon.packages.package import Package
from andon.runtime import times
from andon.testing.convergence import stories_of
from andon.testing.drift import clear_rows, forge, look, remember, reported, rows_of, take_in
from andon.testing.environment import frozen_clock
from andon.testing.examples import ON_TABLES
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import LogLines
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from andon.tools.stack import audit
from andon.views.view_updates import updates_in
from andon.wire import aws
from demo.people import LIZ, SUE
from tests.support.archive import ARCHIVE, DAY_MS, HOUR_MS, MINUTE_MS, clear, line_of, report_of, sweep
from tests.support.lake import LAKE
from tests.support.samples import NOW, fact

LOGS, BOARD = Package("views", "state_log"), Package("views", "board")
VIEWS: Final = {view.name: view for view in recomputed()}
STORIES: Final = {name: [*stories_of(name).values()] for name in VIEWS}
LAST_WEEK: Final = NOW - 6 * DAY_MS
LIVES: Final = NOW // 1000 + 33 * DAY_MS // 1000
NEVER: Final = "4102444800000#from a clock that is wrong"  # in the year 2100

TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")  # as events write it

Row = dict[str, Any]


@pytest.fixture(autouse=True)
def nothing_kept(loop: Loop) -> None:
    empty(loop)


def empty(loop: Loop) -> None:
    clear()
    for view in VIEWS.values():
        clear_rows(loop, view)
        loop.to_recompute(view)
    loop.new_messages()


def corrupt(loop: Loop, view: Package, row: Row) -> None:
    """Put a row as no listener would, in the place of the one that is there."""
    if view.objects is not None:
        view.objects.delete({name: row[name] for name in view.view.KEYS.names})
    forge(loop, view, row)


def report_lines(equipment_id: str, count: int, *, at_ms: int = LAST_WEEK) -> list[str]:
    """Return the lines of reports, a minute after one another."""
    moments = [at_ms + number * MINUTE_MS for number in range(count)]
    return [
        line_of(
            report_of(equipment_id, at_ms=at, event_id=f"{equipment_id}@{at}", timestamp=times.to_utc(at)), at_ms=at
        )
        for at in moments
    ]


def assigned(equipment_id: str, log_ms: int, *, at_ms: int, operator: str = LIZ) -> str:
    """Return the line of an assignment to the log of a time."""
    log = {"equipmentId": equipment_id, "state": "WARNING1", "timestamp": times.to_utc(log_ms), "operator": operator}
    event = fact("operator-assigned", id=f"{operator}@{at_ms}", at=at_ms, **log)
    return line_of(event._replace(partition_key=equipment_id), at_ms=at_ms)


def test_every_view_is_recomputed() -> None:
    assert [*VIEWS] == [view.name for view in views()]


def test_of_a_thousand_rows_the_three_that_are_corrupted_are_reported_and_repaired_and_then_none(loop: Loop) -> None:
    lines = [line for number in range(50) for line in report_lines(f"press-{number}", 20)]
    take_in(loop, LOGS, lines)
    remember(lines)
    sweep(loop)
    sound = rows_of(loop, LOGS)
    assert len(sound) == 1000
    first, second, third = random.Random(3).sample(sound, 3)  # noqa: S311  the same each run
    corrupt(loop, LOGS, {**first, "Detail": "nobody said so"})
    corrupt(loop, LOGS, {**second, "State": "MELTING", "ttl": second["ttl"] - 5})
    corrupt(loop, LOGS, {**third, "oplock#reported": NEVER, "Detail": "from the future"})

    assert loop.request("POST /drift/{view}", path={"view": "state_log"}).status == 202
    loop.run()

    found = loop.request("GET /drift").body["items"]
    keys = [{name: row[name] for name in ("DeviceID", "State#Date")} for row in (first, second, third)]
    assert sorted(str(one["key"]) for one in found) == sorted(map(str, keys))
    by_kinds = {tuple(one["kinds"]): one for one in found}
    assert set(by_kinds) == {("values",), ("ttl", "values"), ("ahead",)}
    assert by_kinds[("ahead",)]["repair"] == "compare-and-set"
    assert by_kinds[("values",)]["repair"] == "oplock"
    assert by_kinds[("values",)]["fields"] == {"Detail": {"found": "nobody said so", "expected": first["Detail"]}}
    assert by_kinds[("ahead",)]["fields"]["oplock#reported"]["found"] == NEVER
    assert rows_of(loop, LOGS) == sound
    assert look(loop, LOGS) == []


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
@ON_TABLES
@given(chance=st.randoms(use_true_random=False), data=st.data())
def test_a_sound_table_is_not_touched_whatever_is_still_on_its_way(
    loop: Loop, view: Package, chance: random.Random, data: st.DataObject
) -> None:
    """Delivered in any order, again, or not yet; in the lake, in the archive, or not yet."""
    empty(loop)
    story = data.draw(st.sampled_from(STORIES[view.name]))
    events = [about_one(view, event) for event in story]
    now_ms = max(event.timestamp_ms for event in events) + data.draw(st.sampled_from([0, HOUR_MS - 1, 40 * MINUTE_MS]))
    lines = [line_of(event, at_ms=event.timestamp_ms) for event in events]
    arrived = {line for line, event in zip(lines, events, strict=True) if event.timestamp_ms < now_ms - HOUR_MS + 1000}
    delivered = some_of(lines, arrived, chance) + chance.choices(lines, k=chance.randint(0, 3))
    in_lake = some_of(lines, arrived, chance)
    with frozen_clock(now_ms):
        take_in(loop, view, delivered)
        half = len(in_lake) // 2
        remember(in_lake[:half])
        if chance.random() < 0.5:
            sweep(loop)
        remember(in_lake[half:])
        before = rows_of(loop, view)

        assert look(loop, view) == []

        assert rows_of(loop, view) == before


def some_of(lines: Sequence[str], arrived: set[str], chance: random.Random) -> list[str]:
    """Return lines in any order, all of those among them that arrived."""
    return [line for line in chance.sample(lines, len(lines)) if line in arrived or chance.random() < 0.5]


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
@ON_TABLES
@given(chance=st.randoms(use_true_random=False), data=st.data())
def test_whatever_is_corrupted_is_found_once_and_repaired(
    loop: Loop, view: Package, chance: random.Random, data: st.DataObject
) -> None:
    empty(loop)
    story = data.draw(st.sampled_from(STORIES[view.name]))
    lines = [line_of(event, at_ms=event.timestamp_ms) for event in (about_one(view, event) for event in story)]
    remember(lines)
    chance.shuffle(lines)
    with frozen_clock(NOW):
        take_in(loop, view, lines)
        sound = rows_of(loop, view)
        assert look(loop, view) == [], "sound"
        row = chance.choice(sound)
        broken = data.draw(st.sampled_from([*corruptions(view, row)]))
        corrupt(loop, view, broken)

        findings = look(loop, view)

        key = {name: row[name] for name in view.view.KEYS.names}
        assert [finding["key"] for finding in findings] == [key]
        if broken.get("ttl") != row.get("ttl") and is_skeleton(view, row):
            sound = [one | {"ttl": LIVES} if one == row else one for one in sound]
        assert rows_of(loop, view) == sound
        assert look(loop, view) == []


def is_skeleton(view: Package, row: Row) -> bool:
    """Return True if a row waits for its anchor: it expires so long after it was written, whenever that was."""
    anchor = getattr(view.view, "ANCHOR", None)
    return anchor is not None and f"oplock#{anchor.oplock}" not in row


def about_one(view: Package, event: DomainEvent) -> DomainEvent:
    """Return an event under the partition key of what it is about."""
    [keep] = [keep for topic, keep in view.view.ON.items() if topic == (event.tags["source"], event.type)]
    try:
        [update, *_] = updates_in(keep(event))  # type: ignore[operator]
    except Exception:  # noqa: BLE001  an old shape: samples of these have theirs
        return event
    # A sample that was recorded later than now is as old as the others, with the times that it says.
    at_ms = min(event.timestamp_ms, NOW - 2 * HOUR_MS + event.timestamp_ms % HOUR_MS)
    entities = earlier(event.entities, event.timestamp_ms - at_ms)
    return event._replace(partition_key=update.key[view.view.KEYS.partition], timestamp_ms=at_ms, entities=entities)


def earlier(entities: Mapping[str, Any], by_ms: int) -> dict[str, Any]:
    """Return what an event says, with all times so much earlier."""
    moved = TIME.sub(lambda at: times.to_utc(times.to_ms(at[0]) - by_ms), json.dumps(entities))
    return dict(json.loads(moved))


def corruptions(view: Package, row: Row) -> Sequence[Row]:
    """Return a row with one attribute changed, gone, or from the future."""
    keys = view.view.KEYS.names
    names = [name for name in row if name not in keys]
    oplocks = [name for name in names if name.startswith("oplock#")]
    changed = [{**row, name: "corrupt"} for name in names if name != "ttl"]
    gone = [{other: value for other, value in row.items() if other != name} for name in names]
    ahead = [{**row, name: NEVER} for name in oplocks]
    expiring = [{**row, "ttl": NOW // 1000 + 60}]
    older = [{**row, name: f"{0:013d}#"} for name in oplocks]
    return [*changed, *gone, *ahead, *expiring, *older]


def test_a_row_that_is_gone_comes_back(loop: Loop) -> None:
    lines = report_lines("press-7", 3)
    take_in(loop, LOGS, lines)
    remember(lines)
    sound = rows_of(loop, LOGS)
    aws.client("dynamodb").delete_item(
        TableName="STATE_LOG_TABLE", Key=to_typed({name: sound[1][name] for name in ("DeviceID", "State#Date")})
    )

    [finding] = look(loop, LOGS)

    assert (finding["kinds"], finding["repair"]) == (["missing"], "oplock")
    assert rows_of(loop, LOGS) == sound


def test_what_is_doubtful_is_reported_only_if_it_is_the_same_the_second_time(loop: Loop) -> None:
    lines = report_lines("press-7", 3)
    take_in(loop, LOGS, lines[:2])
    remember(lines)

    loop.request("POST /drift/{view}", path={"view": "state_log"})
    [*shards] = loop.to_recompute(LOGS)
    loop.invoke(LOGS, "recompute", sqs_event(shards))

    assert reported(loop) == []
    again = loop.to_recompute(LOGS)
    assert len(again) == 1
    take_in(loop, LOGS, lines[2:])  # it was late
    before = rows_of(loop, LOGS)
    loop.invoke(LOGS, "recompute", sqs_event(again))
    assert reported(loop) == []
    assert loop.to_recompute(LOGS) == []
    assert rows_of(loop, LOGS) == before


def test_what_came_late_to_a_day_of_the_archive_is_known_the_second_time(loop: Loop) -> None:
    lines = [line for days in (6, 5, 4, 3) for line in report_lines("press-7", 1, at_ms=NOW - days * DAY_MS)]
    late = assigned("press-7", LAST_WEEK, at_ms=LAST_WEEK + HOUR_MS)
    take_in(loop, LOGS, [*lines, late])
    remember(lines)
    sweep(loop)
    remember([late])

    assert look(loop, LOGS) == []


def test_what_only_the_row_knows_is_reported_and_stays_for_the_lake_may_lack_it(loop: Loop) -> None:
    lines = report_lines("press-7", 2)
    late = assigned("press-7", LAST_WEEK, at_ms=NOW - 2 * HOUR_MS)
    take_in(loop, LOGS, [*lines, late])
    remember(lines)
    before = rows_of(loop, LOGS)

    [finding] = look(loop, LOGS)

    assert (finding["kinds"], finding["repair"]) == (["unknown"], "none")
    assert rows_of(loop, LOGS) == before


def frozen_by_a_wrong_clock(loop: Loop, ahead: str, *more: str) -> None:
    """Let a row be written by an event from far ahead, as listeners did before they refused it."""
    with frozen_clock(NOW + 30 * 365 * DAY_MS):
        take_in(loop, LOGS, [ahead])
    take_in(loop, LOGS, more)


def test_a_row_that_a_wrong_clock_froze_says_again_what_happened(loop: Loop) -> None:
    [report] = report_lines("press-7", 1)
    rightly = assigned("press-7", LAST_WEEK, at_ms=LAST_WEEK + HOUR_MS)
    ahead_ms = NOW + 30 * 365 * DAY_MS
    wrongly = assigned("press-7", LAST_WEEK, at_ms=ahead_ms, operator="Nobody")
    wrongly_taken = wrongly.replace(times.to_utc(ahead_ms)[:19] + "Z", times.to_utc(LAST_WEEK)[:19] + "Z")
    take_in(loop, LOGS, [report, rightly])
    sound = rows_of(loop, LOGS)
    empty(loop)
    remember([report, wrongly_taken, rightly])
    frozen_by_a_wrong_clock(loop, wrongly, report, rightly)
    assert rows_of(loop, LOGS)[0]["Operator"] == "Nobody", "frozen"

    [finding] = look(loop, LOGS)

    assert finding["kinds"] == ["ahead", "ttl"]
    assert rows_of(loop, LOGS) == sound
    take_in(loop, LOGS, [later := assigned("press-7", LAST_WEEK, at_ms=NOW - 1, operator=SUE)])
    assert later
    assert rows_of(loop, LOGS)[0]["Operator"] == SUE, "it lives again"


def test_a_row_that_only_a_wrong_clock_made_goes(loop: Loop) -> None:
    ahead_ms = NOW + 30 * 365 * DAY_MS
    [wrongly] = report_lines("press-7", 1, at_ms=ahead_ms)
    take_in(loop, LOGS, sound := report_lines("press-7", 2))
    before = rows_of(loop, LOGS)
    remember([*sound, wrongly.replace(times.to_utc(ahead_ms)[:19] + "Z", times.to_utc(LAST_WEEK)[:19] + "Z")])
    frozen_by_a_wrong_clock(loop, wrongly)
    assert len(rows_of(loop, LOGS)) == 3

    [finding] = look(loop, LOGS)

    assert finding["kinds"] == ["ahead"]
    assert rows_of(loop, LOGS) == before


@pytest.mark.parametrize("package", readers(), ids=lambda package: package.name)
def test_an_event_from_far_ahead_is_a_fault_that_is_counted_and_freezes_nothing(
    loop: Loop, package: Package, log_lines: LogLines
) -> None:
    """Views and control services alike: by an event of the year 2100 they would refuse or expect all until then."""
    source, event_type = min(package.subscriptions)
    ahead = fact(event_type, at=NOW + 30 * 365 * DAY_MS)
    before = [loop.rows(table) for table in package.tables]

    take_in(loop, package, [line_of(ahead, at_ms=NOW, source=source)])

    assert [loop.rows(table) for table in package.tables] == before
    [message] = loop.new_messages()
    assert "timestamp lies ahead of the bus" in message
    line = next(line for line in log_lines if line["message"] == "materialized")
    assert (line["view"], line["fault"]) == (package.name, 1)


def test_a_row_that_has_seen_what_was_refused_first_and_came_again_is_sound(loop: Loop) -> None:
    [report] = report_lines("press-7", 1)
    assignment = assigned("press-7", LAST_WEEK, at_ms=LAST_WEEK + HOUR_MS)
    too_early = assignment.replace(times.to_utc(LAST_WEEK + HOUR_MS)[:19] + "Z", times.to_utc(LAST_WEEK)[:19] + "Z")
    on_its_way = assigned("press-7", LAST_WEEK, at_ms=NOW - MINUTE_MS, operator=SUE)
    take_in(loop, LOGS, [report, assignment])
    remember([report, too_early, assignment, on_its_way])
    before = rows_of(loop, LOGS)

    assert look(loop, LOGS) == []
    assert rows_of(loop, LOGS) == before


def test_a_row_of_an_event_that_claims_a_time_ahead_is_sound_at_each_look(loop: Loop) -> None:
    [report] = report_lines("press-7", 1, at_ms=NOW)
    claims = report.replace(f'"{times.to_utc(NOW)[:19]}Z"', '"2031-01-01T00:00:00Z"')
    take_in(loop, BOARD, [claims])
    loop.deliver(LAKE, [claims])

    for days in (1, 2):
        with frozen_clock(NOW + days * DAY_MS):
            assert look(loop, BOARD) == []


def test_a_row_has_not_to_show_more_of_a_bounded_family_than_its_newest(loop: Loop) -> None:
    reports = [
        report_of(
            "press-7",
            at_ms=(at := LAST_WEEK + number * MINUTE_MS),
            event_id=f"r{number}",
            state=f"STATE{number}",
            timestamp=times.to_utc(at),
        )
        for number in range(20)
    ]
    lines = [line_of(report, at_ms=report.timestamp_ms) for report in reports]
    take_in(loop, BOARD, lines)
    remember(lines)
    [row] = rows_of(loop, BOARD)
    assert len([name for name in row if name.startswith("seen#")]) == 16

    assert look(loop, BOARD) == []
    assert rows_of(loop, BOARD) == [row]


def test_a_row_that_is_written_between_the_look_and_the_repair_keeps_what_was_written(loop: Loop, wire: Wire) -> None:
    lines = report_lines("press-7", 1)
    take_in(loop, LOGS, [*lines, assigned("press-7", LAST_WEEK, at_ms=LAST_WEEK + HOUR_MS)])
    remember([*lines, assigned("press-7", LAST_WEEK, at_ms=LAST_WEEK + HOUR_MS)])
    [row] = rows_of(loop, LOGS)
    corrupt(loop, LOGS, {**row, "Operator": "corrupt"})
    newer = assigned("press-7", LAST_WEEK, at_ms=NOW, operator=SUE)

    def write(_: Any) -> bool:  # noqa: ANN401
        take_in(loop, LOGS, [newer])
        return False

    wire.fail("PutEvents", "Never", when=write)

    assert len(look(loop, LOGS)) == 1

    [after] = rows_of(loop, LOGS)
    assert after["Operator"] == SUE


def test_a_sample_costs_two_requests_a_day_for_a_piece_of_equipment(loop: Loop, log_lines: LogLines) -> None:
    for day in range(3):
        lines = report_lines("press-7", 2, at_ms=LAST_WEEK + day * DAY_MS)
        take_in(loop, LOGS, lines)
        remember(lines)
    sweep(loop)

    with Wire(("s3",)) as s3:
        loop.invoke(LOGS, "recompute", {"source": "aws.events"})

    indexes = [one for one in s3.requests if one.operation == "GetObject" and "/index/" in one.parameters["Key"]]
    ranges = [one for one in s3.requests if "Range" in one.parameters]
    assert len(ranges) in {0, 3}, "the shard that was drawn has it, or not"
    assert len(indexes) <= 1 + 3
    assert log_lines[-1]["message"] == "recomputed"


class Functions:
    """The functions of the loop, as boto3's client invokes those of a stack on this machine."""

    def __init__(self, loop: Loop) -> None:
        self._loop, self._alone = loop, threading.Lock()

    def invoke(self, *, FunctionName: str, Payload: str | bytes = "{}") -> dict[str, Any]:  # noqa: N803  boto3's
        """Invoke a handler by its name."""
        package, role = (VIEWS[FunctionName], "recompute") if FunctionName in VIEWS else (ARCHIVE, "sweep")
        with self._alone:
            answer = self._loop.invoke(package, role, json.loads(Payload))
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}


def test_an_audit_reads_the_lake_about_once_however_many_shards_and_views_there_are(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line_of(report_of(f"press-{number}", event_id=str(number))) for number in range(20)]
    remember(lines)
    take_in(loop, LOGS, lines)
    deployed = {f"{pascal(name)}Recompute": name for name in VIEWS}
    functions = Functions(loop)
    monkeypatch.setattr("andon.tools.stack.aws.client", lambda _service, _endpoint: functions)

    with Wire(("s3",)) as wire:
        counted = audit.run(deployed | {"Endpoint": "", "ArchiveSweep": "archive"})

    reads = [one.parameters["Key"] for one in wire.requests if one.operation == "GetObject"]
    in_lake = [key for key in reads if key.startswith("events/")]
    assert counted["state_log"]["rows"] == len(lines)
    assert len({*in_lake}) <= len(in_lake) <= 2 * len({*in_lake})  # for machines, and for people
