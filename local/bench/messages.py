"""Batches for listeners: the sample of `state-reported`, about other equipment."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from local.in_process.lambda_events import sqs_event
from patterns.events.bus_entry import to_message
from patterns.events.domain_event import DomainEvent

SAMPLE: Final = Path(__file__).parents[2] / "events/domain/state-reported.json"
BATCH: Final = 10

# What EventBridge puts around an event; parsing it is part of the work.
ENVELOPE: Final = {
    "id": "17793124-05d4-b198-2fde-7ededc63b103",
    "account": "000000000000",
    "time": "2020-04-24T14:50:01Z",
    "region": "us-east-1",
    "resources": [],
}


def reported(equipment: Iterable[object]) -> list[str]:
    """Write the messages of one report each, in this order of time."""
    sample = json.loads(SAMPLE.read_text())
    return [_message(sample, number, name) for number, name in enumerate(equipment)]


def batches(bodies: Sequence[str]) -> list[dict[str, Any]]:
    """Put messages into batches as the queue does."""
    return [sqs_event(bodies[start : start + BATCH]) for start in range(0, len(bodies), BATCH)]


def _message(sample: dict[str, Any], number: int, equipment: object) -> str:
    told = {"id": f"{number:032x}", "timestamp": sample["timestamp"] + number}
    state = sample["state"] | {"equipmentId": f"d#{equipment}"}
    return to_message(DomainEvent.from_wire(sample | told | {"state": state}), source="equipment", bus_event=ENVELOPE)
