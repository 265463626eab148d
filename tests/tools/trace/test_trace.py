"""Traces of lakes that the real loop made: the same tree from each of its facts, causes as decisions name them."""

import gzip
import json
import random
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from google.protobuf.json_format import Parse
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from andon.events.written import Written
from andon.project import project
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.tools.stack.errors import ToolFailed
from andon.tools.trace.__main__ import trace_of
from andon.tools.trace.facts import Node
from andon.tools.trace.gathering import Trace, facts_of
from andon.tools.trace.otlp import to_otlp
from andon.tools.trace.text import lines_of
from demo.people import LIZ, SARA, SUE
from tests.support.samples import NOW
from tests.support.services.reports import ACKNOWLEDGE, ASSIGN, REPORT, STAFF
from tests.support.services.versions import PUT

MINUTE = 60_000
MACHINES = ("press-7", "säge-ü", "gdl#2")
EVENTS = Path("events")
EVENT_ID: Final = "andon.event.id"
IDS: Final = ("traceId", "spanId", "parentSpanId")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake: three machines that report for eight hours, and people who see to some of it."""
    with Loop() as loop:
        live(loop, dice(1))
        return written(loop, tmp_path_factory.mktemp("lake"))


def dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  chance is no secret


def live(loop: Loop, chance: random.Random) -> None:
    now, logs = NOW, list[dict[str, str]]()
    with frozen_clock(now):
        people = {"operators": [LIZ, SARA], "supervisor": SUE}
        assert loop.request(STAFF, path={"factoryId": "gdl-1"}, body=people).status == 201
        place = dict.fromkeys(("company", "country", "region", "state", "county", "city", "neighborhood"), "x")
        for machine in MACHINES:
            body = {"name": machine, "factoryId": "gdl-1", "lineId": "l", "location": place}
            assert loop.request(PUT, path={"id": machine}, body=body).status == 201
        loop.run()
    for _ in range(60):
        now += chance.choice((1, 3, 8, 16, 31)) * MINUTE
        with frozen_clock(now):
            machine, state = chance.choice(MACHINES), chance.choice(("NORMAL", "WARNING1", "ERROR", "ERROR"))
            log = {"id": machine, "state": state, "timestamp": times.to_utc(now - chance.choice((0, 0, 2)) * MINUTE)}
            path = {"id": machine, "timestamp": log["timestamp"]}
            loop.request(REPORT, path=path, body={"state": state})
            logs.append(log)
            if chance.random() < 0.3:
                loop.request(ACKNOWLEDGE, path=chance.choice(logs[-5:]))
            if chance.random() < 0.2:
                loop.request(ASSIGN, path=chance.choice(logs[-5:]), body={"operator": LIZ})
            loop.run()
            loop.sweep()


def written(loop: Loop, folder: Path) -> Path:
    bodies = loop.store[loop.buckets["LAKE_BUCKET"]].bodies
    lines = [
        line for key, body in sorted(bodies.items()) if key.startswith("events/") for line in lines_of_object(body)
    ]
    return in_objects(lines, folder)


def lines_in(folder: Path) -> Iterator[str]:
    for file in sorted((folder / EVENTS).rglob("*.gz")):
        yield from lines_of_object(file.read_bytes())


def lines_of_object(body: bytes) -> list[str]:
    return gzip.decompress(body).decode().split("\n")[:-1]


def in_objects(lines: list[str], folder: Path) -> Path:
    """A lake of these lines, in an object for each day."""
    days = defaultdict[str, list[str]](list)
    for line in lines:
        days[json.loads(line)["time"][:10]].append(line)
    for day, found in days.items():
        file = folder / EVENTS / f"day={day}" / "hour=00" / f"{day}.ndjson.gz"
        file.parent.mkdir(parents=True)
        file.write_bytes(gzip.compress("".join(f"{line}\n" for line in found).encode(), 1))
    return folder


def details_in(folder: Path) -> dict[str, dict[str, object]]:
    return {detail["id"]: detail for line in lines_in(folder) if (detail := json.loads(line)["detail"])}


def trace(folder: Path, id_: str, **given: str) -> Trace:
    return trace_of({"ID": id_, **given}, folder)


def text(traced: Trace) -> str:
    return "\n".join(lines_of(traced, lambda _: ()))


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from nodes(child)


def named_by(detail: dict[str, object]) -> list[str]:
    """The ids of the triggers that a decision names, found without the code that is tried."""
    raw = detail.get("raw") or {}
    row = raw.get("new") if isinstance(raw, dict) else None
    return [one["id"] for one in (row or {}).get("triggers", [])]


def test_every_fact_of_a_trace_gives_the_same_tree(folder: Path) -> None:
    for id_ in dice(2).sample(sorted(details_in(folder)), 40):
        told = trace(folder, id_)
        members = [fact.id for fact in facts_of(told.tree)]
        assert id_ in members
        if members[0] == id_:
            continue
        assert text(told) == text(trace(folder, members[0]))


def test_decisions_stand_below_their_triggers_and_name_all_of_them(folder: Path) -> None:
    details = details_in(folder)
    decisions = {id_: triggers for id_, detail in details.items() if (triggers := named_by(detail))}
    assert len(decisions) > 10, "a lake with decisions"
    for id_, triggers in decisions.items():
        told = trace(folder, id_)
        [above] = [node for node in nodes(told.tree) if any(child.identity[1] == id_ for child in node.children)]
        [own] = [node for node in nodes(told.tree) if node.identity[1] == id_]
        assert {above.identity[1], *(cause.id for cause in own.others)} == set(triggers)
        assert above.identity[1] == max(triggers, key=lambda one: (int(str(details[one]["timestamp"])), one))
        assert (own.missing, own.by_subject) == ((), False)


def test_what_people_did_about_a_report_stands_below_it_by_its_subject(folder: Path) -> None:
    details = details_in(folder)
    answers = [one for one in details.values() if one["type"] == "state-acknowledged"]
    assert answers
    for answer in answers:
        told = trace(folder, str(answer["id"]))
        [own] = [node for node in nodes(told.tree) if node.identity[1] == answer["id"]]
        about = answer["acknowledgement"]
        assert isinstance(about, dict)
        above = [node for node in nodes(told.tree) if own in node.children]
        reported = [one for one in details.values() if one["type"] == "state-reported"]
        is_known = any(one["state"]["timestamp"] == about["timestamp"] for one in reported)  # type: ignore[index]
        assert (len(above), own.by_subject) == (int(is_known), is_known)


def test_lines_that_are_shuffled_and_doubled_change_nothing_but_how_often_they_came(
    folder: Path, tmp_path: Path
) -> None:
    lines = [*lines_in(folder), *lines_in(folder)]
    dice(3).shuffle(lines)
    other = in_objects(lines, tmp_path)
    for id_ in dice(4).sample(sorted(details_in(folder)), 12):
        assert text(trace(other, id_)).replace(" (2 times on the bus)", "") == text(trace(folder, id_))


def test_a_cause_that_the_lake_has_not_is_shown_as_missing(folder: Path, tmp_path: Path) -> None:
    details = details_in(folder)
    decisions = {id_: triggers for id_, detail in details.items() if (triggers := named_by(detail))}
    gone = {triggers[-1] for triggers in decisions.values()}
    left = in_objects([one for one in lines_in(folder) if json.loads(one)["detail"]["id"] not in gone], tmp_path)
    for id_, triggers in decisions.items():
        if id_ in gone:
            continue
        told = trace(left, id_)
        [own] = [node for node in nodes(told.tree) if node.identity[1] == id_]
        above = [node for node in nodes(told.tree) if own in node.children and node.fact is None]
        shown = {cause.id for cause in own.missing} | {node.identity[1] for node in above}
        assert shown == gone & set(triggers)
        assert all(
            f"{one}, ✗ not in the lake" in text(told) or f"{one}, not in the lake" in text(told) for one in shown
        )


def test_a_fact_that_came_before_its_cause_is_marked(folder: Path, tmp_path: Path) -> None:
    decided, triggers = next((id_, found) for id_, one in details_in(folder).items() if (found := named_by(one)))

    def earlier(line: str) -> str:
        envelope = json.loads(line)
        if envelope["detail"]["id"] == decided:
            envelope["detail"]["timestamp"] -= 60 * MINUTE
        return json.dumps(envelope)

    assert "(↶)" not in text(trace(folder, decided))
    assert "(↶)" in text(trace(in_objects([*map(earlier, lines_in(folder))], tmp_path), triggers[-1]))


def test_a_report_is_found_by_its_fields_and_by_the_token_of_its_write(folder: Path) -> None:
    detail = next(one for one in details_in(folder).values() if one["type"] == "state-reported")
    state = detail["state"]
    assert isinstance(state, dict)
    fields = project().named_by["state"]
    told = text(trace(folder, str(detail["id"])))
    assert text(trace(folder, "/".join(state[name] for name in fields))) == told
    write = Written(
        source="equipment",
        type="state-reported",
        entity_name="state",
        partition_key=str(detail["partitionKey"]),
        timestamp_ms=int(str(detail["timestamp"])),
        names={name: state[name] for name in fields},
    )
    assert text(trace(folder, write.to_token())) == told


def test_what_is_no_fact_is_counted_and_hides_nothing(folder: Path, tmp_path: Path) -> None:
    id_, *_ = details_in(folder)
    odd = [{"id": id_}, {"id": [id_]}, {"type": "x", "timestamp": id_}, [id_]]
    time = json.loads(next(lines_in(folder)))["time"]
    lines = [json.dumps({"source": "s", "detail-type": "x", "time": time, "detail": one}) for one in odd]
    told = trace(in_objects([*lines, *lines_in(folder)], tmp_path), id_)
    assert told.unreadable == len(odd)
    assert told.tree == trace(folder, id_).tree


def a_line(id_: str, cause: str = "", *, at: int = NOW, caused_at: int = NOW) -> str:
    """A line of the lake: a fact with a cause, if any."""
    triggers = [{"id": cause, "type": "x", "timestamp": caused_at}] if cause else []
    detail = {"id": id_, "type": "x", "timestamp": at, "partitionKey": "p", "thing": {"triggers": triggers}}
    return json.dumps({"source": "s", "detail-type": "x", "time": times.to_utc(at), "detail": detail})


def test_facts_that_name_each_other_as_their_cause_are_shown_and_end(tmp_path: Path) -> None:
    folder = in_objects([a_line("one", "two"), a_line("two", "three"), a_line("three", "one")], tmp_path)

    assert len({text(trace(folder, id_)) for id_ in ("one", "two", "three")}) == 1
    assert "names what followed from it" in text(trace(folder, "two"))


def test_a_cause_is_looked_for_on_the_days_before(tmp_path: Path) -> None:
    days_before = NOW - 3 * DAY_MS
    folder = in_objects([a_line("one", at=days_before), a_line("two", "one", caused_at=days_before)], tmp_path)

    assert [fact.id for fact in facts_of(trace(folder, "two").tree)] == ["one", "two"]


def test_what_nobody_published_and_what_nobody_asked_for_are_refused(folder: Path, tmp_path: Path) -> None:
    for given, why in (
        ({"ID": "nobody"}, "has no such fact"),
        ({}, "which fact"),
        ({"ID": "x", "UNTIL": "soon"}, "UNTIL=soon"),
        ({"ID": "x", "UNTIL": "2001-01-01"}, "no events of the lake until 2001-01-01"),
    ):
        with pytest.raises(ToolFailed, match=why):
            trace_of(given, folder)
    with pytest.raises(ToolFailed, match="has no events of the lake"):
        trace_of({"ID": "x"}, tmp_path)


def as_protobuf(said: Any) -> Any:  # noqa: ANN401  any JSON
    """OTLP/JSON as protobuf's own JSON, which has bytes in base64 where OTLP has ids in hex."""
    if isinstance(said, list):
        return [*map(as_protobuf, said)]
    if not isinstance(said, dict):
        return said
    ids = {name: b64encode(bytes.fromhex(value)).decode() for name, value in said.items() if name in IDS}
    return {name: as_protobuf(value) for name, value in said.items()} | ids


def spans_in(read: TracesData) -> list[Span]:
    return [span for of in read.resource_spans for scope in of.scope_spans for span in scope.spans]


def test_its_spans_are_what_opentelemetry_reads(folder: Path) -> None:
    for id_ in dice(5).sample(sorted(details_in(folder)), 8):
        told = trace(folder, id_)

        read = Parse(json.dumps(as_protobuf(to_otlp(told))), TracesData())

        spans = spans_in(read)
        ids = {span.span_id for span in spans}
        assert len(ids) == len(spans) == len(list(facts_of(told.tree)))
        assert {(len(span.span_id), len(span.trace_id)) for span in spans} == {(8, 16)}
        assert {span.trace_id for span in spans} == {spans[0].trace_id}
        assert {span.parent_span_id for span in spans} <= {*ids, b""}
        assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in spans)
        assert all(link.span_id in ids and link.trace_id == span.trace_id for span in spans for link in span.links)
        named = {
            (span.name, one.value.string_value) for span in spans for one in span.attributes if one.key == EVENT_ID
        }
        assert named == {(fact.event.type, fact.id) for fact in facts_of(told.tree)}
