import json
from pathlib import Path
from typing import Any

import pytest

from infra.names import pascal
from local.console.widgets import tables_of, widgets_of
from patterns.packages.package import Package
from patterns.views.outcome import Outcome
from tests.support.infra.synthesised import READERS, SERVICES, SWEPT, Properties, Synthesised, listed, synthesise, text

ALARM = "AWS::CloudWatch::Alarm"

named = pytest.mark.parametrize("package", READERS, ids=lambda reader: reader.name)
swept = pytest.mark.parametrize("package", SWEPT, ids=lambda service: service.name)


def alarms(synthesised: Synthesised, metric: str, **dimensions: str) -> list[Properties]:
    """The alarms on a metric; dimension values as `text` writes them."""
    return [
        made
        for made in synthesised.of_type(ALARM).values()
        if made["MetricName"] == metric
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
    lag = alarm(aws, "lag", view=package.name)

    assert oldest["Threshold"] == 300
    assert (lag["Namespace"], lag["ExtendedStatistic"], lag["Threshold"]) == ("Andon", "p99", 300_000)


@named
@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
def test_a_listener_that_fails_or_is_throttled_wakes_somebody(aws: Synthesised, package: Package, metric: str) -> None:
    function = aws.id_of_function(f"{package.side}/{package.name}/listener.py")

    assert alarm(aws, metric, FunctionName=function)["Threshold"] == 0


@pytest.mark.parametrize("package", SERVICES, ids=lambda service: service.name)
def test_a_trigger_that_falls_behind_wakes_somebody_long_before_its_stream_forgets(
    aws: Synthesised, package: Package
) -> None:
    made = alarm(aws, "IteratorAge", FunctionName=aws.id_of_function(f"services/{package.name}/trigger.py"))

    assert made["Threshold"] <= 60 * 60 * 1000


def test_a_push_that_falls_behind_or_fails_wakes_somebody(aws: Synthesised) -> None:
    function = aws.id_of_function("views/board/push.py")

    assert alarm(aws, "IteratorAge", FunctionName=function)["Threshold"] == 60_000
    assert alarm(aws, "Errors", FunctionName=function)["Threshold"] == 0


@swept
def test_a_sweep_that_fails_wakes_somebody(aws: Synthesised, package: Package) -> None:
    made = alarm(aws, "Errors", FunctionName=aws.id_of_function(f"services/{package.name}/sweep.py"))

    assert (made["Threshold"], made["EvaluationPeriods"], made["Period"]) == (0, 1, 60)


@swept
def test_what_stays_undecided_for_five_minutes_wakes_somebody_and_so_does_a_sweep_that_says_nothing(
    aws: Synthesised, package: Package
) -> None:
    made = alarm(aws, "failed", service=package.name)

    assert (made["Namespace"], made["Statistic"], made["Threshold"]) == ("Andon", "Sum", 0)
    assert made["EvaluationPeriods"] * made["Period"] == 5 * 60
    assert made["TreatMissingData"] == "breaching"


def test_a_fault_wakes_somebody_and_so_does_a_store_that_cannot_keep_it(aws: Synthesised) -> None:
    function = aws.id_of_function("stores/faults/listener.py")
    queue = aws.output("FaultQueueUrl")

    assert alarm(aws, "received", view="faults")["Threshold"] == 0
    assert alarm(aws, "Errors", FunctionName=function)["Threshold"] == 0
    assert alarm(aws, "ApproximateAgeOfOldestMessage", QueueName=f"{queue}.QueueName")["Threshold"] == 300


def test_answers_of_5xx_wake_somebody(aws: Synthesised) -> None:
    [api] = aws.of_type("AWS::ApiGatewayV2::Api")

    assert alarm(aws, "5xx", ApiId=api)["Threshold"] == 0


def test_silence_is_no_alarm_but_of_what_speaks_each_minute_and_every_alarm_says_what_it_means(
    aws: Synthesised,
) -> None:
    regular = [alarm(aws, "failed", service=service.name) for service in SWEPT]

    for made in aws.of_type(ALARM).values():
        assert made["TreatMissingData"] == ("breaching" if made in regular else "notBreaching")
        assert made["AlarmDescription"].endswith((".", "says why."))


def test_no_alarm_is_metric_math_which_the_emulator_refuses(aws: Synthesised, local: Synthesised) -> None:
    assert not [made for made in aws.of_type(ALARM).values() if "Metrics" in made]
    assert set(local.of_type(ALARM)) == set(aws.of_type(ALARM))


def test_alarms_go_to_a_topic_if_the_context_names_one(aws: Synthesised, layer: Path) -> None:
    topic = "arn:aws:sns:eu-central-1:000000000000:pager"

    wired = synthesise(layer, alarmTopic=topic)

    assert all("AlarmActions" not in made for made in aws.of_type(ALARM).values())
    assert all(listed(made["AlarmActions"]) == [topic] for made in wired.of_type(ALARM).values())


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
