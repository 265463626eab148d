"""Provisioning by claim, through broker, hook and registry: who is registered and nobody else gets a certificate."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.ingress import fleet
from andon.ingress.names import Kind, basic_ingest, rule_of, thing_of, topic_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.thing import claims
from andon.tools.thing.certificate import CERTIFICATE, KEY, SIGNERS
from andon.tools.thing.claims import MadeClaim
from andon.tools.thing.register import register
from andon.tools.views.deployed import here
from andon_gateway import cli
from andon_gateway.brokers import Broker, Tls
from andon_gateway.claim import Claim
from andon_gateway.claim_door import certificate_of
from andon_gateway.config import read
from andon_gateway.gateway import Gateway
from andon_gateway.provisioning import Refused as NotProvisioned
from contract import groups
from services.equipment.things import GATEWAY, MACHINE
from tests.e2e.test_things import ROOT, register_machine, report, states, topics
from tests.gateway.test_mqtt_north import CONFIGURATION
from tests.support.thing import Refused, Thing, with_certificate

OTHERS = topic_of(ROOT, MACHINE, thing_of(ROOT, "claim-press-1"))
SIGNING = fleet.SIGNING


@pytest.fixture(scope="module")
def made(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> MadeClaim:
    """A claim to be a machine; the hook has been called, whose first process may take longer than it is waited for."""
    made = claims.make(here(stack.outputs), MACHINE.name, home=tmp_path_factory.mktemp("claims"))
    assert eventually(lambda: is_answered(made, tmp_path_factory.mktemp("nobody")))
    return made


@pytest.fixture
def connect(made: MadeClaim) -> Callable[..., Thing]:
    """Connect by the claim."""

    def connect(client: str = fleet.client_of(ROOT, "1"), *, will: str | None = None) -> Thing:
        return with_certificate(made.broker.port, client, made.folder, of=made.folder, will=will)

    return connect


def provisioned(made: MadeClaim, name: str, folder: Path, *, kind: Kind = MACHINE, member: str = "") -> str:
    """Ask by a claim for a certificate, as a device does."""
    tls = Tls(made.folder / SIGNERS, folder / CERTIFICATE, folder / KEY)
    broker = Broker(made.broker.host, made.broker.port, tls, client_id=f"{ROOT}:{name}")
    template = fleet.template_of(ROOT, kind)
    asked = Claim(made.folder / CERTIFICATE, made.folder / KEY, template, fleet.client_of(ROOT, ""), name, member)
    return certificate_of(broker, asked)


def is_answered(made: MadeClaim, folder: Path) -> bool:
    try:
        provisioned(made, "claim-nobody", folder)
    except NotProvisioned as error:
        return "AWS IoT refuses" in str(error)
    return False


def registry(stack: Stack) -> tuple[set[str], set[str]]:
    """The things of AWS IoT, and the certificates that count."""
    iot = stack.client("iot")
    things = {one["thingName"] for page in iot.get_paginator("list_things").paginate() for one in page["things"]}
    found: list[dict[str, Any]] = [
        one for page in iot.get_paginator("list_certificates").paginate() for one in page["certificates"]
    ]
    return things, {one["certificateId"] for one in found if one["status"] == "ACTIVE"}


def delete_machine(stack: Stack, machine: str) -> None:
    api = stack.api(groups.OPERATOR)
    assert api.request("DELETE", f"/equipment/{machine}", headers={"if-match": '"1"'}).status == 204


def test_a_machine_that_is_registered_gets_a_certificate_by_the_claim_and_reports_by_it(
    stack: Stack, made: MadeClaim, tmp_path: Path
) -> None:
    register_machine(stack, "claim-press-1", factory="claim-plant")
    thing = thing_of(ROOT, "claim-press-1")

    provisioned(made, "claim-press-1", tmp_path)

    with with_certificate(made.broker.port, thing, made.folder, of=tmp_path) as machine:
        machine.publish(topics(MACHINE, thing)[0], report(state="ERROR"))
    assert eventually(lambda: states(stack, "claim-press-1") == ["ERROR"])


def test_the_gateway_of_a_plant_provisions_itself_and_its_first_report_is_on_the_board(
    stack: Stack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register_machine(stack, "claim-press-2", factory="claim-plant")
    made = claims.make(here(stack.outputs), GATEWAY.name, home=tmp_path, folder=tmp_path / "claim")
    text = (CONFIGURATION % made.broker.port).replace("authority.pem", f"claim/{SIGNERS}")
    text = text.replace('"Andon:gdl-1"', '"Andon:claim-plant"').replace('id = "press"', 'id = "claim-press-2"')
    text = text.replace('"127.0.0.1 1.pem"', '"own.pem"', 1).replace('"127.0.0.1 1.pem"', '"own.key"', 1)
    said = f'[andon.claim]\ncertificate = "claim/{CERTIFICATE}"\nkey = "claim/{KEY}"\n'
    configuration = tmp_path / "gateway.toml"
    configuration.write_text(text.replace("[[source]]", f"{said}[[source]]", 1))

    assert [cli.main(["provision", str(configuration)]) for _ in range(2)] == [0, 0]

    assert capsys.readouterr().out.splitlines() == [
        f"Andon:claim-plant has a new certificate: {tmp_path / 'own.pem'}",
        f"Andon:claim-plant has a certificate: {tmp_path / 'own.pem'}",
    ]
    gateway = Gateway(read(configuration))
    gateway.start()
    assert eventually(lambda: states(stack, "claim-press-2") == ["WARNING1"])
    gateway.stop()


def test_who_is_not_registered_deleted_of_another_stack_or_there_already_is_refused_and_nothing_is_left(
    stack: Stack, made: MadeClaim, tmp_path: Path
) -> None:
    for name in ("claim-deleted", "claim-taken"):
        register_machine(stack, name, factory="claim-plant")
    delete_machine(stack, "claim-deleted")
    theirs = register(here(stack.outputs), MACHINE.name, "claim-taken", home=tmp_path)
    before = registry(stack)

    for name in ("claim-nobody", "claim-deleted", "Andon-prod:press-1", "claim-taken"):
        with pytest.raises(NotProvisioned, match="AWS IoT refuses"):
            provisioned(made, name, tmp_path)
        (tmp_path / f"{CERTIFICATE}.waiting").unlink()
    # Who has a claim to be a machine becomes no gateway: the broker ends the connection.
    with pytest.raises(NotProvisioned, match="by the claim"):
        provisioned(made, "claim-plant", tmp_path, kind=GATEWAY, member="claim-taken")

    assert registry(stack) == before
    assert not (tmp_path / CERTIFICATE).exists()
    with with_certificate(theirs.port, theirs.thing, theirs.folder, of=theirs.folder) as machine:
        machine.publish(theirs.topic, report())


@pytest.mark.parametrize(
    "topic",
    [
        OTHERS,
        basic_ingest(rule_of(ROOT, MACHINE), OTHERS),
        fleet.topic_of("Andon_factory"),
        fleet.topic_of("Andon_prod_equipment"),
        "$aws/certificates/create/json",
        f"{SIGNING}/accepted",
        "$aws/things/Andon:claim-press-1/shadow/update",
        "Andon_claim:1",
    ],
)
def test_a_claim_publishes_nothing_but_what_it_asks(connect: Callable[..., Thing], topic: str) -> None:
    with connect() as holder, pytest.raises(Refused):
        holder.publish(topic, report())


@pytest.mark.parametrize("topic_filter", ["#", "Andon/#", "$aws/events/presence/connected/+", f"{SIGNING}/+"])
def test_a_claim_hears_nothing_but_its_answers(connect: Callable[..., Thing], topic_filter: str) -> None:
    with connect() as holder, pytest.raises(Refused):
        holder.subscribe(topic_filter)


def test_a_claim_connects_as_no_thing_and_leaves_no_will(connect: Callable[..., Thing]) -> None:
    for holder in (
        connect("Andon:claim-press-1"),
        connect("Andon-prod_claim:1"),
        connect("anything"),
        connect(will=OTHERS),
    ):
        with pytest.raises(Refused), holder:
            pass


def test_a_claim_that_is_withdrawn_is_of_no_use_and_those_beside_it_go_on(stack: Stack, tmp_path: Path) -> None:
    register_machine(stack, "claim-press-3", factory="claim-plant")
    deployed = here(stack.outputs)
    old, new = (claims.make(deployed, MACHINE.name, home=tmp_path) for _ in range(2))

    assert [one.id for one in claims.withdraw(deployed, old.id[:12])] == [old.id]

    counting = {one.id for one in claims.claims(deployed)}
    assert (old.id in counting, new.id in counting) == (False, True)
    with pytest.raises(NotProvisioned, match="by the claim"):
        provisioned(old, "claim-press-3", tmp_path)
    provisioned(new, "claim-press-3", tmp_path)
    with pytest.raises(ToolFailed, match="0 claims begin with"):
        claims.withdraw(deployed, old.id)


@pytest.mark.parametrize("which", ["", "no-such"])
def test_a_claim_that_nobody_made_cannot_be_withdrawn(stack: Stack, made: MadeClaim, which: str) -> None:
    before = claims.claims(here(stack.outputs))

    with pytest.raises(ToolFailed):
        claims.withdraw(here(stack.outputs), which)

    assert claims.claims(here(stack.outputs)) == before
    assert made.id in {one.id for one in before}


def test_a_claim_is_written_over_no_other_one(stack: Stack, made: MadeClaim) -> None:
    before = claims.claims(here(stack.outputs))

    with pytest.raises(ToolFailed, match="not empty"):
        claims.make(here(stack.outputs), MACHINE.name, home=made.folder, folder=made.folder)
    with pytest.raises(ToolFailed, match="no kind of thing"):
        claims.make(here(stack.outputs), "robot", home=made.folder)

    assert claims.claims(here(stack.outputs)) == before
