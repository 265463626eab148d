import pytest

from andon.events.topic import from_json
from andon.packages.package import Package
from andon.testing.synthesised import Synthesised
from andon.wire.queue import beside, name_of
from tests.support.infra.synthesised import SERVICES, VIEWS

COMMAND, QUERY, LISTENER = (f"stores/replays/{role}" for role in ("command", "query", "listener"))


@pytest.mark.parametrize("package", SERVICES, ids=lambda service: service.name)
def test_no_service_is_ever_sent_a_replayed_event_by_it(aws: Synthesised, package: Package) -> None:
    environment = aws.functions()[LISTENER]["Environment"]["Variables"]

    assert package.name not in from_json(environment["VIEWS"])


@pytest.mark.parametrize("package", VIEWS, ids=lambda view: view.name)
def test_every_view_is_known_with_what_it_subscribes_to_and_its_own_queue(aws: Synthesised, package: Package) -> None:
    environment = aws.functions()[LISTENER]["Environment"]["Variables"]
    [mapping] = aws.mappings(package.path("listener"))
    own, queue = environment["REPLAYS_QUEUE_URL"]["Ref"], mapping["EventSourceArn"]["Fn::GetAtt"][0]
    queues = {name: made["QueueName"] for name, made in aws.of_type("AWS::SQS::Queue").items() if "QueueName" in made}

    assert queues[queue] == beside(queues[own], name_of(package.name))
    assert {tuple(topic) for topic in from_json(environment["VIEWS"])[package.name]} == package.subscriptions


def test_the_newest_day_waits_longer_than_the_lake_takes(aws: Synthesised, local: Synthesised) -> None:
    [mapping] = aws.mappings("stores/lake/listener")
    settles = {
        name: int(made.functions()[COMMAND]["Environment"]["Variables"]["LAKE_SETTLES_SECONDS"])
        for name, made in {"aws": aws, "local": local}.items()
    }

    assert 900 >= settles["aws"] > 2 * mapping["MaximumBatchingWindowInSeconds"]
    assert settles["local"] <= 5
