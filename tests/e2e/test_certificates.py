"""What a certificate allows at the broker: to report for its own thing, and nothing else."""

import stat
import time
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import pytest

from andon.ingress.names import basic_ingest, thing_of
from andon.testing.certificates import Authority
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.thing.certificate import CERTIFICATE, KEY, SIGNERS
from andon.tools.thing.register import Registered, register
from andon.tools.views.deployed import here
from andon_gateway.clock import Clock
from andon_gateway.mqtt_north import MqttNorth
from andon_gateway.north import ByMqtt, north_of
from andon_gateway.store import Stored
from andon_gateway.tables import Table
from services.equipment.things import GATEWAY, MACHINE
from tests.e2e.test_things import ROOT, register_machine, report, states, topics
from tests.support.thing import Refused, Thing, with_certificate

RULE = "Andon_equipment"
OWN = thing_of(ROOT, "tls-press-1")
OTHER = thing_of(ROOT, "tls-press-2")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("things")


@pytest.fixture(scope="module")
def press(stack: Stack, certificates: Path) -> Registered:
    return register(here(stack.outputs), MACHINE.name, "tls-press-1", home=certificates)


@pytest.fixture(scope="module")
def connect(press: Registered) -> Callable[..., Thing]:
    """Connect as the press, or with another name, certificate or will."""

    def connect(name: str = OWN, *, of: Path | None = press.folder, will: str | None = None) -> Thing:
        return with_certificate(press.port, name, press.folder, of=of, will=will)

    return connect


def test_a_machine_reports_by_its_certificate(stack: Stack, press: Registered, connect: Callable[..., Thing]) -> None:
    with connect() as machine:
        machine.publish(press.topic, report(state="ERROR"))
        machine.publish(topics(MACHINE, OWN)[1], report(state="NORMAL"))

    assert eventually(lambda: sorted(states(stack, "tls-press-1")) == ["ERROR", "NORMAL"])
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in press.folder.iterdir()}
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize(
    "topic",
    [
        *topics(MACHINE, OTHER),
        *topics(GATEWAY, OWN),
        basic_ingest("Andon_factory", topics(MACHINE, OWN)[1]),
        topics(MACHINE, OWN)[1].replace("Andon/", "Andon-prod/", 1),
        f"{topics(MACHINE, OWN)[1]}/more",
        "$aws/things/Andon:tls-press-1/shadow/update",
    ],
)
def test_it_publishes_to_no_other_topic(connect: Callable[..., Thing], topic: str) -> None:
    with connect() as machine, pytest.raises(Refused):
        machine.publish(topic, report())


@pytest.mark.parametrize("topic_filter", ["#", topics(MACHINE, OWN)[1], "Andon/equipment/+/state"])
def test_it_subscribes_to_nothing(connect: Callable[..., Thing], topic_filter: str) -> None:
    with connect() as machine, pytest.raises(Refused):
        machine.subscribe(topic_filter)


def test_it_connects_as_nobody_else_and_leaves_no_will_and_nothing_that_is_kept(
    press: Registered, connect: Callable[..., Thing]
) -> None:
    for thing in (connect(OTHER), connect("anything"), connect(will=topics(MACHINE, OWN)[1]), connect(will="x")):
        with pytest.raises(Refused), thing:
            pass
    with connect() as machine, pytest.raises(Refused):
        machine.publish(press.topic, report(), retain=True)


def test_who_has_no_certificate_or_a_made_up_one_does_not_connect(
    connect: Callable[..., Thing], press: Registered, tmp_path: Path
) -> None:
    Authority.create(tmp_path).server("made-up")
    for name in (CERTIFICATE, KEY):
        copyfile(tmp_path / "made-up 1.pem", tmp_path / name)

    for of in (None, tmp_path):
        with pytest.raises(Refused), connect(of=of) as machine:
            machine.publish(press.topic, report())


def test_a_certificate_that_is_replaced_counts_no_more(stack: Stack, certificates: Path, tmp_path: Path) -> None:
    before = register(here(stack.outputs), MACHINE.name, "tls-press-3", home=certificates)
    old = before.folder.rename(tmp_path / "old")
    with pytest.raises(ToolFailed, match="AGAIN=1"):
        register(here(stack.outputs), MACHINE.name, "tls-press-3", home=certificates)
    assert not before.folder.exists()

    after = register(here(stack.outputs), MACHINE.name, "tls-press-3", home=certificates, again=True)

    with pytest.raises(Refused), with_certificate(after.port, after.thing, old, of=old) as machine:
        machine.publish(after.topic, report())
    with with_certificate(after.port, after.thing, after.folder, of=after.folder) as machine:
        machine.publish(after.topic, report())


def test_the_gateway_of_a_plant_reports_by_its_certificate(stack: Stack, certificates: Path) -> None:
    register_machine(stack, "tls-press-4", factory="tls-plant")
    made = register(here(stack.outputs), GATEWAY.name, "tls-plant", home=certificates)
    said = {"endpoint": made.host, "port": made.port, "thing": made.thing}
    said |= {"ca": SIGNERS, "certificate": CERTIFICATE, "key": KEY, "via": "mqtt"}
    settings = north_of(Table(said, "andon"), made.folder)
    assert isinstance(settings, ByMqtt)
    north, now_ms = MqttNorth(settings, clock=Clock(is_trusted=True)), time.time_ns() // 1_000_000

    try:
        _, verdict = north.send([Stored(1, "tls-press-4", now_ms, "ERROR", None)])
    finally:
        north.close()

    assert verdict.done == {0}, verdict
    assert settings.topic == made.topic
    assert eventually(lambda: states(stack, "tls-press-4") == ["ERROR"])


@pytest.mark.parametrize(("kind", "name"), [("robot", "r2"), (MACHINE.name, "a b"), (MACHINE.name, "")])
def test_what_can_be_no_thing_is_refused(stack: Stack, tmp_path: Path, kind: str, name: str) -> None:
    with pytest.raises(ToolFailed):
        register(here(stack.outputs), kind, name, home=tmp_path)

    assert [*tmp_path.iterdir()] == []
