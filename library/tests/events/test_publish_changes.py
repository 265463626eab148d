from typing import Any

import pytest
from events.test_change_data_capture import FACTS, record, thing

from andon.events.publish import NotPublished
from andon.events.publish_changes import publish_changes
from andon.testing.lambda_context import LambdaContext
from tests.support.wire import Wire
from toys.things import World


def capture(*records: dict[str, Any]) -> None:
    publish_changes({"Records": list(records)}, LambdaContext("workshop-trigger"), facts=FACTS)


def test_a_batch_is_published_faults_among_it(world: World) -> None:
    capture(record(None, thing(colour="red"), event_id="r1"), record(None, thing(), event_id="poison"))

    assert sorted(body["detail-type"] for body in world.new_envelopes()) == ["fault", "thing-created"]


def test_a_batch_that_could_not_be_published_is_raised_and_comes_again_without_a_second_meaning(
    world: World, wire: Wire, pauses: list[float]
) -> None:
    broken = True
    wire.refuse_entries(lambda entry: "InternalFailure" if broken and '"r2"' in entry["Detail"] else None)
    records = [record(None, thing(colour="red"), event_id=event_id) for event_id in ("r1", "r2")]

    with pytest.raises(NotPublished):
        capture(*records)
    broken = False
    capture(*records)

    ids = [envelope["detail"]["id"] for envelope in world.new_envelopes()]
    assert ids == ["r1", "r1", "r2"]
    assert pauses
