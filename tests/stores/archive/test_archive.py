"""The lake's days by actor: complete, the same bytes for the same events, two requests for an actor's day."""

import gzip
import json
import random
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.recorded.archive import SHARDS, shard_of
from andon.recorded.reader import Recorded
from andon.runtime import clock
from andon.runtime.errors import CallFailed
from andon.stores.archive import pages
from andon.stores.archive.pages import to_data
from andon.stores.archive.store import BUCKET, KINDS, LAKE, actors_in
from andon.stores.archive.sweep import COUNTS, LATEST_DAYS, TimeLeft, compact_stale_days, days_to_check, kinds_kept
from andon.stores.lake.batch import to_object
from andon.testing.drift import keep_in_lake
from andon.testing.lambda_events import http_event
from andon.testing.log_lines import LogLines
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from andon.testing.world import to_bytes
from andon.wire.bucket import Bucket
from contract import groups
from demo.people import ANN, LIZ, TOM
from project import EQUIPMENT, OPERATORS
from tests.support.archive import (
    ARCHIVE,
    DAY_MS,
    EQUIPMENT_ROUTE,
    EVER,
    HOUR_MS,
    MINUTE_MS,
    OPERATOR_ROUTE,
    TODAY,
    clear,
    happened_to,
    keys_in,
    line_of,
    report_of,
    sweep,
)
from tests.support.samples import NOW, fact

PARTS = [pages.ShardOfKind(kind, shard) for kind in KINDS for shard in range(SHARDS)]
MEMBERS = "id", "type", "timestamp", "partitionKey", "tags", "person", "crew"
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 10**13) | st.sampled_from(["", "fault", "press-7"]),
    lambda some: st.lists(some, max_size=2) | st.dictionaries(st.sampled_from(["id", "members"]), some, max_size=2),
    max_leaves=3,
)

_numbers = count(1)


@pytest.fixture(autouse=True)
def nothing_kept(loop: Loop) -> None:  # noqa: ARG001
    clear()


@pytest.fixture
def s3(loop: Loop) -> Iterator[Wire]:  # noqa: ARG001
    with Wire(("s3",)) as wire:
        yield wire


def reported(equipment_id: str, *, at_ms: int = NOW, event_id: str | None = None) -> str:
    """Return the line of a report that the bus took at its own time."""
    return line_of(report_of(equipment_id, at_ms=at_ms, event_id=event_id or f"report {next(_numbers)}"), at_ms=at_ms)


def archived(loop: Loop, equipment_id: str, **query: str) -> list[str]:
    return [item["detail"]["id"] for item in happened_to(loop, equipment_id, **(EVER | query))]


def bodies_of(loop: Loop) -> dict[str, str]:
    return {one["Key"]: one["Body"] for one in loop.objects(BUCKET)}


def test_what_the_lake_has_of_a_machine_is_in_the_archive_byte_for_byte_and_in_order(loop: Loop) -> None:
    of_press = [reported("press-7", at_ms=NOW + n * MINUTE_MS) for n in range(3)]
    keep_in_lake([of_press[2], reported("press-8"), of_press[0]])
    keep_in_lake([of_press[1]])

    sweep(loop)

    event = http_event(EQUIPMENT_ROUTE, path={"id": "press-7"}, query=EVER, headers={"accept": "*/*"})
    assert loop.invoke(ARCHIVE, "query", event)["body"] == f'{{"items":[{",".join(of_press)}]}}'


def test_an_event_that_came_twice_is_counted_once_the_first_time(loop: Loop) -> None:
    report = report_of("press-7", event_id="twice")
    keep_in_lake([line_of(report, at_ms=NOW + HOUR_MS)])
    keep_in_lake([line_of(report, at_ms=NOW)])

    sweep(loop)

    [item] = happened_to(loop, "press-7", **EVER)
    assert item["time"] == "2020-04-28T00:00:00Z"


def test_two_days_cost_four_requests_and_one_listing_however_many_events_they_have(loop: Loop, s3: Wire) -> None:
    for hour in range(2, 12, 2):
        keep_in_lake([reported(f"press-{n}", at_ms=NOW - hour * HOUR_MS) for n in range(30)])
    keep_in_lake([reported("press-7")])
    sweep(loop)
    s3.requests.clear()

    assert len(archived(loop, "press-7")) == 6
    assert sorted(s3.operations) == ["GetObject"] * 4 + ["ListObjectsV2"]
    assert "Range" in s3.requests[-1].parameters


def test_a_late_event_makes_its_day_be_written_again_by_the_next_sweep(loop: Loop) -> None:
    keep_in_lake([reported("press-7")])
    keep_in_lake([reported("press-7", at_ms=NOW - DAY_MS)])
    sweep(loop)
    before = bodies_of(loop)

    keep_in_lake([reported("press-7", at_ms=NOW - DAY_MS + HOUR_MS, event_id="late")])
    sweep(loop)

    assert "late" in archived(loop, "press-7")
    changed = {key for key, body in bodies_of(loop).items() if before.get(key) != body}
    assert changed
    assert {key for key in changed if TODAY in key} == set()


def test_a_sweep_of_what_is_as_the_lake_is_writes_nothing(loop: Loop, s3: Wire, log_lines: LogLines) -> None:
    keep_in_lake([reported("press-7")])
    sweep(loop)
    s3.requests.clear()

    sweep(loop)

    assert {"PutObject", "DeleteObject"} & set(s3.operations) == set()
    line = log_lines[-1]
    assert (line["message"], line["days"], line["stale"]) == ("archived", 1, 0)
    assert set(COUNTS) <= line.keys()
    assert "_aws" not in line


def test_the_same_events_are_the_same_bytes_however_they_lie_in_the_lake(loop: Loop) -> None:
    chance = random.Random(7)  # noqa: S311  the same each run
    events = [reported(f"press-{chance.randrange(9)}", at_ms=NOW + n) for n in range(40)]
    states = []
    for _ in range(3):
        clear()
        chance.shuffle(events)
        for start in range(0, 40, 10):
            keep_in_lake(events[start : start + 10])
        sweep(loop)
        states.append({key: body for key, body in bodies_of(loop).items() if "/data/" in key})

    assert states[0] == states[1] == states[2]
    text = "".join(gzip.decompress(to_bytes(body)).decode() for key, body in states[0].items() if "equipment/" in key)
    assert sorted(text.splitlines()) == sorted(events)


def test_index_and_manifest_are_written_behind_what_they_name(loop: Loop, s3: Wire) -> None:
    keep_in_lake([reported("press-7")])

    sweep(loop)

    puts = [one.parameters["Key"].split("/")[:2] for one in s3.requests if one.operation == "PutObject"]
    of_equipment = [folder for kind, folder in puts if kind == "equipment"]
    assert of_equipment[of_equipment.index("data") + 1] == "index"
    assert of_equipment.index("manifest") == len(of_equipment) - 1


@pytest.mark.parametrize("at", [0, 1, 2, 3, 15, 28, 31, 40, 50])
def test_a_sweep_that_is_killed_between_two_writes_is_completed_by_the_next_one(loop: Loop, s3: Wire, at: int) -> None:
    keep_in_lake([reported(f"press-{n}") for n in range(20)])
    killed = [False]
    left = [at]

    def is_killed(_: Any) -> bool:  # noqa: ANN401
        left[0] -= 1
        killed[0] = left[0] < 0
        return killed[0]

    s3.fail("PutObject", "Killed", when=is_killed)
    try:
        sweep(loop)
    except CallFailed:
        assert killed[0]
    left[0] = 10**6
    sweep(loop)

    assert {len(archived(loop, f"press-{n}")) for n in range(20)} == {1}


def test_a_sweep_that_has_no_memory_reads_the_day_again_and_one_that_has_no_time_goes_on_the_next_time(
    loop: Loop, monkeypatch: pytest.MonkeyPatch, s3: Wire
) -> None:
    keep_in_lake([reported(f"press-{n}") for n in range(60)])
    monkeypatch.setattr(pages, "MOST_BYTES", 10_000)  # some eight lines
    left_ms = iter([1_000, 1_000, 400])
    out_of_time: Any = SimpleNamespace(aws_request_id="1", get_remaining_time_in_millis=lambda: next(left_ms))

    compact_stale_days(out_of_time, now_ms=clock.now_ms())

    assert keys_in(BUCKET, "equipment/manifest/") == []
    assert 0 < len(keys_in(BUCKET, "equipment/index/")) < SHARDS
    s3.requests.clear()
    sweep(loop)
    bucket = Bucket(LAKE).name
    reads = [one for one in s3.requests if one.operation == "GetObject" and one.parameters["Bucket"] == bucket]
    assert len(reads) > 3
    assert {len(archived(loop, f"press-{n}")) for n in range(60)} == {1}


def test_memory_is_bounded_by_giving_up_parts() -> None:
    read = pages.Pass(PARTS, most_bytes=20_000)

    for n in range(500):
        read.add([reported(f"press-{n}")])
        assert read.held_bytes <= 20_000 or len(read.parts) == 1

    assert 1 <= len(read.parts) < len(PARTS)
    assert {shard_of(actor) for actor in read.lines_of(read.parts[0])} == {read.parts[0].shard}


def test_data_that_nobody_reads_any_more_are_removed_but_those_of_the_index_before(loop: Loop) -> None:
    data = []
    for n in range(4):
        keep_in_lake([reported("press-7", at_ms=NOW + n)])
        sweep(loop)
        data.append(keys_in(BUCKET, "equipment/data/"))

    assert [len(keys) for keys in data] == [1, 2, 2, 2]
    assert len(archived(loop, "press-7")) == 4


def test_a_day_that_is_written_twice_while_it_is_read_is_read_again(loop: Loop, s3: Wire) -> None:
    keep_in_lake([reported("press-7")])
    sweep(loop)
    s3.fail("GetObject", "NoSuchKey", when=lambda request: "Range" in request, times=1)

    assert len(archived(loop, "press-7")) == 1


def test_times_are_those_of_the_bus_and_both_ends_are_in(loop: Loop) -> None:
    for n in range(4):
        keep_in_lake([reported("press-7", at_ms=NOW + n * HOUR_MS, event_id=f"at {n}")])
    sweep(loop)

    found = archived(loop, "press-7", **{"from": "2020-04-28T01:00:00Z", "to": "2020-04-28T02:00:00Z"})

    assert found == ["at 1", "at 2"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_pages_have_every_event_once_over_many_days(loop: Loop, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_DAYS", 2)
    expected = []
    for day in (40, 12, 3, 2, 1, 0):
        for n in range(3):
            expected.append(f"{limit} {day} {n}")
            keep_in_lake([reported("press-7", at_ms=NOW - day * DAY_MS + n, event_id=expected[-1])])
        keep_in_lake([reported("press-8", at_ms=NOW - day * DAY_MS - DAY_MS)])
    sweep(loop)

    assert archived(loop, "press-7", limit=str(limit)) == expected


def test_a_page_ends_before_lambda_could_not_send_it(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_PAGE_BYTES", 3_000)
    keep_in_lake([reported("press-7", at_ms=NOW + n) for n in range(20)])
    sweep(loop)

    first = loop.request(EQUIPMENT_ROUTE, path={"id": "press-7"}, query=EVER)

    assert 1 <= len(first.body["items"]) < 20
    assert len(archived(loop, "press-7")) == 20


def test_a_client_that_accepts_ndjson_gets_an_event_a_line_and_the_next_page_by_link(loop: Loop) -> None:
    events = [reported("d#1é", at_ms=NOW + n * 1000) for n in range(3)]
    keep_in_lake(events)
    sweep(loop)
    accepts = {"accept": "application/x-ndjson"}
    event = http_event(EQUIPMENT_ROUTE, path={"id": "d#1é"}, query={**EVER, "limit": "2"}, headers=accepts)

    response = loop.invoke(ARCHIVE, "query", event)

    headers = {name.lower(): value for name, value in response["headers"].items()}
    assert headers["content-type"] == "application/x-ndjson"
    assert response["body"] == f"{events[0]}\n{events[1]}\n"
    assert headers["link"].startswith("</archive/equipment/d%231%C3%A9?from=2019-01-01&to=2020-12-31&limit=2&cursor=")
    assert headers["link"].endswith('>; rel="next"')


@pytest.mark.parametrize(
    "query", [{}, {"from": "2020-01-01"}, {"to": "2020-01-01"}, {"from": "2020-02-01", "to": "2020-01-01"}]
)
def test_a_period_that_is_none_is_refused(loop: Loop, query: dict[str, str]) -> None:
    assert loop.request(EQUIPMENT_ROUTE, path={"id": "press-7"}, query=query).status == 400


@pytest.mark.parametrize("group", groups.ALL)
def test_auditors_and_admins_alone_read_it(loop: Loop, group: str) -> None:
    for route, path in ((EQUIPMENT_ROUTE, {"id": "press-7"}), (OPERATOR_ROUTE, {"operator": LIZ})):
        answer = loop.request(route, path=path, query=EVER, groups=[group])
        assert answer.status == (200 if group in {"auditor", "admin"} else 403)


@pytest.mark.parametrize(
    ("person", "assigned"),
    [
        (LIZ, fact("operator-assigned", operator=LIZ)),
        (LIZ, fact("crew-assigned", lead=LIZ, members=[TOM, ANN])),
        (ANN, fact("crew-assigned", lead=LIZ, members=[TOM, ANN])),
    ],
)
def test_what_is_about_people_is_found_by_each_of_them(loop: Loop, person: str, assigned: DomainEvent) -> None:
    keep_in_lake([line_of(assigned), reported("press-7")])
    sweep(loop)

    answer = loop.request(OPERATOR_ROUTE, path={"operator": person}, query=EVER)

    assert [item["detail-type"] for item in answer.body["items"]] == [assigned.type]


def test_a_fault_is_about_no_machine(loop: Loop) -> None:
    keep_in_lake([line_of(fact("fault"), source="state_log")])
    sweep(loop)

    assert archived(loop, "state_log.listener") == []


def test_an_hourly_run_looks_at_days_that_may_still_get_something_and_the_first_of_a_day_at_all() -> None:
    days = ["2020-04-28", "2020-04-10", "2020-04-07", "2019-12-31"]

    assert days_to_check(days, now_ms=NOW + 5 * HOUR_MS) == days[:2]
    assert LATEST_DAYS == 20
    assert days_to_check(days, now_ms=NOW + HOUR_MS - 1) == days


def test_a_day_that_has_expired_is_not_written_again(loop: Loop) -> None:
    assert kinds_kept("2019-04-01", now_ms=NOW) == [EQUIPMENT, OPERATORS]
    assert kinds_kept("2018-04-01", now_ms=NOW) == [EQUIPMENT]
    assert kinds_kept("2009-04-01", now_ms=NOW) == []
    keep_in_lake([line_of(fact("operator-assigned", operator=LIZ), at_ms=NOW - 500 * DAY_MS)])

    sweep(loop)

    assert {one["Key"].split("/")[0] for one in loop.objects(BUCKET)} == {"equipment"}


def test_time_is_enough_for_another_step_if_twice_the_longest_is_left() -> None:
    left_ms = iter([1_000, 700, 600, 599])
    context: Any = SimpleNamespace(get_remaining_time_in_millis=lambda: next(left_ms))
    time_left = TimeLeft(context)

    assert [time_left.is_enough() for _ in range(3)] == [True, False, False]


def test_a_member_is_a_file_of_its_own_and_all_of_them_are_one() -> None:
    body, places = to_data({"b": ["3"], "a": ["1", "2\u2028"]})

    assert body[4:8] == bytes(4)  # gzip's time
    assert gzip.decompress(body).decode() == "1\n2\u2028\n3\n"
    for actor, expected in (("a", "1\n2\u2028\n"), ("b", "3\n")):
        offset, length, lines_ = places[actor]
        assert gzip.decompress(body[offset : offset + length]).decode() == expected
        assert lines_ == expected.count("\n")


def test_the_archive_never_writes_to_the_lake(loop: Loop, s3: Wire) -> None:
    keep_in_lake([reported("press-7")])
    s3.requests.clear()
    bucket = Bucket(LAKE).name

    sweep(loop)

    assert {one.operation for one in s3.requests if one.parameters["Bucket"] == bucket} == {
        "ListObjectsV2",
        "GetObject",
    }


def test_days_that_lie_ahead_are_left_alone_and_today_is_archived() -> None:
    days = ["2020-04-28", "2020-04-29", "2020-04-30", "2031-01-01", "9999-12-31"]

    assert days_to_check(days, now_ms=NOW) == days_to_check(days, now_ms=NOW + 5 * HOUR_MS) == days[:2]


def test_a_sample_is_of_a_day_that_has_been(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_in_lake([reported("press-7")])
    keep_in_lake([reported("forged", at_ms=NOW + 400 * DAY_MS)])
    monkeypatch.setattr("andon.stores.archive.sweep.days_to_check", lambda days, **_: days)
    sweep(loop)
    monkeypatch.setattr("random.choice", lambda days: days[-1])
    monkeypatch.setattr("random.randrange", lambda _: shard_of("press-7"))

    assert Recorded().sample(0) == ["press-7"]


def test_an_object_that_is_replaced_under_its_key_is_read_from_the_lake_and_then_archived_anew(loop: Loop) -> None:
    lake, line = Bucket(LAKE), reported("press-7", event_id="as it was")
    keep_in_lake([line])
    sweep(loop)
    [key] = lake.keys("events/")

    lake.replace(key, to_object([line.replace("as it was", "as it is")]))
    at_once = {json.loads(line)["detail"]["id"] for _, line in Recorded().of_shard(shard_of("press-7"), 0)}
    sweep(loop)

    assert at_once == {"as it was", "as it is"}
    assert archived(loop, "press-7") == ["as it is"]


def test_a_day_that_fails_does_not_stop_the_days_before_it(loop: Loop, log_lines: LogLines) -> None:
    keep_in_lake([reported("press-7")])
    keep_in_lake([reported("press-7", at_ms=NOW - DAY_MS)])
    Bucket(LAKE).replace("events/day=2020-04-28/hour=00/000000-broken.ndjson.gz", b"not gzip")

    with pytest.raises(gzip.BadGzipFile):
        sweep(loop)

    assert keys_in(BUCKET, "equipment/manifest/") == ["equipment/manifest/day=2020-04-27.json"]
    [line] = [line for line in log_lines if line["message"] == "archived"]
    assert (line["days"], line["failed"], line["stale"]) == (2, 1, 1)


def test_an_event_that_names_thousands_is_archived_for_the_first_of_them_and_the_rest_are_counted(
    loop: Loop, log_lines: LogLines
) -> None:
    members = [f"{number:04d}" for number in range(8000)]
    keep_in_lake([line := line_of(fact("crew-assigned", lead=LIZ, members=[*members, "x" * 257]))])
    sweep(loop)

    found = {name for name in [LIZ, members[48], members[49]] if about_operator(loop, name)}
    assert found == {LIZ, members[48]}
    [logged] = [line for line in log_lines if line["message"] == "archived"]
    assert logged["unnamed"] == 8000 + 2 - 50
    assert sum(len(body) for key, body in bodies_of(loop).items() if "/data/" in key) < 50 * len(line)


def about_operator(loop: Loop, name: str) -> list[Any]:
    items: list[Any] = loop.request(OPERATOR_ROUTE, path={"operator": name}, query=EVER).body["items"]
    return items


@settings(max_examples=100, deadline=None)
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(MEMBERS, ANYTHING)))
def test_whatever_stands_in_the_members_of_an_event_it_is_archived_for_its_subject(detail: dict[str, Any]) -> None:
    """The bus takes what fits no schema, too; a day with one such event would never be archived."""
    envelope = {"id": "1", "source": "nobody", "detail-type": "any", "time": "2020-04-28T00:00:00Z", "detail": detail}
    read = pages.Pass(PARTS, most_bytes=1_000_000)

    read.add([line := json.dumps(envelope)])

    kept = {part.kind.name: actors for part in read.parts for actors in [read.lines_of(part)] if actors}
    subject = detail.get("partitionKey")
    is_one = isinstance(subject, str) and subject and detail.get("type") != "fault"
    assert kept.get(EQUIPMENT.name, {}) == ({subject: [line]} if is_one else {})


def test_a_field_of_one_entity_names_nobody_in_another() -> None:
    """The archive of people has erasures, and no equipment among them."""
    detail = {"person": {"id": "op-17"}, "equipment": {"id": "press-7", "operator": "op-18"}, "id": "an event"}

    assert actors_in(OPERATORS, detail) == (["op-17", "op-18"], 0)
