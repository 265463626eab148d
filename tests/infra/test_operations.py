import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from andon.cdk.names import pascal
from andon.cdk.operations import signals
from andon.drift import recompute
from andon.http.after import PAUSES_SECONDS
from andon.ingress.provisioning import REFUSED
from andon.outbound.sender import CAPPED, OPEN
from andon.packages.discovery import recomputed
from andon.rules import sweep
from andon.stores.lake.batch import UNREADABLE
from andon.testing.synthesised import Properties, Synthesised, listed, text
from andon.tools.console.widgets import tables_of, widgets_of
from andon.views.outcome import Outcome
from andon.views.results import LATE, UNPROCESSED
from andon.wire.aws import BOTOCORE, FELL_BACK
from tests.support.infra.synthesised import OTHER_SETTINGS, READERS, SERVICES, SWEPT, VIEWS, rolls_back

ALARM = "AWS::CloudWatch::Alarm"
LABEL = re.compile(r" as `([^`]+)`")


def alarms(synthesised: Synthesised, metric: str, **dimensions: str) -> list[Properties]:
    """The alarms on a metric; dimension values as `text` writes them."""
    return [
        made
        for made in synthesised.of_type(ALARM).values()
        if made.get("MetricName") == metric
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


Wanted = tuple[str, dict[str, str], Mapping[str, object]]
"""An alarm: its metric, its dimensions, and some of its properties."""


def of_readers(aws: Synthesised) -> Iterator[Wanted]:
    """A reader that falls behind, and a listener that fails."""
    for reader in READERS:
        queue = aws.output(f"{pascal(reader.name)}QueueUrl")
        yield "ApproximateAgeOfOldestMessage", {"QueueName": f"{queue}.QueueName"}, {"Threshold": 300}
        late = {"Namespace": "Andon", "Statistic": "Sum", "Threshold": 0, "EvaluationPeriods": 5}
        yield "late", {"view": reader.name, "stage": "dev"}, late
        yield "Errors", {"FunctionName": aws.id_of_function(reader.path("listener"))}, {"Threshold": 0}


def of_triggers(aws: Synthesised) -> Iterator[Wanted]:
    """A trigger that falls behind, as it does while it fails; what it gave up on, in S3 or not."""
    for service in SERVICES:
        function = {"FunctionName": aws.id_of_function(service.path("trigger"))}
        yield "IteratorAge", function, {"Threshold": 180_000}
        followed = aws.mappings(service.path("trigger"))
        for name, made in aws.of_type("AWS::Lambda::EventSourceMapping").items():
            if made in followed:
                assert made["MetricsConfig"] == {"Metrics": ["EventCount"]}  # else Lambda does not count them
                yield "OnFailureDestinationDeliveredEventCount", {"EventSourceMappingUUID": name}, {"Threshold": 0}
                yield "DroppedEventCount", {"EventSourceMappingUUID": name}, {"Threshold": 0}
    push = {"FunctionName": aws.id_of_function("views/board/push")}
    yield "IteratorAge", push, {"Threshold": 60_000}


def of_schedules(aws: Synthesised) -> Iterator[Wanted]:
    """A run by schedule that fails, never begins or is late; what stays undecided for five minutes."""
    hourly = [file for file in aws.functions() if file.endswith("/recompute") or file == "stores/archive/sweep"]
    assert len(hourly) > len(VIEWS)
    for file in hourly:
        yield "AsyncEventsDropped", {"FunctionName": aws.id_of_function(file)}, {"Threshold": 0}
    for view in recomputed():
        for metric in ("drift", "failed"):
            yield metric, {"view": view.name, "stage": "dev"}, {"Threshold": 0, "TreatMissingData": "notBreaching"}
    for one in SWEPT:
        at_once = {"Threshold": 0, "EvaluationPeriods": 1, "Period": 60}
        yield "Errors", {"FunctionName": aws.id_of_function(one.path("sweep"))}, at_once
        for_five_minutes = {"Statistic": "Sum", "EvaluationPeriods": 5, "Period": 60}
        silent = {"Threshold": 1, "ComparisonOperator": "LessThanThreshold", "TreatMissingData": "breaching"}
        yield "Invocations", {"FunctionName": aws.id_of_function(one.path("sweep"))}, for_five_minutes | silent
        yield "failed", {"service": one.name, "stage": "dev"}, for_five_minutes | {"Threshold": 0}
        late = {"Statistic": "Maximum", "Threshold": 90_000, "EvaluationPeriods": 2}
        yield "oldest", {"service": one.name, "stage": "dev"}, late


def of_stores(aws: Synthesised) -> Iterator[Wanted]:
    """The lake, when it waits for more than a batch, or cannot read; a replay that stands; a model."""
    [lake], queue = aws.mappings("stores/lake/listener"), aws.output("LakeQueueUrl")
    assert lake["MaximumBatchingWindowInSeconds"] < 900  # else it rings whenever a batch waits for more
    yield "ApproximateAgeOfOldestMessage", {"QueueName": f"{queue}.QueueName"}, {"Threshold": 900}
    yield "unreadable", {"view": "lake", "stage": "dev"}, {"Threshold": 0}
    replays = aws.output("ReplaysQueueUrl")
    yield "ApproximateAgeOfOldestMessage", {"QueueName": f"{replays}.QueueName"}, {"Threshold": 3600}
    for store in ("lake", "replays", "faults", "archive", "drift"):
        yield "Errors", {"FunctionName": aws.id_of_function(f"stores/{store}/listener")}, {"Threshold": 0}
    of_model = {"service": "anomalies", "stage": "dev"}
    yield "model_unreadable", of_model, {"Threshold": 0, "EvaluationPeriods": 5}


def of_everything(aws: Synthesised) -> Iterator[Wanted]:
    """A message that waits for a person, throttles, faults, and answers of the API."""
    for queue in dead_letters(aws):
        at_once = {"Threshold": 0, "ComparisonOperator": "GreaterThanThreshold", "EvaluationPeriods": 1}
        yield "ApproximateNumberOfMessagesVisible", {"QueueName": f"{queue}.QueueName"}, at_once
    # Functions of one account share its concurrency: one alarm for all.
    yield "Throttles", {}, {"Namespace": "AWS/Lambda", "Statistic": "Sum", "Threshold": 0}
    yield FELL_BACK, {"wire": BOTOCORE, "stage": "dev"}, {"Namespace": "Andon", "Statistic": "Sum", "Threshold": 0}
    for name, table in aws.of_type("AWS::DynamoDB::Table").items():
        indexes = [{"GlobalSecondaryIndexName": one["IndexName"]} for one in table.get("GlobalSecondaryIndexes", [])]
        for index in [{}, *indexes]:
            ever = {"Namespace": "AWS/DynamoDB", "Statistic": "Sum", "Threshold": 0}
            yield "WriteThrottleEvents", {"TableName": name, **index}, ever
    store = aws.output("FaultQueueUrl")
    yield "NumberOfMessagesSent", {"QueueName": f"{store}.QueueName"}, {"Statistic": "Sum", "Threshold": 0}
    yield "ApproximateAgeOfOldestMessage", {"QueueName": f"{store}.QueueName"}, {"Threshold": 300}
    [api] = aws.of_type("AWS::ApiGatewayV2::Api")
    yield "5xx", {"ApiId": api}, {"Threshold": 0}
    yield "throttled", {"stage": "dev"}, {"Namespace": "Andon", "Threshold": 0, "EvaluationPeriods": 5}
    yield "Latency", {"ApiId": api}, {"ExtendedStatistic": "p99", "EvaluationPeriods": 5, "Period": 60}


@pytest.mark.parametrize("group", [of_readers, of_triggers, of_schedules, of_stores, of_everything])
def test_whatever_fails_falls_behind_or_waits_for_a_person_wakes_somebody(
    aws: Synthesised, group: Callable[[Synthesised], Iterator[Wanted]]
) -> None:
    for metric, dimensions, wanted in group(aws):
        made = alarm(aws, metric, **dimensions)
        assert {name: made[name] for name in wanted} == wanted, (metric, dimensions)


def test_a_collapse_of_what_the_api_counts_wakes_somebody_for_a_flood_hides_its_refusals(aws: Synthesised) -> None:
    [made] = [one for one in aws.of_type(ALARM).values() if "ThresholdMetricId" in one]
    band, counted = made["Metrics"]

    assert (made["AlarmName"], made["ComparisonOperator"]) == ("Andon/Api/Collapsed", "LessThanLowerThreshold")
    assert (band["Id"], band["Expression"]) == (made["ThresholdMetricId"], "ANOMALY_DETECTION_BAND(m0, 5)")
    assert counted["MetricStat"]["Metric"]["MetricName"] == "Count"


def test_a_read_that_waits_for_a_write_is_no_slow_answer(aws: Synthesised) -> None:
    [api] = aws.of_type("AWS::ApiGatewayV2::Api")

    assert alarm(aws, "Latency", ApiId=api)["Threshold"] > sum(PAUSES_SECONDS) * 1000


def test_requests_are_counted_by_the_name_that_http_apis_use(aws: Synthesised) -> None:
    # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
    named = {"Count", "4xx", "5xx", "Latency", "IntegrationLatency", "DataProcessed"}

    [made] = aws.of_type("AWS::CloudWatch::Dashboard").values()
    widgets: list[dict[str, Any]] = json.loads(text(made["DashboardBody"]))["widgets"]
    metrics = [metric for widget in widgets for metric in widget["properties"].get("metrics", ())]

    assert {name for namespace, name, *_ in metrics if namespace == "AWS/ApiGateway"} <= named


def test_silence_is_no_alarm_but_of_what_speaks_each_minute_and_every_alarm_says_what_it_means(
    aws: Synthesised,
) -> None:
    functions = [aws.id_of_function(service.path("sweep")) for service in SWEPT]
    regular = [alarm(aws, "Invocations", FunctionName=one) for one in functions]

    for made in aws.of_type(ALARM).values():
        assert made["TreatMissingData"] == ("breaching" if made in regular else "notBreaching")
        assert re.fullmatch(r".+\. Runbook: docs/runbooks/[a-z0-9-]+\.md", made["AlarmDescription"])


def test_the_pages_that_alarms_name_can_be_anywhere(varied: Synthesised) -> None:
    made = varied.of_type(ALARM).values()

    assert all(" Runbook: https://example.com/runbooks/" in one["AlarmDescription"] for one in made)


def test_a_stage_without_alarms_has_none_and_rolls_back_what_fails_by_itself(
    dev: Synthesised, local: Synthesised
) -> None:
    groups = dev.of_type("AWS::CodeDeploy::DeploymentGroup").values()

    assert not dev.of_type(ALARM)
    assert not local.of_type(ALARM)  # they would wake nobody
    assert {tuple(made["AutoRollbackConfiguration"]["Events"]) for made in groups} == {
        ("DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_REQUEST")
    }


def test_no_alarm_is_on_a_metric_of_our_own_that_no_line_names_and_no_line_names_one_without(aws: Synthesised) -> None:
    rung = {facts for service in SERVICES for facts in service.facts.alarms}
    looked_at = {
        metric["MetricName"]
        for made in aws.of_type(ALARM).values()
        for metric in [made, *(one["MetricStat"]["Metric"] for one in made.get("Metrics", ()) if "MetricStat" in one)]
        if metric.get("Namespace") == "Andon"
    }

    troubles = {LATE, UNPROCESSED, UNREADABLE, *sweep.TROUBLES, *recompute.TROUBLES, OPEN, CAPPED, REFUSED, FELL_BACK}
    # Of a model that cannot be read, and of the API's own log.
    assert looked_at == troubles | rung | {"model_unreadable", "throttled"}


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


def shown(aws: Synthesised) -> dict[str, set[str]]:
    """The labels of each widget, by its title."""
    [made] = aws.of_type("AWS::CloudWatch::Dashboard").values()
    widgets: list[dict[str, Any]] = json.loads(text(made["DashboardBody"]))["widgets"]
    properties = [widget["properties"] for widget in widgets]
    asked = {one["title"]: set(LABEL.findall(one["query"])) for one in properties if "query" in one}
    return asked | {
        one["title"]: {metric[-1]["label"] for metric in one["metrics"]} for one in properties if "metrics" in one
    }


def test_the_dashboard_shows_every_reader_every_trigger_every_sweep_and_every_queue_where_messages_end(
    aws: Synthesised,
) -> None:
    [made] = aws.of_type("AWS::CloudWatch::Dashboard").values()
    body, titles = text(made["DashboardBody"]), shown(aws)

    for reader in READERS:
        assert titles[f"{reader.name}: what became of events"] == {"received", *Outcome, "put_back"}
        assert titles[f"{reader.name}: its queue"] == {"waiting", "in work", "oldest (s)"}
    assert all(f"{service.name}: what was decided" in titles for service in SWEPT)
    assert all(titles[f"{service.name}: delay of what was left (ms)"] == {"oldest"} for service in SWEPT)
    assert all(f"{service.name}: what was published" in titles for service in SERVICES)
    ways = {f"{source} to {service.name}" for service in SERVICES for source, _ in service.latched}
    assert all(titles[f"{way}: what became of edits"] == {"crossed", "overtaken"} for way in ways)
    assert titles["All readers: from the bus to the row (ms)"] == {"p50", "p99"}
    assert all(f"{queue}.QueueName" in body for queue in dead_letters(aws))
    assert len(titles["Messages that wait for a person"]) == len(dead_letters(aws))
    assert sum(title.endswith(": its queue") for title in titles) > len(READERS)  # lake and archive, too


@pytest.mark.parametrize("title", ["what became of events", "its queue"])
def test_the_console_makes_tables_of_the_deployed_dashboard_with_every_reader_in_them(
    local: Synthesised, title: str
) -> None:
    [made] = local.of_type("AWS::CloudWatch::Dashboard").values()

    tables = {table.title: table for table in tables_of(widgets_of(text(made["DashboardBody"])))}

    assert {row.subject for row in tables[title].rows} >= {reader.name for reader in READERS}


def test_what_a_sweep_may_leave_over_is_due_behind_the_hold_back_and_late_whatever_that_is(
    aws: Synthesised, varied: Synthesised
) -> None:
    late = {one: alarm(one, "oldest", service="dispatch", stage="dev")["Threshold"] for one in (aws, varied)}

    assert OTHER_SETTINGS["holdBackSeconds"] == 0
    assert late == {aws: 90_000, varied: 90_000}


def test_the_page_of_thresholds_says_the_figures_that_stand_elsewhere() -> None:
    said = dict(re.findall(r"^\| `(\w+)`.*? \| (\d+) \|", signals.__doc__ or "", re.MULTILINE))
    named = {name: str(getattr(signals, name)) for name in ("LATE_SECONDS", "EVERY_SECONDS", "COPY_MINUTES")}

    assert said == named
    assert f"`LATE_DECISION_SECONDS` ({signals.LATE_DECISION_SECONDS})" in (signals.__doc__ or "")
