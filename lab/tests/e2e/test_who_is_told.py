"""Who is told on the deployed stack, by providers that count; `make prove NAME=telling DEPLOYED=1` tries the rest."""

from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import pytest

from andon.testing.proving.deployed import DeployedWorld
from andon.testing.proving.prover import ProvedPart, Prover, Record, prove
from andon.testing.proving.world import LivingWorld
from andon.tools.stack.stack import Stack
from lab import telling
from lab.plant import MAIL, SMS, ask, providers_of, reach

MACHINES: Final = 40


def one_digest(world: LivingWorld, _: Random, record: Record) -> None:
    ways = {"op-9001": {SMS: "+523300009001"}, "sv-9001": {MAIL: "sv-9001@example.com"}}
    for person, way in ways.items():
        reach(world, person, **way)
    for number in range(MACHINES):
        ask(world, *ways, about=f"told-{number}")
    world.until(lambda: len(providers_of(world).got()) == len(ways), within_s=300)
    subject = f"{MACHINES} machines need help"
    wanted = {(channel, address, subject) for way in ways.values() for channel, address in way.items()}
    got = [(one.channel, one.address, one.subject) for one in providers_of(world).got()]
    record.expect("many requests at once are one SMS and one mail", sorted(got) == sorted(wanted), got)


PROVER: Final = Prover.of(telling)


@pytest.mark.parametrize("name", ["one digest", "tokens", "addresses", "private"])
def test_a_part_of_telling_holds_on_the_deployed_stack(name: str, stack: Stack, home: Path) -> None:
    parts = {**PROVER.parts, "one digest": ProvedPart(one_digest)}

    record = prove(PROVER._replace(parts=parts), only=[name], deployed=partial(DeployedWorld, stack, home))

    assert record.tried
    assert not record.broken, record.text()
