"""Subjects of messages to people: a log of a piece of equipment, or a call. Pure."""

from collections.abc import Iterable
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.runtime.json_types import JsonMapping
from contract.calls import CLOSED, REJECTED, call_in
from contract.chains import SILENT
from contract.log_rows import log_of

ABOUT: Final = "About#"

TROUBLE_ENDED: Final = "trouble-ended"
EQUIPMENT_BACK: Final = "equipment-back"
ENTITY_OF: Final = {TROUBLE_ENDED: "end", EQUIPMENT_BACK: "silence", CLOSED: "call", REJECTED: "call"}
"""Type of a fact that ends a subject -> the entity that says of which machine it is."""


def partition_of(about: JsonMapping) -> str:
    """Return the partition of the rows that tell if a log or a call was seen."""
    if "callId" in about:
        return f"{ABOUT}Call#{about['callId']}"
    return f"{ABOUT}Log#{about['state']}#{about['timestamp']}#{about['equipmentId']}"


def equipment_partition_of(equipment_id: str) -> str:
    """Return the partition of the rows of tellings about a piece of equipment."""
    return f"{ABOUT}Equipment#{equipment_id}"


def log_seen_in(event: DomainEvent) -> str:
    """Return the partition of the log that somebody acknowledged."""
    seen = event.entity("acknowledgement")
    return partition_of({**log_of(seen.text("equipmentId"), seen.text("state"), seen.text("timestamp"))})


def call_seen_in(event: DomainEvent) -> str:
    """Return the partition of the call that somebody took, closed or rejected."""
    return partition_of({"callId": call_in(event).text("id")})


def is_over(about: JsonMapping, ends: Iterable[DomainEvent]) -> bool:
    """Return True if a subject is over by one of the facts about its equipment that are in `ENTITY_OF`."""
    return any(_ends(end, about) for end in ends)


def _ends(end: DomainEvent, about: JsonMapping) -> bool:
    """Return True if a fact ends a subject: a log by a normal report behind it, silence by any report."""
    entity = end.entity(ENTITY_OF[end.type])
    if "callId" in about:
        return end.type in {CLOSED, REJECTED} and entity.text("id") == about["callId"]
    is_of_log = end.type == TROUBLE_ENDED or (end.type == EQUIPMENT_BACK and about["state"] == SILENT)
    return is_of_log and entity.text("timestamp") > str(about["timestamp"])
