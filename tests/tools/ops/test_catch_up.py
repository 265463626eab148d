"""A subscriber gets again, from the archive, all that it missed; where that cannot be, the reason is said."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import boto3
import pytest
from moto import mock_aws

from andon.packages.discovery import FactSubscription
from andon.packages.package import Package
from andon.runtime import times
from andon.tools.lake import lake_copy
from andon.tools.ops.catch_up import BusRule, Missed, catch_up, new_among, of_deployment, queues_of, rules_on
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import Deployed

BUS, MINUTE_MS = "AndonBus", 60_000
RULES: Final = {
    "Dispatch-dispatch2": ("dispatch2", "crew-assigned", "Andon-dispatch-Queue"),
    "Equipment-equipment2": ("equipment2", "machine-created", "Andon-equipment-Queue"),
    "Notify-dispatch": ("dispatch", "help-requested", "Andon-notify-Queue"),
    "Notify-calls": ("calls", "call-taken", "Andon-notify-Send"),
    "Board-dispatch": ("dispatch", "help-requested", "Andon-board-Queue"),
}


def client(service: str) -> Any:  # noqa: ANN401  boto3's
    return boto3.client(service, region_name="eu-west-1")


@pytest.fixture
def stack() -> Iterator[Deployed]:
    """A bus with an archive, and the rules of two subscribers."""
    with mock_aws():
        events, sqs = client("events"), client("sqs")
        arn = events.create_event_bus(Name=BUS)["EventBusArn"]
        events.create_archive(ArchiveName="kept", EventSourceArn=arn)
        for name, (source, kind, queue) in RULES.items():
            url = sqs.create_queue(QueueName=queue)["QueueUrl"]
            queue_arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
            pattern = json.dumps({"source": [source], "detail-type": [kind]})
            events.put_rule(Name=name, EventBusName=BUS, EventPattern=pattern)
            events.put_targets(Rule=name, EventBusName=BUS, Targets=[{"Id": "queue", "Arn": queue_arn}])
        yield Deployed("Andon", {"BusName": BUS}, client, settles_s=0)


def a_gap(**other: Any) -> tuple[Missed, int]:  # noqa: ANN401
    """Two minutes in which notify missed the facts of dispatch, and now."""
    now_ms = times.to_ms("2026-11-28T10:00:00Z")
    return Missed("notify", "dispatch", now_ms - 2 * MINUTE_MS, now_ms)._replace(**other), now_ms


def replays(stack: Deployed) -> list[dict[str, Any]]:
    events = stack.client("events")
    return [events.describe_replay(ReplayName=one["ReplayName"]) for one in events.list_replays()["Replays"]]


def test_what_was_missed_is_replayed_once_to_the_rule_of_the_subscriber_alone_when_the_archive_has_it(
    stack: Deployed,
) -> None:
    paused = list[float]()
    missed, now_ms = a_gap()

    said = [catch_up(stack, missed, now_ms=now_ms, pause=paused.append) for _ in range(2)]

    [replay] = replays(stack)
    rules = rules_on(stack.client("events"), BUS, frozenset({"dispatch"}))
    own = [one.arn for one in rules if one.queues & queues_of("Andon", "notify")]
    assert replay["Destination"]["FilterArns"] == own
    assert len(own) == 1
    assert replay["EventSourceArn"].endswith(":archive/kept")
    assert (replay["EventEndTime"] - replay["EventStartTime"]).total_seconds() == 120
    assert paused == [600, 600]
    assert said[0] == (
        "What dispatch published from 2026-11-28T09:58:00.000Z to 2026-11-28T10:00:00.000Z came to notify again."
    )


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"subscriber": "planning"}, "planning subscribes to nothing of dispatch"),
        ({"publisher": "equipment"}, "notify subscribes to nothing of equipment"),
        ({"since_ms": times.to_ms("2026-11-28T10:00:00Z")}, "nothing was missed"),
        ({"until_ms": times.to_ms("2026-11-28T10:01:00Z")}, "neither ahead"),
    ],
)
def test_what_cannot_have_been_missed_is_refused_and_nothing_is_replayed(
    stack: Deployed, other: dict[str, Any], why: str
) -> None:
    missed, now_ms = a_gap(**other)

    with pytest.raises(ToolFailed, match=why):
        catch_up(stack, missed, now_ms=now_ms, pause=lambda _: None)

    assert replays(stack) == []


def test_a_bus_without_an_archive_is_named(stack: Deployed) -> None:
    stack.client("events").delete_archive(ArchiveName="kept")
    missed, now_ms = a_gap()

    with pytest.raises(ToolFailed, match="AndonBus has no archive"):
        catch_up(stack, missed, now_ms=now_ms, pause=lambda _: None)


def line_of(source: str, kind: str, time: str) -> bytes:
    return json.dumps({"id": f"{source}-1", "source": source, "detail-type": kind, "time": time}).encode()


def test_on_this_machine_it_comes_out_of_the_lake_to_the_subscribers_queue_alone(
    stack: Deployed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stack.client("events").delete_archive(ArchiveName="kept")
    missed, now_ms = a_gap()
    lines = [
        line_of("dispatch", "help-requested", "2026-11-28T09:57:59Z"),
        line_of("dispatch", "help-requested", "2026-11-28T09:58:00Z"),
        line_of("dispatch", "nothing-heard", "2026-11-28T09:59:00Z"),
        line_of("calls", "call-taken", "2026-11-28T09:59:00Z"),
    ]
    (tmp_path / "one.ndjson.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    monkeypatch.setattr(lake_copy, "of_running_stack", lambda: None)
    monkeypatch.setattr(lake_copy, "copy", lambda _: tmp_path)
    sqs = stack.client("sqs")

    said = catch_up(replace(stack, name=None), missed, now_ms=now_ms, pause=lambda _: None)

    def waiting(queue: str) -> list[str]:
        url = sqs.get_queue_url(QueueName=queue)["QueueUrl"]
        return [one["Body"] for one in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])]

    assert said.startswith("What the lake has of dispatch from 2026-11-28T09:58:00.000Z to ")
    assert {queue: waiting(queue) for _, _, queue in RULES.values()} == {
        queue: [lines[1].decode()] if queue == "Andon-notify-Queue" else [] for _, _, queue in RULES.values()
    }


def test_a_subscription_is_new_until_a_rule_brings_its_topic_to_a_queue_of_its_subscriber() -> None:
    taken, made = ("dispatch", "crew-taken"), ("dispatch", "crew-made")
    dispatch, notify = Package("services", "dispatch"), Package("services", "notify")
    asked = [FactSubscription(topic, dispatch, notify) for topic in (taken, made)]
    rules = [
        BusRule("one", frozenset({made}), frozenset({"Andon-notify-Send"})),
        BusRule("other", frozenset({taken}), frozenset({"Andon-board-Queue", "Andon-prod-notify-Queue"})),
    ]

    assert [one.topic for one in new_among(asked, rules, "Andon")] == [taken]


def test_a_deployment_says_who_may_miss_what_and_how_to_bring_it_back(stack: Deployed) -> None:
    said = [*of_deployment(stack, now_ms=times.to_ms("2026-11-28T10:00:00Z"))]

    assert [words.partition(".")[0] for words in said] == [
        "dispatch2 is new to dispatch/operator-assigned",
        "equipment is new to equipment2/machine-deleted, equipment2/machine-undeleted, equipment2/machine-updated",
        (
            "equipment2 is new to equipment/equipment-created, equipment/equipment-deleted, "
            "equipment/equipment-undeleted, equipment/equipment-updated"
        ),
    ]
    assert said[0].endswith("make catch-up TO=dispatch2 OF=dispatch SINCE=2026-11-28T10:00:00.000Z STACK=Andon")
