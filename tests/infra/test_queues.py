import json
import re
from typing import Any

import pytest

from andon.cdk.names import pascal
from andon.handlers.declared_listener import listener_of
from andon.outbound import provider, sender
from andon.outbound.delivery import LEASE_MS, MOST_CHANNELS, TRIED_FOR_MS, most_receives
from andon.outbound.pace import SECOND_MS
from andon.packages.package import Package
from andon.rules.sweep import EVERY_SECONDS, shards_in
from andon.rules.timing import READ_SHARDS
from andon.runtime.clock import MINUTE_MS
from andon.testing.synthesised import Synthesised, text
from services.notify.contact import CHANNELS
from tests.support.infra.synthesised import FILES, READERS, SWEPT

DAY = 24 * 60 * 60
LISTENERS = [file for file in FILES if file.endswith("/listener")]
SENDER = "services/notify/sender"
OF_READERS = [reader.path("listener") for reader in READERS]
LAKE = "stores/lake/listener"  # it waits for many: see test_lake.py
RULE = "AWS::Events::Rule"
INVOKED = "AWS::Lambda::EventInvokeConfig"


def queue_of(aws: Synthesised, file: str) -> dict[str, Any]:
    [mapping] = aws.mappings(file)
    name = mapping["EventSourceArn"]["Fn::GetAtt"][0]
    return aws.of_type("AWS::SQS::Queue")[name]


def subscriptions(aws: Synthesised) -> dict[str, dict[str, Any]]:
    """The rules that match events, by logical id; the others are schedules."""
    return {name: made for name, made in aws.of_type(RULE).items() if "EventPattern" in made}


def schedules(aws: Synthesised) -> list[dict[str, Any]]:
    return [made for made in aws.of_type(RULE).values() if "EventPattern" not in made]


def rules_to(aws: Synthesised, output: str) -> list[dict[str, Any]]:
    queue = f"{aws.output(output)}.Arn"
    return [made for made in subscriptions(aws).values() if text(made["Targets"][0]["Arn"]) == queue]


def test_every_queue_is_encrypted_by_sqs(aws: Synthesised) -> None:
    assert {made["SqsManagedSseEnabled"] for made in aws.of_type("AWS::SQS::Queue").values()} == {True}


def test_only_the_rules_that_target_a_queue_may_send_to_it(aws: Synthesised) -> None:
    for policy in aws.of_type("AWS::SQS::QueuePolicy").values():
        for statement in policy["PolicyDocument"]["Statement"]:
            if statement["Effect"] == "Allow":
                [source] = statement["Condition"]["ArnEquals"].values()
                assert statement["Principal"] == {"Service": "events.amazonaws.com"}
                assert source["Fn::GetAtt"][0] in subscriptions(aws)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_facts_that_were_put_together_wait_for_no_others_but_for_an_object_so_long_as_it_says(
    aws: Synthesised, local: Synthesised, reader: Package
) -> None:
    [mapping], [on_emulator] = (one.mappings(reader.path("listener")) for one in (aws, local))

    batch = (200, reader.objects.window_seconds) if reader.objects else (10, None)
    assert (mapping["BatchSize"], mapping.get("MaximumBatchingWindowInSeconds")) == batch
    assert on_emulator["BatchSize"] == 10
    assert "MaximumBatchingWindowInSeconds" not in on_emulator


@pytest.mark.parametrize("file", [file for file in LISTENERS if file != LAKE and file not in OF_READERS])
def test_work_that_somebody_asked_for_waits_for_no_other(aws: Synthesised, file: str) -> None:
    [mapping] = aws.mappings(file)

    assert mapping["BatchSize"] == 10
    assert "MaximumBatchingWindowInSeconds" not in mapping


@pytest.mark.parametrize("file", LISTENERS)
def test_a_bad_message_neither_stops_nor_repeats_its_neighbours_and_concurrency_is_limited_at_the_queue(
    aws: Synthesised, local: Synthesised, file: str
) -> None:
    [mapping], [here] = aws.mappings(file), local.mappings(file)

    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["ScalingConfig"]["MaximumConcurrency"] >= 2
    assert here["ScalingConfig"]["MaximumConcurrency"] == 2, "on the emulator each is a process from the start"
    assert "ReservedConcurrentExecutions" not in aws.functions()[file]
    # It stays hidden for six times as long as its listener may run.
    assert queue_of(aws, file)["VisibilityTimeout"] >= 6 * aws.functions()[file]["Timeout"]


@pytest.mark.parametrize("file", LISTENERS)
def test_after_five_attempts_a_message_waits_a_fortnight_for_a_person(aws: Synthesised, file: str) -> None:
    redrive = queue_of(aws, file)["RedrivePolicy"]

    assert redrive["maxReceiveCount"] == 5
    dead_letters = redrive["deadLetterTargetArn"]["Fn::GetAtt"][0]
    assert dead_letters in {aws.output(name) for name in aws.outputs if name.endswith("DeadLetterQueueUrl")}
    assert aws.of_type("AWS::SQS::Queue")[dead_letters]["MessageRetentionPeriod"] == 14 * DAY


def test_a_message_is_held_back_for_as_long_as_the_sender_says_and_is_no_dead_letter(aws: Synthesised) -> None:
    queue = queue_of(aws, SENDER)

    assert queue["RedrivePolicy"]["maxReceiveCount"] == most_receives(1000 * queue["VisibilityTimeout"])
    assert len(CHANNELS) <= MOST_CHANNELS


def test_a_call_ends_within_the_sender_s_life_the_lease_is_longer_and_what_comes_again_comes_behind_it(
    aws: Synthesised,
) -> None:
    lives_ms, hidden_ms = 1000 * aws.functions()[SENDER]["Timeout"], 1000 * queue_of(aws, SENDER)["VisibilityTimeout"]
    chain = [provider.LONGEST_MS, sender.CALL_MS, lives_ms, LEASE_MS, hidden_ms, TRIED_FOR_MS]

    assert chain == sorted(set(chain))
    told = re.findall(r"^\| .* \| ([0-9]+) (s|min) \|", sender.__doc__ or "", re.MULTILINE)
    assert [int(figure) * {"s": SECOND_MS, "min": MINUTE_MS}[unit] for figure, unit in told] == chain


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_reader_gets_exactly_what_it_subscribes_to_by_one_rule_for_each_source(
    aws: Synthesised, reader: Package
) -> None:
    patterns = [made["EventPattern"] for made in rules_to(aws, f"{pascal(reader.name)}QueueUrl")]
    declared = listener_of(reader.folder).on

    assert all(set(pattern) == {"source", "detail-type"} and len(pattern["source"]) == 1 for pattern in patterns)
    assert len({pattern["source"][0] for pattern in patterns}) == len(patterns)
    assert {(pattern["source"][0], kind) for pattern in patterns for kind in pattern["detail-type"]} == set(declared)


def test_no_rule_matches_by_prefix(aws: Synthesised) -> None:
    for made in subscriptions(aws).values():
        # The lake's rule takes everything that is not replayed: an archive's replay is told by this member only.
        matched = [values for name, values in made["EventPattern"].items() if name != "replay-name"]
        assert all(isinstance(value, str | dict) and "prefix" not in value for values in matched for value in values)


def test_every_rule_is_on_the_bus_and_keeps_what_it_cannot_deliver(aws: Synthesised) -> None:
    for made in subscriptions(aws).values():
        assert made["EventBusName"] == {"Ref": aws.output("BusName")}
        [target] = made["Targets"]
        dead_letters = target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]
        assert aws.of_type("AWS::SQS::Queue")[dead_letters]["MessageRetentionPeriod"] == 14 * DAY
        assert target["RetryPolicy"]["MaximumEventAgeInSeconds"] == DAY


def test_faults_go_to_the_store_whoever_publishes_them(aws: Synthesised) -> None:
    [rule] = rules_to(aws, "FaultQueueUrl")
    [mapping] = aws.mappings("stores/faults/listener")

    assert rule["EventPattern"] == {"detail-type": ["fault"]}
    assert text(mapping["EventSourceArn"]) == f"{aws.output('FaultQueueUrl')}.Arn"


@pytest.mark.parametrize("service", SWEPT, ids=lambda service: service.name)
def test_a_sweep_runs_by_its_schedule_and_is_over_when_the_next_one_begins(aws: Synthesised, service: Package) -> None:
    file = f"services/{service.name}/sweep"
    rules = schedules_of(aws, file)

    for made in rules:
        assert made["ScheduleExpression"] == f"rate({EVERY_SECONDS // 60} minute)"
        assert made["State"] == "ENABLED"
        assert "EventBusName" not in made  # there are no schedules on any other bus than the default one
        assert len(made["Targets"]) <= 5  # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
    assert aws.functions()[file]["Timeout"] <= EVERY_SECONDS


@pytest.mark.parametrize("service", SWEPT, ids=lambda service: service.name)
def test_each_shard_is_swept_by_an_invocation_of_its_own_and_on_the_emulator_all_are_by_one(
    aws: Synthesised, local: Synthesised, service: Package
) -> None:
    file = f"services/{service.name}/sweep"
    (alone,) = schedules_of(local, file)

    inputs = [json.loads(target["Input"]) for made in schedules_of(aws, file) for target in made["Targets"]]

    assert sorted(shard for named in inputs for shard in shards_in(named)) == list(range(READ_SHARDS))
    assert [target.get("Input") for target in alone["Targets"]] == [None]
    assert [*shards_in({"source": "aws.events"})] == list(range(READ_SHARDS))


@pytest.mark.parametrize("service", SWEPT, ids=lambda service: service.name)
def test_the_more_reports_a_stage_takes_the_more_sweeps_share_the_shards(
    aws: Synthesised, million: Synthesised, service: Package
) -> None:
    def shards(stack: Synthesised) -> list[list[int]]:
        made = schedules_of(stack, f"services/{service.name}/sweep")
        assert all(len(one["Targets"]) <= 5 for one in made)
        return [[*shards_in(json.loads(target["Input"]))] for one in made for target in one["Targets"]]

    assert [len(one) for one in shards(aws)] == [4, 3, 3, 3, 3]
    assert sorted(shards(million)) == [[shard] for shard in range(READ_SHARDS)]


def schedules_of(stack: Synthesised, file: str) -> list[dict[str, Any]]:
    """The schedules of a sweep."""
    arn = f"{stack.id_of_function(file)}.Arn"
    return [made for made in schedules(stack) if {text(target["Arn"]) for target in made["Targets"]} == {arn}]


@pytest.mark.parametrize("service", SWEPT, ids=lambda service: service.name)
def test_a_sweep_that_fails_is_not_tried_again_because_the_next_one_does_the_same(
    aws: Synthesised, service: Package
) -> None:
    function = {"Ref": aws.id_of_function(f"services/{service.name}/sweep")}
    [handed_over] = [made for made in aws.of_type(INVOKED).values() if made["FunctionName"] == function]

    assert handed_over["MaximumRetryAttempts"] == 0
    assert handed_over["MaximumEventAgeInSeconds"] == 60
    assert {target["RetryPolicy"]["MaximumRetryAttempts"] for made in schedules(aws) for target in made["Targets"]} == {
        0
    }


def test_the_bus_remembers_what_went_over_it_except_on_the_emulator(aws: Synthesised, local: Synthesised) -> None:
    [archive] = aws.of_type("AWS::Events::Archive").values()

    assert archive["SourceArn"] == {"Fn::GetAtt": [aws.output("BusName"), "Arn"]}
    assert archive["EventPattern"] == {"account": [{"Ref": "AWS::AccountId"}]}
    assert archive["RetentionDays"] == 28
    assert not local.of_type("AWS::Events::Archive")
