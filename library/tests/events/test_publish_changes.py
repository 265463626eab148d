from typing import Any

import pytest
from events.test_change_data_capture import FACTS, record, thing

from andon.events.fact import FactAlarm
from andon.events.publish import NotPublished
from andon.events.publish_changes import VARIABLE, publish_changes
from andon.runtime import strict_json
from andon.runtime.message_batch import BatchResponse
from andon.testing.environment import LocalContext
from andon.testing.wire import Wire
from toys.things import World


def capture(*records: dict[str, Any]) -> BatchResponse:
    return publish_changes({"Records": list(records)}, LocalContext("workshop-trigger"), facts=FACTS)


def test_a_batch_is_published_faults_among_it(world: World) -> None:
    capture(record(None, thing(colour="red"), event_id="r1"), record(None, thing(), event_id="poison"))

    assert sorted(body["detail-type"] for body in world.new_envelopes()) == ["fault", "thing-created"]


def test_facts_that_ring_are_counted_by_their_type_and_no_others(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    ringing = FACTS._replace(alarms={"thing-created": FactAlarm("Made", "A thing was made.", "things-made")})
    made = [record(None, thing(colour="red"), event_id=event_id) for event_id in ("r1", "r2")]
    for facts in (FACTS, ringing):
        publish_changes({"Records": made}, LocalContext("workshop-trigger"), facts=facts)
    removed = record(thing(colour="red"), None, event_id="r3")
    publish_changes({"Records": [removed]}, LocalContext("workshop-trigger"), facts=ringing)

    lines = [strict_json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("thing-created") for line in lines] == [None, 2, None]
    assert lines[2]["published"] == 1
    assert FACTS.types.isdisjoint(lines[2])
    assert ["_aws" in line for line in lines] == [False, True, False]
    assert lines[1]["_aws"]["CloudWatchMetrics"][0]["Metrics"] == [{"Name": "thing-created"}]
    assert len(world.new_envelopes()) == 5


@pytest.mark.usefixtures("each_alone")
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


@pytest.mark.usefixtures("each_alone")
def test_a_throttled_batch_goes_on_behind_what_was_published_and_not_from_its_beginning(
    world: World, wire: Wire, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    throttled = {f"r{number}" for number in (30, 50, 70)}
    wire.refuse_entries(
        lambda entry: "ThrottlingException" if any(f'"{one}"' in entry["Detail"] for one in throttled) else None
    )
    records = [record(None, thing(colour="red"), event_id=f"r{number}") for number in range(100)]
    for number, one in enumerate(records):
        one["dynamodb"]["SequenceNumber"] = f"{number:021}"
    begun = [0]

    while response := capture(*records[begun[-1] :])["batchItemFailures"]:
        begun.append(int(response[0]["itemIdentifier"]))
        throttled.remove(f"r{begun[-1]}")

    assert begun == [0, 30, 50, 70]
    ids = {envelope["detail"]["id"] for envelope in world.new_envelopes()}
    assert ids == {f"r{number}" for number in range(100)}
    assert pauses


@pytest.mark.usefixtures("world", "pauses")
def test_a_batch_of_which_nothing_was_published_is_raised_so_that_it_counts_as_an_error(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    wire.refuse_entries(lambda _: "AccessDeniedException")

    with pytest.raises(NotPublished):
        capture(*(record(None, thing(colour="red"), event_id=event_id) for event_id in ("r1", "r2")))
