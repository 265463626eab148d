"""A gateway that is killed again and again before the running stack: what became of its reports in the lake."""

import json
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.recorded.lake import EVENTS, lines_of
from andon.tools.listings import keys_in
from andon.tools.stack.api import path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.thing.certificate import CERTIFICATE, KEY, SIGNERS
from andon.tools.thing.register import register
from andon.tools.views.deployed import here
from contract import groups
from contract.levels import FIELDS
from contract.reports import REPORTED
from lab.gateway.child import ANDON, CONFIGURED
from lab.gateway.torture import Outcome, child_of, compared, run
from lab.gateway.workload import APART_MS, MACHINES, Machines, workload
from services.equipment.things import GATEWAY as OF_PLANTS

TIMEOUT_S: Final = 30
LIVES_S: Final = {False: (0.2, 1.0), True: (0.2, 0.4)}
"""A child needs the shorter to start, and sends for the rest of the time until it is killed; MQTT has sent all soon."""

IN_LAKE_S: Final = 180

Fact = dict[str, object]


def torture(stack: Stack, folder: Path, *, count: int, kills: int, seed: int, by_mqtt: bool = False) -> Outcome:
    """Return the fate of reports of new machines, over HTTPS or MQTT; kills come at random.

    Raises:
        ToolFailed: machines cannot be registered.

    """
    run_id = secrets.token_hex(4)
    plant = f"torture-{run_id}"
    machines = Machines(
        prefix=f"{plant}-",
        first_ms=time.time_ns() // 1_000_000 - count * APART_MS,
        poisoned=f"elsewhere-{run_id}",  # in no factory of this gateway's: the API refuses it by name
    )
    _register(stack, plant, machines.prefix)
    url = _connect(stack, folder, plant) if by_mqtt else stack.outputs["ApiUrl"]
    (folder / "token").write_text(stack.token(groups.GATEWAY, plant))
    command = child_of(folder, url, count, seed, timeout_s=TIMEOUT_S, machines=machines)
    chance = Random(seed)  # noqa: S311  when it is killed is no secret
    killed = 0
    for _ in range(kills):
        ends_s = time.monotonic() + chance.uniform(*LIVES_S[by_mqtt])
        killed += not run(command, partial(_is_past, ends_s))
    killed += not run(command, lambda: False)
    made = [one for one in workload(count, seed, machines) if not (by_mqtt and one.is_poison)]
    expected = sum(not one.is_poison for one in made)
    facts: dict[str, Fact] = {}
    lines, read = Counter[str](), set[str]()

    def has_all() -> bool:
        for fact_id, fact in _new_facts(stack, machines.prefix, read):
            facts[fact_id] = fact
            lines[fact_id] += 1
        return len({(fact["equipmentId"], fact["timestamp"]) for fact in facts.values()}) >= expected

    eventually(has_all, within_s=IN_LAKE_S)
    outcome = compared(made, facts.values(), folder, killed)
    return outcome._replace(again=sum(times > 1 for times in lines.values()))


def _connect(stack: Stack, folder: Path, plant: str) -> str:
    """Issue a certificate to a plant's gateway, and write down its connection; return the argument for its child."""
    made = register(here(stack.outputs), OF_PLANTS.name, plant, home=folder)
    files = {"ca": SIGNERS, "certificate": CERTIFICATE, "key": KEY}
    paths = {name: str(made.folder / file) for name, file in files.items()}
    andon = {"via": "mqtt", "endpoint": made.host, "port": made.port, "thing": made.thing, **paths}
    (folder / ANDON).write_text(json.dumps(andon))
    return CONFIGURED


def _is_past(end_s: float) -> bool:
    return time.monotonic() >= end_s


def _register(stack: Stack, plant: str, prefix: str) -> None:
    operator = stack.api(groups.OPERATOR)
    place = {"factoryId": plant, "lineId": "1", "location": dict.fromkeys(FIELDS, "x")}
    for number in range(MACHINES):
        answer = operator.put(path_of("equipment", f"{prefix}{number}"), {"name": "press", **place})
        if answer.status != HTTPStatus.CREATED:
            raise ToolFailed(f"the API answered {answer.status}: {answer.body.decode(errors='replace')}")


def _new_facts(stack: Stack, prefix: str, read: set[str]) -> Iterator[tuple[str, Fact]]:
    """Yield the reports by id that are in objects of the lake that were not `read`."""
    s3, bucket = stack.client("s3"), stack.outputs["LakeBucket"]
    for key in {*keys_in(s3, bucket, f"{EVENTS}/")} - read:
        read.add(key)
        for envelope in map(json.loads, lines_of(s3.get_object(Bucket=bucket, Key=key)["Body"].read())):
            if (envelope["source"], envelope["detail-type"]) == REPORTED:
                fact = DomainEvent.from_wire(envelope["detail"]).entity("state").fields
                if str(fact["equipmentId"]).startswith(prefix):
                    yield str(envelope["detail"]["id"]), dict(fact)
