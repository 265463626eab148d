import json
import re
from typing import Any

import pytest

from andon.cdk.names import pascal
from andon.http.after import PAUSES_SECONDS
from andon.packages.package import Package
from andon.tools.console.widgets import tables_of, widgets_of
from andon.views.outcome import Outcome
from tests.support.infra.synthesised import (
    READERS,
    SERVICES,
    SWEPT,
    VIEWS,
    Properties,
    Synthesised,
    listed,
    rolls_back,
    text,
)

ALARM = "AWS::CloudWatch::Alarm"

named = pytest.mark.parametrize("package", READERS, ids=lambda reader: reader.name)
swept = pytest.mark.parametrize("package", SWEPT, ids=lambda service: service.name)


def alarms(synthesised: Synthesised, metric: str, **dimensions: str) -> list[Properties]:
    """The alarms on a metric; dimension values as `text` writes them."""
    return [
        made
        for made in synthesised.of_type(ALARM).values()
        if made["MetricName"] == metric
        and not rolls_back(made)
        and {one["Name"]: text(one["Value"]) for one in made.get("Dimensions", [])} == dimensions
    ]


def alarm(synthesised: Synthesised, metric: str, **dimensions: str) -> Properties:
    [made] = alarms(synthesised, metric, **dimensions)
    return made


def dead_letters(aws: Synthesised) -> set[str]:
    """Every queue where messages end: those of redrives, and those of rules."""
    redriven = [made.get("RedrivePolicy") for made in aws.of_type("AWS::SQS::Queue").values()]
    targets = [target for made in aws.of_type("AWS::Events::Rule").values() for target in made["Targets"]]
    undelivered = [target["DeadLetterConfig"]["Arn"] for target in targets if "DeadLetterConfig" in target]
    ends = [policy["deadLetterTargetArn"] for policy in redriven if policy] + undelivered
    return {end["Fn::GetAtt"][0] for end in ends}


def test_a_message_that_waits_for_a_person_wakes_one(aws: Synthesised) -> None:
    for queue in dead_letters(aws):
        made = alarm(aws, "ApproximateNumberOfMessagesVisible", QueueName=f"{queue}.QueueName")
        assert (made["Threshold"], made["ComparisonOperator"]) == (0, "GreaterThanThreshold")
        assert made["EvaluationPeriods"] == 1


@named
def test_a_reader_that_falls_behind_wakes_somebody(aws: Synthesised, package: Package) -> None:
    queue = aws.output(f"{pascal(package.name)}QueueUrl")

    oldest = alarm(aws, "ApproximateAgeOfOldestMessage", QueueName=f"{queue}.QueueName")
    lag = alarm(aws, "lag", view=package.name, stage="dev")

    assert oldest["Threshold"] == 300
    assert (lag["Namespace"], lag["ExtendedStatistic"], lag["Threshold"]) == ("Andon", "p99", 300_000)


@named
def test_a_listener_that_fails_wakes_somebody(aws: Synthesised, package: Package) -> None:
    function = aws.id_of_function(f"{package.side}/{package.name}/listener")

    assert alarm(aws, "Errors", FunctionName=function)["Threshold"] == 0


def test_one_alarm_rings_when_any_function_of_the_account_is_throttled_for_they_share_its_concurrency(
    aws: Synthesised,
) -> None:
    made = alarm(aws, "Throttles")

    assert (made["Namespace"], made["Statistic"], made["Threshold"]) == ("AWS/Lambda", "Sum", 0)


@pytest.mark.parametrize("package", SERVICES, ids=lambda service: service.name)
def test_a_trigger_that_fails_or_falls_behind_wakes_somebody_long_before_its_stream_forgets(
    aws: Synthesised, package: Package
) -> None:
    function = aws.id_of_function(f"services/{package.name}/trigger")

    assert alarm(aws, "IteratorAge", FunctionName=function)["Threshold"] <= 60 * 60 * 1000
    assert alarm(aws, "Errors", FunctionName=function)["Threshold"] == 0


@pytest.mark.parametrize("package", SERVICES, ids=lambda service: service.name)
@pytest.mark.parametrize("metric", ["OnFailureDestinationDeliveredEventCount", "DroppedEventCount"])
def test_changes_that_a_trigger_gave_up_on_wake_somebody_whether_s3_took_them_or_not(
    aws: Synthesised, package: Package, metric: str
) -> None:
    followed = aws.mappings(f"services/{package.name}/trigger")
    mappings = {name: made for name, made in aws.of_type("AWS::Lambda::EventSourceMapping").items() if made in followed}

    assert mappings
    for name, made in mappings.items():
        assert made["MetricsConfig"] == {"Metrics": ["EventCount"]}  # else Lambda does not count them
        assert alarm(aws, metric, EventSourceMappingUUID=name)["Threshold"] == 0


def test_a_run_by_schedule_that_fails_or_never_begins_wakes_somebody(aws: Synthesised) -> None:
    hourly = [file for file in aws.functions() if file.endswith("/recompute") or file == "stores/archive/sweep"]

    assert len(hourly) > len(VIEWS)
    for file in hourly:
        assert alarm(aws, "AsyncEventsDropped", FunctionName=aws.id_of_function(file))["Threshold"] == 0


def test_throttled_writes_of_each_table_and_each_index_wake_somebody(aws: Synthesised) -> None:
    for name, table in aws.of_type("AWS::DynamoDB::Table").items():
        indexes = [index["IndexName"] for index in table.get("GlobalSecondaryIndexes", [])]
        by = [{"TableName": name}, *({"TableName": name, "GlobalSecondaryIndexName": index} for index in indexes)]
        made = [alarm(aws, "WriteThrottleEvents", **dimensions) for dimensions in by]
        assert {(one["Namespace"], one["Statistic"], one["Threshold"]) for one in made} == {("AWS/DynamoDB", "Sum", 0)}


def test_a_push_that_falls_behind_or_fails_wakes_somebody(aws: Synthesised) -> None:
    function = aws.id_of_function("views/board/push")

    assert alarm(aws, "IteratorAge", FunctionName=function)["Threshold"] == 60_000
    assert alarm(aws, "Errors", FunctionName=function)["Threshold"] == 0


@swept
def test_a_sweep_that_fails_wakes_somebody(aws: Synthesised, package: Package) -> None:
    made = alarm(aws, "Errors", FunctionName=aws.id_of_function(f"services/{package.name}/sweep"))

    assert (made["Threshold"], made["EvaluationPeriods"], made["Period"]) == (0, 1, 60)


@swept
def test_what_stays_undecided_for_five_minutes_wakes_somebody_and_so_does_a_sweep_that_says_nothing(
    aws: Synthesised, package: Package
) -> None:
    made = alarm(aws, "failed", service=package.name, stage="dev")

    assert (made["Namespace"], made["Statistic"], made["Threshold"]) == ("Andon", "Sum", 0)
    assert made["EvaluationPeriods"] * made["Period"] == 5 * 60
    assert made["TreatMissingData"] == "breaching"


@swept
def test_a_decision_that_is_late_wakes_somebody(aws: Synthesised, package: Package) -> None:
    made = alarm(aws, "oldest", service=package.name, stage="dev")

    assert (made["Statistic"], made["Threshold"], made["EvaluationPeriods"]) == ("Maximum", 90_000, 2)


def test_a_fault_wakes_somebody_and_so_does_a_store_that_cannot_keep_it(aws: Synthesised) -> None:
    function = aws.id_of_function("stores/faults/listener")
    queue = aws.output("FaultQueueUrl")

    assert alarm(aws, "received", view="faults", stage="dev")["Threshold"] == 0
    assert alarm(aws, "Errors", FunctionName=function)["Threshold"] == 0
    assert alarm(aws, "ApproximateAgeOfOldestMessage", QueueName=f"{queue}.QueueName")["Threshold"] == 300


def test_answers_of_5xx_wake_somebody(aws: Synthesised) -> None:
    [api] = aws.of_type("AWS::ApiGatewayV2::Api")

    assert alarm(aws, "5xx", ApiId=api)["Threshold"] == 0


def test_refusals_for_want_of_room_wake_somebody_if_they_go_on(aws: Synthesised) -> None:
    made = alarm(aws, "throttled", stage="dev")

    assert (made["Namespace"], made["Threshold"], made["EvaluationPeriods"]) == ("Andon", 0, 5)


def test_slow_answers_wake_somebody_but_not_a_read_that_waits_for_a_write(aws: Synthesised) -> None:
    [api] = aws.of_type("AWS::ApiGatewayV2::Api")

    made = alarm(aws, "Latency", ApiId=api)

    assert made["ExtendedStatistic"] == "p99"
    assert made["Threshold"] > sum(PAUSES_SECONDS) * 1000
    assert made["EvaluationPeriods"] * made["Period"] == 5 * 60


def test_requests_are_counted_by_the_name_that_http_apis_use(aws: Synthesised) -> None:
    # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
    named = {"Count", "4xx", "5xx", "Latency", "IntegrationLatency", "DataProcessed"}

    [made] = aws.of_type("AWS::CloudWatch::Dashboard").values()
    widgets: list[dict[str, Any]] = json.loads(text(made["DashboardBody"]))["widgets"]
    metrics = [metric for widget in widgets for metric in widget["properties"]["metrics"]]

    assert {name for namespace, name, *_ in metrics if namespace == "AWS/ApiGateway"} <= named


def test_silence_is_no_alarm_but_of_what_speaks_each_minute_and_every_alarm_says_what_it_means(
    aws: Synthesised,
) -> None:
    regular = [alarm(aws, "failed", service=service.name, stage="dev") for service in SWEPT]

    for made in aws.of_type(ALARM).values():
        assert made["TreatMissingData"] == ("breaching" if made in regular else "notBreaching")
        assert re.fullmatch(r".+\. Runbook: docs/runbooks/[a-z0-9-]+\.md", made["AlarmDescription"])


def test_the_pages_that_alarms_name_can_be_anywhere(varied: Synthesised) -> None:
    made = varied.of_type(ALARM).values()

    assert all(" Runbook: https://example.com/runbooks/" in one["AlarmDescription"] for one in made)


def test_no_alarm_is_metric_math_which_the_emulator_refuses(aws: Synthesised, local: Synthesised) -> None:
    assert not [made for made in aws.of_type(ALARM).values() if "Metrics" in made]
    assert set(local.of_type(ALARM)) == {name for name, made in aws.of_type(ALARM).items() if not rolls_back(made)}


@pytest.mark.parametrize(
    ("settings", "arn"),
    [
        ("varied", "arn:aws:sns:eu-central-1:000000000000:pager"),  # named by its ARN
        ("aws", "arn:AWS::Partition:sns:AWS::Region:AWS::AccountId:pager"),  # by its name
    ],
)
def test_on_aws_every_alarm_that_wakes_somebody_goes_to_the_topic(
    request: pytest.FixtureRequest, settings: str, arn: str
) -> None:
    wired: Synthesised = request.getfixturevalue(settings)

    for made in wired.of_type(ALARM).values():
        actions = [text(action) for action in listed(made.get("AlarmActions", []))]
        assert actions == ([] if rolls_back(made) else [arn])


def test_on_the_emulator_alarms_wake_nobody(local: Synthesised) -> None:
    assert all("AlarmActions" not in made for made in local.of_type(ALARM).values())


def shown(aws: Synthesised) -> dict[str, set[str]]:
    """The labels of each widget, by its title."""
    [made] = aws.of_type("AWS::CloudWatch::Dashboard").values()
    widgets: list[dict[str, Any]] = json.loads(text(made["DashboardBody"]))["widgets"]
    properties = [widget["properties"] for widget in widgets]
    return {one["title"]: {metric[-1]["label"] for metric in one["metrics"]} for one in properties}


def test_the_dashboard_shows_every_reader_every_trigger_every_sweep_and_every_queue_where_messages_end(
    aws: Synthesised,
) -> None:
    [made] = aws.of_type("AWS::CloudWatch::Dashboard").values()
    body, titles = text(made["DashboardBody"]), shown(aws)

    for reader in READERS:
        assert titles[f"{reader.name}: what became of events"] == {"received", *Outcome}
        assert titles[f"{reader.name}: from the bus to the row (ms)"] == {"p50", "p99"}
        assert titles[f"{reader.name}: its queue"] == {"waiting", "in work", "oldest (s)"}
    assert all(f"{service.name}: what was decided" in titles for service in SWEPT)
    assert all(titles[f"{service.name}: delay of what was left (ms)"] == {"oldest"} for service in SWEPT)
    assert all(f"{service.name}: what was published" in titles for service in SERVICES)
    ways = {f"{source} to {service.name}" for service in SERVICES for source, _ in service.latched}
    assert all(titles[f"{way}: what became of edits"] == {"crossed", "overtaken"} for way in ways)
    assert all(titles[f"{way}: from the bus to the other side (ms)"] == {"p50", "p99"} for way in ways)
    assert all(f"{queue}.QueueName" in body for queue in dead_letters(aws))
    assert len(titles["Messages that wait for a person"]) == len(dead_letters(aws))
    assert sum(title.endswith(": its queue") for title in titles) > len(READERS)  # lake and archive, too


@pytest.mark.parametrize("title", ["what became of events", "from the bus to the row (ms)", "its queue"])
def test_the_console_makes_tables_of_the_deployed_dashboard_with_every_reader_in_them(
    local: Synthesised, title: str
) -> None:
    [made] = local.of_type("AWS::CloudWatch::Dashboard").values()

    tables = {table.title: table for table in tables_of(widgets_of(text(made["DashboardBody"])))}

    assert {row.subject for row in tables[title].rows} >= {reader.name for reader in READERS}
