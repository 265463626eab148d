from typing import Any

import pytest

from andon.events.topic import from_json
from andon.packages.discovery import restorers, services
from andon.stores.archive.store import KINDS
from andon.testing.synthesised import Synthesised
from andon.wire.queue import beside

SWEEP, QUERY, COMMAND, LISTENER = (f"stores/archive/{role}" for role in ("sweep", "query", "command", "listener"))


def bucket(synthesised: Synthesised) -> dict[str, Any]:
    return synthesised.resources[synthesised.output("ArchiveBucket")]


def rules(synthesised: Synthesised) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = bucket(synthesised)["Properties"]["LifecycleConfiguration"]["Rules"]
    return found


def test_data_become_cold_after_some_weeks_where_ranges_are_still_read_at_once(aws: Synthesised) -> None:
    cold = {rule["Prefix"]: rule for rule in rules(aws) if "Transitions" in rule}

    assert set(cold) == {f"{kind.name}/data/" for kind in KINDS}
    for kind in KINDS:
        rule = cold[f"{kind.name}/data/"]
        [transition] = rule["Transitions"]
        assert transition == {"StorageClass": "GLACIER_IR", "TransitionInDays": kind.cold_after_days}
        assert 30 <= kind.cold_after_days <= 90
        assert "ExpirationInDays" not in rule


def test_each_kind_of_actor_has_a_retention_of_its_own(aws: Synthesised) -> None:
    keeps = {rule["Prefix"]: rule["ExpirationInDays"] for rule in rules(aws) if "ExpirationInDays" in rule}

    assert keeps == {"equipment/": 3650, "operators/": 400, "rehydrations/": 90}


def test_only_the_sweep_deletes_and_only_data(aws: Synthesised) -> None:
    archive = aws.output("ArchiveBucket")
    deletes = {
        (file, resource)
        for file in aws.functions()
        for action, resource in aws.allowed(file)
        if action.startswith("s3:Delete")
    }

    assert {one for one in deletes if archive in one[1]} == {
        (SWEEP, f"{archive}.Arn/{kind.name}/data/*") for kind in KINDS
    }
    assert {file for file, _ in deletes} == {SWEEP, *(one.path("trigger") for one in services() if one.contents)}


def test_an_hourly_schedule_runs_the_sweep_once(aws: Synthesised) -> None:
    function = aws.id_of_function(SWEEP)
    target = {"Fn::GetAtt": [function, "Arn"]}
    [rule] = [one for one in aws.of_type("AWS::Events::Rule").values() if one["Targets"][0]["Arn"] == target]

    assert rule["ScheduleExpression"] == "rate(1 hour)"
    [invoke] = [
        made
        for made in aws.of_type("AWS::Lambda::EventInvokeConfig").values()
        if made["FunctionName"] == {"Ref": function}
    ]
    assert invoke["MaximumRetryAttempts"] == 0
    assert aws.functions()[SWEEP]["Timeout"] == 900


@pytest.mark.parametrize("package", restorers(), ids=lambda package: package.name)
def test_the_listener_knows_the_queue_of_everybody_who_brings_something_back(aws: Synthesised, package: Any) -> None:  # noqa: ANN401
    environment = aws.functions()[LISTENER]["Environment"]["Variables"]
    [mapping] = aws.mappings(package.path("restore" if package.plays("restore") else "listener"))
    own, queue = environment["ARCHIVE_QUEUE_URL"]["Ref"], mapping["EventSourceArn"]["Fn::GetAtt"][0]
    queues = aws.of_type("AWS::SQS::Queue")

    assert queues[queue]["QueueName"] == beside(queues[own]["QueueName"], package.restore_queue)
    assert ("sqs:SendMessage", f"{queue}.Arn") in aws.allowed(LISTENER)
    assert sorted(map(tuple, from_json(environment["RESTORERS"])[package.restore_queue])) == sorted(package.restored)
