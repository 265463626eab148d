"""Subjects of messages to people: a log of a piece of equipment, or a call. Pure."""

from typing import Final

from andon.events.domain_event import DomainEvent
from andon.runtime.json_types import JsonMapping
from contract.calls import call_in
from contract.log_rows import log_of

ABOUT: Final = "About#"


def partition_of(about: JsonMapping) -> str:
    """Return the partition of the rows that tell if a log or a call was seen."""
    if "callId" in about:
        return f"{ABOUT}Call#{about['callId']}"
    return f"{ABOUT}Log#{about['state']}#{about['timestamp']}#{about['equipmentId']}"


def equipment_partition_of(equipment_id: str) -> str:
    """Return the partition of the rows that tell who was told of a piece of equipment."""
    return f"{ABOUT}Equipment#{equipment_id}"


def log_seen_in(event: DomainEvent) -> str:
    """Return the partition of the log that somebody acknowledged."""
    seen = event.entity("acknowledgement")
    return partition_of({**log_of(seen.text("equipmentId"), seen.text("state"), seen.text("timestamp"))})


def call_seen_in(event: DomainEvent) -> str:
    """Return the partition of the call that somebody took, closed or rejected."""
    return partition_of({"callId": call_in(event).text("id")})
