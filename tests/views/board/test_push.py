"""A batch of the board's stream -> the broker: what is published, tried again, or a fault."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from andon.packages.package import Package
from andon.runtime.errors import CallFailed
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.log_lines import LogLines
from andon.testing.loop import Loop
from andon.wire import aws
from tests.support.samples import NOW, body_of, fact, sample
from tests.support.screen import Screen, as_pushed, is_within
from views.board.topics import filter_of

BOARD = Package("views", "board")
CONTEXT = LocalContext("board-push")
ROOT = "Andon"


@pytest.fixture(scope="module")
def kept() -> Iterator[Loop]:
    with Loop() as loop, frozen_clock(NOW):
        yield loop


@pytest.fixture
def loop(kept: Loop) -> Loop:
    kept.clear()
    return kept


def push(records: list[Any]) -> None:
    BOARD.handler("push")({"Records": records}, CONTEXT)


def records(loop: Loop, *machines: str) -> list[Any]:
    """Return the records of machines that were registered, and that reported NORMAL and then WARNING1."""
    for machine in machines:
        reports = [fact("state-reported", id=name, equipmentId=machine, state=name) for name in ("NORMAL", "WARNING1")]
        registered = fact("equipment-created", id=machine, at=NOW)
        entity = {**registered.entities["equipment"], "id": machine}
        for event in (registered._replace(entities={"equipment": entity}), *reports):
            assert loop.deliver(BOARD, [body_of(event)]) == []
    return loop.new_records("BOARD_TABLE")


def pushed(loop: Loop) -> list[dict[str, Any]]:
    return [json.loads(body) for _, body in loop.pushed]


def refusing(monkeypatch: pytest.MonkeyPatch, code_of: Callable[[dict[str, Any]], str | None]) -> None:
    """Let the broker refuse messages by their bodies."""
    real = aws.call

    def call(service: str, operation: str, **request: Any) -> Any:  # noqa: ANN401
        if service == aws.IOT_DATA and (code := code_of(json.loads(request["payload"]))):
            raise CallFailed(code)
        return real(service, operation, **request)

    monkeypatch.setattr(aws, "call", call)


def test_the_sample_of_the_stream_is_pushed_to_whoever_shows_its_place(loop: Loop) -> None:
    push(sample("push", "board")["Records"])

    ((topic, body),) = loop.pushed
    for place in ("", "MX", "MX/West/JAL/Guadalajara/Guadalajara/Centro"):
        assert is_within(topic, filter_of(ROOT, "Acme", tuple(filter(None, place.split("/")))))
    for company, elsewhere in (("Acme", ("MX", "East")), ("Acme Inc", ("MX",)), ("MX", ("West",))):
        assert not is_within(topic, filter_of(ROOT, company, elsewhere))
    assert json.loads(body)["state"] == "WARNING1"


def test_screens_show_what_the_list_says(loop: Loop) -> None:
    push(records(loop, "press-1", "press-2"))

    items = loop.request("GET /board/{company}", path={"company": "Acme"}).body["items"]
    assert Screen().take(pushed(loop)).shown == {item["equipmentId"]: as_pushed(item) for item in items}
    assert len(items) == 2


def test_several_changes_of_a_row_in_a_batch_are_one_message(loop: Loop, log_lines: LogLines) -> None:
    batch = records(loop, "press-1", "press-2")

    push(batch)

    assert len(batch) == 6
    assert [item["state"] for item in pushed(loop)] == ["WARNING1", "WARNING1"]
    (line,) = [line for line in log_lines if line["message"] == "pushed"]
    assert [line[name] for name in ("records", "pushed", "unseen", "fault")] == [6, 2, 0, 0]
    assert "press" not in json.dumps(line)


def test_a_batch_that_comes_again_says_the_same_again(loop: Loop) -> None:
    batch = records(loop, "press-1")

    push(batch)
    push(batch)

    first, again = pushed(loop)
    assert first == again


def test_what_the_broker_did_not_take_comes_again_and_all_others_were_taken(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = records(loop, "press-1", "press-2", "press-3")
    with monkeypatch.context() as broken:
        refusing(broken, lambda item: "InternalFailureException" if item["equipmentId"] == "press-2" else None)
        with pytest.raises(CallFailed, match="InternalFailureException"):
            push(batch)
    assert [item["equipmentId"] for item in pushed(loop)] == ["press-1", "press-3"]

    push(batch)

    assert {item["equipmentId"] for item in pushed(loop)} == {"press-1", "press-2", "press-3"}
    assert loop.new_messages() == []


def test_what_the_broker_will_never_take_is_a_fault_and_its_neighbours_are_pushed(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = records(loop, "press-1", "press-2")
    refusing(monkeypatch, lambda item: "InvalidRequestException" if item["equipmentId"] == "press-1" else None)

    push(batch)

    assert [item["equipmentId"] for item in pushed(loop)] == ["press-2"]
    (fault,) = faults(loop)
    assert json.loads(fault["message"])["dynamodb"]["Keys"] == {"EquipmentID": {"S": "press-1"}}


@pytest.mark.parametrize(
    "images",
    [
        "?",
        {},
        {"NewImage": {"Place": {"M": {}}}},
        {"NewImage": {"oplock#equipment": {"S": "yesterday"}}},
        {"NewImage": {"Place": {"S": "here"}}},
    ],
    ids=["no images", "no keys", "no place", "no order", "a place that is none"],
)
def test_a_row_that_nobody_understands_is_a_fault_and_its_neighbours_are_pushed(
    loop: Loop,
    images: Any,  # noqa: ANN401
) -> None:
    poison, healthy = deepcopy(sample("push", "board")["Records"][0]), records(loop, "press-1")
    if isinstance(images, dict) and images:
        poison["dynamodb"]["NewImage"] |= images["NewImage"]
    else:
        poison["dynamodb"] = images

    push([poison, *healthy])
    push([poison])

    assert [item["equipmentId"] for item in pushed(loop)] == ["press-1"]
    first, again = faults(loop)
    assert first == again
    assert first["consumer"] == "board.push"


def faults(loop: Loop) -> list[dict[str, Any]]:
    published = [json.loads(body) for body in loop.new_messages()]
    assert {(event["source"], event["detail-type"]) for event in published} <= {("board", "fault")}
    return [event["detail"]["fault"] for event in published]
