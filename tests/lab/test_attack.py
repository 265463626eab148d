"""The attack in memory, short: nothing breaks; and each part finds what it looks for, once that is there."""

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final

import jsonschema_rs
import pytest

from andon.events import bus_entry, group
from andon.events.received import received
from andon.http import caller, page
from andon.runtime.tried import Failed, tried
from andon.stores.faults import record as faults
from andon.testing.lambda_events import sqs_event
from andon.testing.proving.prover import Prover, prove
from andon.versions import optimistic_lock
from lab import attack
from lab.attack import events, operations, requests, writers

PROVER: Final = Prover.of(attack)
OPERATIONS: Final = operations.read()


@pytest.mark.parametrize("name", [name for name, part in PROVER.parts.items() if part.in_memory])
def test_a_part_of_the_attack_breaks_nothing_in_memory(name: str) -> None:
    record = prove(PROVER, only=[name])

    assert record.tried
    assert not record.broken, record.text()
