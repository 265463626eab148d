import json
import subprocess
import sys
from pathlib import Path

import pytest

from andon.events.domain_event import DomainEvent
from andon.packages.discovery import services
from andon.project import project
from andon.testing.loop import Loop
from andon.testing.replayable import NotReplayable, invocations_of
from andon.tools.in_process.replay import replay
from andon.wire import aws
from services.maintenance.instructions import INSTRUCTIONS
from tests.support.lake import lake_of, lines_of_messages
from tests.support.samples import paths, sample


@pytest.fixture
def world(loop: Loop) -> Loop:
    """Everything, with nothing in it."""
    for table, schema in loop.schemas.items():
        for row in loop.typed_rows(table):
            key = {name: row[name] for name in schema.keys.names}
            aws.client("dynamodb").delete_item(TableName=table, Key=key)
    for variable, bucket in loop.buckets.items():
        for found in loop.objects(variable):
            aws.client("s3").delete_object(Bucket=bucket, Key=found["Key"])
    loop.new_messages()
    return loop


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"routeKey": "GET /nothing"},
        {"Records": []},
        {"Records": [{"eventSourceARN": "arn:aws:dynamodb:us-east-1:0:table/Andon-Nobody/stream/x"}]},
        {"Records": [{"eventSource": "aws:sqs", "body": "{}"}]},
        {"Records": [{"eventSourceARN": "arn:aws:sqs:us-east-1:0:Andon-NobodyQueue"}]},
        {"id": "e1"},
        {"id": "e1", "type": "thing-painted", "timestamp": 1},
        {"id": "e1", "type": "state-reported", "timestamp": 1, "tags": {"source": "dispatch"}},
    ],
    ids=str,
)
def test_what_no_handler_takes_is_said_to_be_so(message: dict[str, object]) -> None:
    with pytest.raises(NotReplayable):
        invocations_of(message)


@pytest.mark.parametrize("path", paths("stream"), ids=name_of)
def test_replaying_a_change_publishes_its_event_the_same_each_time(path: Path, world: Loop) -> None:
    message = sample("stream", path.stem)

    first, second = replay(message, world), replay(message, world)

    event = sample("domain", path.stem)
    assert first.published == second.published == [event]
    # A control service stores its own events: its rules look at them, too. A trigger keeps what is versioned from it.
    controls = (one.load("control").CONTROL for one in services() if one.has("control"))
    fact = DomainEvent.from_wire(event)
    storing = {one.table.variable for one in controls if one.remembers.get(fact.type, lambda _: None)(fact)}
    keeping = {"MAINTENANCE_TABLE"} if event["type"] == INSTRUCTIONS.fact else set()
    assert {table for table, lines in first.written.items() if lines} == storing | keeping
    assert not any(second.written.values())


def test_replaying_a_batch_of_the_lakes_queue_shows_its_lines_and_a_second_time_nothing(world: Loop) -> None:
    message = sample("queue", "lake")

    first, second = replay(message, world), replay(message, world)

    [key] = [line for line in first.written["LAKE_BUCKET"] if line.startswith("+ Key = ")]
    assert key.startswith("+ Key = events/day=2020-04-24/hour=14/145000-")
    assert lake_of(world).lines == sorted(lines_of_messages(record["body"] for record in message["Records"]))
    assert not any(second.written.values())
    assert {where for where, lines in first.written.items() if lines} == {"LAKE_BUCKET"}


def test_replaying_a_report_shows_what_dispatch_keeps_of_it_to_decide_upon(world: Loop) -> None:
    done = replay(sample("domain", "state-reported"), world)

    row, *attributes = done.written["DISPATCH_TABLE"]
    assert row == "+ pk = Equipment#d#12345, sk = event#1587739800000#WARNING1"
    assert "    + arrived: 1587739800000" in attributes


@pytest.mark.parametrize("path", paths("http"), ids=name_of)
def test_replaying_a_request_is_answered_and_never_a_500(path: Path, world: Loop) -> None:
    message = sample("http", path.stem)

    first, second = replay(message, world), replay(message, world)

    for done in (first, second):
        (answer,) = done.answers
        assert answer["statusCode"] < 500
        # A gateway reports for what is registered in its factory; here, nothing is.
        assert (answer["statusCode"] in {400, 403}) == (path.stem == "report-states.gateway")
    assert not any(second.written.values())


def test_from_the_command_line_a_replay_says_what_it_wrote_and_the_second_that_it_wrote_nothing(tmp_path: Path) -> None:
    event = project().root / "events/domain/state-reported.json"

    first, second = (_run(event, tmp_path) for _ in range(2))

    assert first.startswith("services.anomalies.listener, 2020-04-24T14:50:00.000Z\nservices.dispatch.listener, ")
    assert "\nwrote to STATE_LOG_TABLE:\n  + DeviceID = d#12345, State#Date = WARNING1#" in first
    assert '"applied": 1' in first
    assert "\nwrote nothing\n" in second
    assert '"duplicate": 1' in second
    assert json.loads((tmp_path / ".local/replay.json").read_text())["STATE_LOG_TABLE"]


def test_from_the_command_line_what_is_no_message_is_refused_in_one_line(tmp_path: Path) -> None:
    for text in ("not JSON", "{}", "[]", '{"routeKey": "GET /nothing"}'):
        (tmp_path / "event.json").write_text(text)

        done = _start(tmp_path / "event.json", tmp_path)

        assert done.returncode == 1
        assert done.stderr.startswith(str(tmp_path / "event.json"))
        assert len(done.stderr.splitlines()) == 1


def _run(event: Path, folder: Path) -> str:
    done = _start(event, folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _start(event: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    environment = {"PYTHONPATH": project().imports, "PATH": "/usr/bin:/bin"}
    return subprocess.run(  # noqa: S603  our own module, on a file of ours
        [sys.executable, "-m", "andon.tools.in_process.replay", str(event), f"--home={folder / '.local'}"],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
