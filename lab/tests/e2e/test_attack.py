"""A short attack on the deployed stack; `make prove NAME=attack DEPLOYED=1 REQUESTS=10000` is a long one."""

from functools import partial
from pathlib import Path

import pytest

import lab.attack
from andon.testing.proving.deployed import DeployedWorld
from andon.testing.proving.prover import Prover, prove
from andon.tools.stack.stack import Stack


@pytest.mark.parametrize("name", [name for name, part in lab.attack.PARTS.items() if part.deployed])
def test_a_part_of_the_attack_breaks_nothing(name: str, stack: Stack, home: Path) -> None:
    record = prove(Prover.of(lab.attack), only=[name], deployed=partial(DeployedWorld, stack, home))

    assert record.tried
    assert not record.broken, record.text()
