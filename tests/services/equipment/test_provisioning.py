"""Who may become a thing by a claim: what is registered and has no certificate, and one of those who ask at once."""

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andon.ingress.provisioning import RESERVED_MS
from andon.packages.package import Package
from andon.runtime.errors import CallFailed
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import provisioning_event
from andon.testing.log_lines import LogLines
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from tests.support.samples import NOW, sample

EQUIPMENT = Package("services", "equipment")
MACHINE, GATEWAY = "Andon_equipment", "Andon_factory"
NUMBERS = count(1)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9), lambda one: st.lists(one, max_size=2)
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "ask, made", "made", "a minute passes"]), st.sampled_from("AB"), st.integers(0, 1)
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture
def press() -> str:
    """Return a machine that no other test knows, whose id is one of a thing."""
    return f"press-{next(NUMBERS)}"


def register(loop: Loop, name: str, factory: str = "gdl-1") -> None:
    body = json.loads(sample("http", "register-equipment")["body"]) | {"factoryId": factory}
    assert loop.request("PUT /equipment/{id}", path={"id": name}, body=body).status == 201
    loop.run()


def delete(loop: Loop, name: str) -> None:
    headers = {"if-match": '"1"'}
    assert loop.request("DELETE /equipment/{id}", path={"id": name}, headers=headers).status == 204


def ask(loop: Loop, template: str, parameters: dict[str, Any], *, certificate: str = "", at_ms: int = NOW) -> bool:
    """Ask by a claim, with the certificate named as the thing would be unless another one is said."""
    asked = provisioning_event(template, parameters, certificate=certificate or str(parameters.get("Name")))
    with frozen_clock(at_ms):
        answer = loop.invoke(EQUIPMENT, "provision", asked)
    assert answer.keys() == {"allowProvisioning"}
    allowed: bool = answer["allowProvisioning"]
    return allowed


def test_a_machine_that_is_registered_may_become_a_thing_and_again_if_the_answer_was_lost(
    loop: Loop, press: str
) -> None:
    register(loop, press)

    assert ask(loop, MACHINE, {"Name": press})
    assert ask(loop, MACHINE, {"Name": press})
    loop.things[f"Andon:{press}"] = [press]
    assert ask(loop, MACHINE, {"Name": press})


def test_what_is_reserved_for_somebody_who_never_becomes_it_is_free_after_a_minute(loop: Loop, press: str) -> None:
    register(loop, press)
    assert ask(loop, MACHINE, {"Name": press})

    assert not ask(loop, MACHINE, {"Name": press}, certificate=f"{press}-another", at_ms=NOW + RESERVED_MS)
    assert ask(loop, MACHINE, {"Name": press}, certificate=f"{press}-another", at_ms=NOW + RESERVED_MS + 1)


def test_who_is_not_registered_or_deleted_or_of_no_kind_is_refused(loop: Loop, press: str) -> None:
    register(loop, press)
    register(loop, f"{press}-deleted")
    delete(loop, f"{press}-deleted")

    for template, name in (
        (MACHINE, "nobody"),
        (MACHINE, f"{press}-deleted"),
        (MACHINE, f"Andon-prod:{press}"),
        (MACHINE, f"{press} "),
        (MACHINE, ""),
        (GATEWAY, press),
        ("Other_equipment", press),
    ):
        assert not ask(loop, template, {"Name": name}), name


def test_a_gateway_names_a_machine_that_is_registered_at_its_factory(loop: Loop) -> None:
    register(loop, "of-gdl", "gdl-1")
    register(loop, "of-mty", "mty-1")
    register(loop, "gone", "gdl-1")
    delete(loop, "gone")

    assert ask(loop, GATEWAY, {"Name": "gdl-1", "Member": "of-gdl"})
    for member in ("of-mty", "gone", "nobody", "gdl-1", ""):
        assert not ask(loop, GATEWAY, {"Name": "gdl-1", "Member": member}), member


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parameters=st.dictionaries(st.sampled_from(["Name", "Member", "Other"]), JSON))
@pytest.mark.parametrize("template", [MACHINE, GATEWAY, "Other"])
def test_whatever_is_asked_is_refused_unless_it_is_registered(
    loop: Loop, template: str, parameters: dict[str, Any]
) -> None:
    assert not ask(loop, template, parameters)


def test_a_thing_that_has_a_certificate_gets_no_other_one_until_somebody_ends_that(loop: Loop, press: str) -> None:
    register(loop, press)

    loop.things[f"Andon:{press}"] = ["theirs"]
    assert not ask(loop, MACHINE, {"Name": press})
    loop.things[f"Andon:{press}"] = [press, "theirs"]
    assert not ask(loop, MACHINE, {"Name": press})

    loop.things[f"Andon:{press}"] = []
    assert ask(loop, MACHINE, {"Name": press})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_whoever_asks_when_a_thing_gets_at_most_one_certificate_and_a_certificate_one_thing(
    loop: Loop, steps: list[tuple[str, str, int]]
) -> None:
    """AWS makes a thing within a minute of the answer, or not at all."""
    prefix, now_ms, allowed = f"any-{next(NUMBERS)}", NOW, set[tuple[str, str]]()
    names = [f"{prefix}-{number}" for number in range(2)]
    for name in names:
        register(loop, name)
    things = [loop.things.setdefault(f"Andon:{name}", []) for name in names]

    for step, who, which in steps:
        certificate, name = f"{prefix}-{who}", names[which]
        if "ask" in step and ask(loop, MACHINE, {"Name": name}, certificate=certificate, at_ms=now_ms):
            allowed.add((certificate, name))
        if "made" in step and (certificate, name) in allowed and certificate not in things[which]:
            things[which].append(certificate)
        elif step == "a minute passes":
            now_ms, allowed = now_ms + RESERVED_MS + 1, set()

    assert max(map(len, things)) <= 1
    assert not {*things[0]} & {*things[1]}


@pytest.mark.parametrize(("template", "parameters"), [(MACHINE, {}), (GATEWAY, {"Member": "of-the-plant"})])
def test_a_certificate_that_is_a_things_becomes_no_other_one(
    loop: Loop, press: str, template: str, parameters: dict[str, str]
) -> None:
    register(loop, press)
    register(loop, "of-the-plant", "plant")
    assert ask(loop, MACHINE, {"Name": press}, certificate=press)
    register(loop, f"{press}-2")

    other = parameters | {"Name": "plant" if parameters else f"{press}-2"}
    assert not ask(loop, template, other, certificate=press, at_ms=NOW + RESERVED_MS + 1)
    assert ask(loop, template, other, certificate=f"{press}-another")
    assert ask(loop, MACHINE, {"Name": press}, certificate=press)


@pytest.mark.parametrize("member", ["x" * 4_000, "x" * 129, "\x7f", "a/b", " ", "\ud800", 7, ["of-gdl"], "é" * 1_100])
def test_a_member_that_is_no_id_is_refused_and_reads_nothing(loop: Loop, member: object) -> None:
    with Wire(("dynamodb", "iot")) as wire:
        wire.fail("GetItem", "ValidationException")
        assert not ask(loop, GATEWAY, {"Name": "gdl-1", "Member": member})


@pytest.mark.parametrize("operation", ["GetItem", "ListThingPrincipals", "PutItem"])
def test_a_failure_of_aws_allows_nobody(loop: Loop, press: str, operation: str) -> None:
    register(loop, press)

    with Wire(("dynamodb", "iot")) as wire:
        wire.fail(operation, "ThrottlingException")
        with pytest.raises(CallFailed):
            ask(loop, MACHINE, {"Name": press})


def test_each_answer_is_a_line_with_its_reason_and_a_count(loop: Loop, press: str, log_lines: LogLines) -> None:
    register(loop, press)
    log_lines.clear()

    ask(loop, MACHINE, {"Name": press})
    ask(loop, MACHINE, {"Name": press}, certificate=f"{press}-another")
    ask(loop, MACHINE, {"Name": "nobody"})
    ask(loop, MACHINE, {"Name": "<b>"})
    loop.things[f"Andon:{press}"] = ["theirs"]
    ask(loop, MACHINE, {"Name": press})

    assert [(line["message"], line["why"], line["provisioned"], line["refused"]) for line in log_lines] == [
        ("provisioned", None, 1, 0),
        ("refused", "reserved", 0, 1),
        ("refused", "unregistered", 0, 1),
        ("refused", "no thing", 0, 1),
        ("refused", "taken", 0, 1),
    ]
    assert {(line["claim"], line["pipeline"]) for line in log_lines} == {("claim", "equipment.provision")}
    assert "<b>" not in json.dumps(log_lines)
    assert "_aws" not in log_lines[0]
    [directive] = log_lines[1]["_aws"]["CloudWatchMetrics"]
    assert directive["Dimensions"] == [["service", "stage"]]
