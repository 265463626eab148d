"""An anomaly: the observation of a machine, beside the expectation of the model."""

from typing import Final, Literal

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.keys import sort_key
from andon.dynamodb.ttl import ttl_at
from andon.events.actor import author_in
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Fact
from andon.rules.rule import Decision
from andon.runtime.json_types import members_of
from contract import logs
from contract.entities.anomalies import AnomalyEntity, AnomalyKind
from services.anomalies.model import Expectation, MachineKnowledge
from services.anomalies.reports import partition_in, state_in, time_in
from services.anomalies.tables import KEYS

ANOMALY_DETECTED: Final = "anomaly-detected"

DISCRIMINATOR: Final = "anomaly"
ENTITY: Final = "anomaly"

UNITS: Final[dict[AnomalyKind, str]] = {"burst": "reports an hour", "gap": "seconds", "odd-state": "reports"}
"""The unit that is counted, by kind; a kind is also the id of its rule."""


class AnomalyRow(AnomalyEntity):
    """The row of an anomaly, its primary key aside. `at` is epoch milliseconds, `ttl` epoch seconds."""

    discriminator: Literal["anomaly"]
    at: int
    ttl: int


def decide(
    kind: AnomalyKind,
    *,
    known: MachineKnowledge,
    expected: Expectation,
    seen: float,
    about: DomainEvent,
    first: DomainEvent,
) -> Decision:
    """Decide that a report is an anomaly.

    about: the report. first: the one that it began with, maybe the same. The key names the kind and the report, and no
    version: what was decided by one model, another one does not decide again.
    """
    row: AnomalyRow = {
        "discriminator": DISCRIMINATOR,
        "equipmentId": about.entity("state").text("equipmentId"),
        "state": state_in(about),
        "timestamp": time_in(about),
        "kind": kind,
        "unit": UNITS[kind],
        "expected": {"typical": expected.typical, "atMost": expected.at_most, "basedOn": expected.based_on},
        "seen": seen,
        "model": known.version,
        "at": about.timestamp_ms,
        "ttl": ttl_at(about.timestamp_ms, logs.TTL_DAYS),
    }
    key = KEYS.of(partition_in(about), sort_key("decision", kind, state_in(about), time_in(about)))
    return Decision(key=key, row=row, triggers=(about,) if first is about else (first, about))


def fact_of(change: Change) -> Fact | None:
    """Return the fact that an anomaly was detected; it is never taken back."""
    if change.kind != "INSERT":
        return None
    return Fact(
        type=ANOMALY_DETECTED,
        timestamp_ms=change.row["at"],
        partition_key=change.row["equipmentId"],
        entity_name=ENTITY,
        entity=to_entity(change.row),
        actor=author_in(change.row),
    )


def to_entity(item: Item) -> AnomalyEntity:
    """Return the entity of a row."""
    return members_of(AnomalyEntity, item)
