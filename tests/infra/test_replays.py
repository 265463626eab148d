import json

import pytest

from andon.packages.package import Package
from tests.support.infra.synthesised import SERVICES, TAKES, VIEWS, Synthesised

COMMAND, QUERY, LISTENER = (f"stores/replays/{role}" for role in ("command", "query", "listener"))


def beyond_logs(aws: Synthesised, file: str) -> set[tuple[str, str]]:
    return {(action, on) for action, on in aws.allowed(file) if not action.startswith(("logs:", "xray:"))}


def on_table(aws: Synthesised, *actions: str) -> set[tuple[str, str]]:
    return {(f"dynamodb:{action}", f"{aws.output('ReplaysTable')}.Arn") for action in actions}


def test_the_listener_reads_the_lake_and_sends_to_views_alone_and_publishes_nothing(aws: Synthesised) -> None:
    environment, lake = aws.functions()[LISTENER]["Environment"]["Variables"], aws.output("LakeBucket")
    own = environment["REPLAYS_QUEUE_URL"]["Ref"]
    queues = {environment[f"{view.name.upper()}_QUEUE_URL"]["Ref"] for view in VIEWS}

    assert beyond_logs(aws, LISTENER) == {
        *on_table(aws, "GetItem", "Query", "UpdateItem"),
        ("s3:ListBucket", f"{lake}.Arn"),
        ("s3:GetObject", f"{lake}.Arn/events/*"),
        *(("sqs:SendMessage", f"{queue}.Arn") for queue in {own, *queues}),
        *((f"sqs:{action}", f"{own}.Arn") for action in TAKES),
    }
    assert "BUS_NAME" not in environment


@pytest.mark.parametrize("package", SERVICES, ids=lambda service: service.name)
def test_no_service_is_ever_sent_a_replayed_event_by_it(aws: Synthesised, package: Package) -> None:
    environment = aws.functions()[LISTENER]["Environment"]["Variables"]

    assert f"{package.name.upper()}_QUEUE_URL" not in environment
    assert package.name not in json.loads(environment["VIEWS"])


def test_a_command_keeps_jobs_and_asks_and_a_query_only_reads_them(aws: Synthesised) -> None:
    own = aws.functions()[COMMAND]["Environment"]["Variables"]["REPLAYS_QUEUE_URL"]["Ref"]

    assert beyond_logs(aws, COMMAND) == {
        *on_table(aws, "GetItem", "PutItem", "Query", "UpdateItem"),
        ("s3:ListBucket", f"{aws.output('LakeBucket')}.Arn"),
        ("sqs:SendMessage", f"{own}.Arn"),
    }
    assert beyond_logs(aws, QUERY) == on_table(aws, "GetItem", "Query")


@pytest.mark.parametrize("package", VIEWS, ids=lambda view: view.name)
def test_every_view_is_known_with_what_it_subscribes_to_and_its_own_queue(aws: Synthesised, package: Package) -> None:
    environment = aws.functions()[LISTENER]["Environment"]["Variables"]
    [mapping] = aws.mappings(package.path("listener"))
    queue = environment[f"{package.name.upper()}_QUEUE_URL"]["Ref"]

    assert mapping["EventSourceArn"] == {"Fn::GetAtt": [queue, "Arn"]}
    assert {tuple(topic) for topic in json.loads(environment["VIEWS"])[package.name]} == package.subscriptions


def test_the_newest_day_waits_longer_than_the_lake_takes(aws: Synthesised, local: Synthesised) -> None:
    [mapping] = aws.mappings("stores/lake/listener")
    settles = {
        name: int(made.functions()[COMMAND]["Environment"]["Variables"]["LAKE_SETTLES_SECONDS"])
        for name, made in {"aws": aws, "local": local}.items()
    }

    assert 900 >= settles["aws"] > 2 * mapping["MaximumBatchingWindowInSeconds"]
    assert settles["local"] <= 5


def test_a_replay_that_does_not_go_on_wakes_somebody(aws: Synthesised) -> None:
    queue = {"Fn::GetAtt": [aws.output("ReplaysQueueUrl"), "QueueName"]}
    [oldest] = [
        made
        for made in aws.of_type("AWS::CloudWatch::Alarm").values()
        if made["MetricName"] == "ApproximateAgeOfOldestMessage" and made["Dimensions"][0]["Value"] == queue
    ]

    assert oldest["Threshold"] == 3600
    function = {"Ref": aws.id_of_function(LISTENER)}
    metrics = {
        made["MetricName"]
        for made in aws.of_type("AWS::CloudWatch::Alarm").values()
        if [one["Value"] for one in made.get("Dimensions", [])] == [function]
    }
    assert metrics == {"Errors"}
