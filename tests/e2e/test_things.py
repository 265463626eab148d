"""Machines and gateways over MQTT: broker, rule, queue and function bring what they report to the views."""

import json
import time
from http import HTTPStatus
from typing import Any

from andon.ingress.names import Kind, basic_ingest, rule_of, thing_of, topic_of
from andon.runtime import times
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from contract.levels import LEVELS
from services.equipment.things import GATEWAY, MACHINE
from tests.support.thing import without_certificate

ROOT = "Andon"


def report(**parts: str) -> dict[str, Any]:
    return {"state": "WARNING1", "timestamp": times.to_utc(time.time_ns() // 1_000_000)} | parts


def topics(kind: Kind, thing: str) -> tuple[str, str]:
    """The topic of a thing, past the broker and by way of it."""
    topic = topic_of(ROOT, kind, thing)
    return basic_ingest(rule_of(ROOT, kind), topic), topic


def register_machine(stack: Stack, machine: str, *, factory: str) -> None:
    location = dict.fromkeys(("company", *LEVELS), "Mqtt")
    body = {"name": "Press", "factoryId": factory, "lineId": "1", "location": location}
    assert stack.api(groups.OPERATOR).put(path_of("equipment", machine), body).status == 201


def states(stack: Stack, machine: str) -> list[str]:
    answer = stack.api(groups.OPERATOR).get(path_of("equipment", machine, "logs"))
    return [log["state"] for log in answer.json["items"]]


def refusals(stack: Stack) -> dict[str, str]:
    """The reasons of the faults of things, by what was published."""
    admin, found = stack.api(groups.ADMIN), {}
    for fault in admin.get("/faults").json["items"]:
        if fault["consumer"] == "equipment.ingest":
            message = json.loads(admin.get(path_of("faults", fault["id"])).json["message"])
            found[message.get("text", message.get("body"))] = fault["error"]["message"]
    return found


def test_what_a_machine_reports_over_mqtt_is_in_the_log_and_what_is_no_report_a_fault(stack: Stack) -> None:
    thing = thing_of(ROOT, "mqtt-press-1")
    cheaply, usually = topics(MACHINE, thing)

    with without_certificate(stack.outputs["Endpoint"], thing) as machine:
        machine.publish(cheaply, report(state="ERROR"))
        machine.publish(cheaply, b"\xff\x00 no report")
        machine.publish(usually, [report(), report(state="NORMAL", detail="läuft")])
        machine.publish(topics(MACHINE, thing_of(ROOT, "mqtt-press-2"))[0], report())

    assert eventually(lambda: sorted(states(stack, "mqtt-press-1")) == ["ERROR", "NORMAL", "WARNING1"])
    assert eventually(lambda: len(refusals(stack)) == 2)
    reasons = sorted(refusals(stack).values())
    assert reasons == [
        f"{thing} published to the topic of Andon:mqtt-press-2",
        "not UTF-8: invalid start byte at byte 0",
    ]
    assert states(stack, "mqtt-press-2") == []


def test_a_gateway_reports_over_mqtt_for_the_machines_of_its_factory(stack: Stack) -> None:
    register_machine(stack, "pr\u00e4s#3", factory="mqtt-plant")
    thing = thing_of(ROOT, "mqtt-plant")

    with without_certificate(stack.outputs["Endpoint"], thing) as gateway:
        gateway.publish(topics(GATEWAY, thing)[0], [report(equipmentId="pr\u00e4s#3")])

    assert eventually(lambda: states(stack, "pr\u00e4s#3") == ["WARNING1"])


def disconnected_since(stack: Stack, machine: str) -> str | None:
    answer = stack.api(groups.OPERATOR).get(path_of("equipment", machine, "board"))
    since: str | None = answer.json.get("disconnectedSince") if answer.status == HTTPStatus.OK else None
    return since


def test_a_machine_that_is_gone_is_on_the_board_and_back_on_it_once_it_connects(stack: Stack) -> None:
    register_machine(stack, "mqtt-press-3", factory="mqtt-plant")
    press = thing_of(ROOT, "mqtt-press-3")

    with without_certificate(stack.outputs["Endpoint"], press):
        pass
    began = time.monotonic()
    assert eventually(lambda: disconnected_since(stack, "mqtt-press-3") is not None)
    print(f"gone, on the board after {time.monotonic() - began:.1f} s")  # noqa: T201  a figure, with -s

    with without_certificate(stack.outputs["Endpoint"], press):
        assert eventually(lambda: disconnected_since(stack, "mqtt-press-3") is None)
