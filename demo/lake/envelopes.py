"""The envelopes of made-up events, as EventBridge delivers them and as the lake keeps them, with both images."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, TypedDict

from andon.dynamodb.ttl import ttl_at
from andon.runtime import times
from contract import calls, logs
from contract.entities.alerts import HelpEntity
from contract.entities.calls import CallEntity, CauseEntity
from contract.entities.equipment import LocationEntity
from contract.entities.maintenance import OrderEntity
from contract.entities.telling import FailedEntity, TellingEntity, ToldEntity
from contract.orders import FINISHED, KEPT_DAYS, MOVED, ORDER_FACTS, PLANNED, STARTED, day_ms
from demo.people import OLGA

ACCOUNT: Final = "000000000000"
REGION: Final = "us-east-1"
SERVICE_OF: Final = {
    "state-reported": "equipment",
    "audit-recorded": "equipment",
    "equipment-created": "equipment",
    "equipment-updated": "equipment",
    "operator-assigned": "dispatch",
    "crew-assigned": "dispatch2",
    "state-acknowledged": "dispatch",
    "state-escalated": "dispatch",
    "equipment-at-risk": "dispatch",
    "help-requested": "dispatch",
    **dict.fromkeys(("person-told", "trouble-told", "delivery-failed"), "notify"),
    **dict.fromkeys(ORDER_FACTS, "maintenance"),
    **dict.fromkeys((*calls.CALL_FACTS.values(), calls.CAUSE_RECORDED), calls.SOURCE),
}

OF_STATUS: Final = {"started": STARTED, "finished": FINISHED}

Row = dict[str, Any]
"""A row's image; what it holds depends on its discriminator."""

LakeEnvelope = TypedDict(
    "LakeEnvelope",
    {
        "version": str,
        "id": str,
        "detail-type": str,
        "source": str,
        "account": str,
        "time": str,
        "region": str,
        "resources": list[str],
        "detail": dict[str, Any],
    },
)
"""EventBridge's envelope; `id` is the bus's, `time` has whole seconds, `detail` is the domain event."""


class ReportEntity(TypedDict):
    """A report that others speak of; `timestamp`: fixed-width UTC."""

    equipmentId: str
    state: str
    timestamp: str


class Writer:
    """Makes events of one machine; `rng` decides ids and how long the bus takes."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def reported(self, log: ReportEntity, *, actor: str, detail: str | None = None) -> LakeEnvelope:
        """Return the event of a report."""
        entity = {**log, "detail": detail} if detail else {**log}
        row = {
            "pk": f"Equipment#{log['equipmentId']}",
            "sk": log["timestamp"],
            "discriminator": "state",
            **entity,
            "reportedBy": actor,
            "ttl": _ttl_of(log),
        }
        return self._envelope("state-reported", times.to_ms(log["timestamp"]), actor, {"state": entity}, new=row)

    def assigned(
        self, log: ReportEntity, operator: str, *, at_ms: int, actor: str, old: Row | None = None
    ) -> LakeEnvelope:
        """Return the event that somebody deals with a log; `old`: the row that named somebody else."""
        return self._responsible("operator-assigned", "assignment", log, {"operator": operator}, at_ms, actor, old)

    def crewed(self, log: ReportEntity, lead: str, members: Sequence[str], *, at_ms: int, actor: str) -> LakeEnvelope:
        """Return the event that a crew deals with a log."""
        return self._responsible(
            "crew-assigned", "crew", log, {"lead": lead, "members": [*members]}, at_ms, actor, None
        )

    def escalated(
        self, log: ReportEntity, supervisor: str, *, at_ms: int, actor: str, triggers: Sequence[LakeEnvelope] = ()
    ) -> LakeEnvelope:
        """Return the event that a log was escalated; triggers: the reports that a rule decided it upon."""
        person = {"supervisor": supervisor}
        escalated = self._responsible("state-escalated", "escalation", log, person, at_ms, actor, None)
        if triggers:
            named = [{name: one["detail"][name] for name in ("id", "type", "timestamp")} for one in triggers]
            escalated["detail"]["raw"]["new"]["triggers"] = named
        return escalated

    def acknowledged(self, log: ReportEntity, *, at_ms: int, actor: str) -> LakeEnvelope:
        """Return the event that somebody has seen a log."""
        row = {
            **_row_key(log, "acknowledgement"),
            "discriminator": "acknowledgement",
            "equipmentId": log["equipmentId"],
            "state": log["state"],
            "logTimestamp": log["timestamp"],
            "timestamp": at_ms,
            "acknowledgedBy": actor,
            "ttl": _ttl_of(log),
        }
        entity = {**log, "acknowledgedBy": actor, "acknowledgedAt": times.to_utc(at_ms)}
        return self._envelope("state-acknowledged", at_ms, actor, {"acknowledgement": entity}, new=row)

    def at_risk(self, equipment_id: str, *, since: str, at_ms: int, reason: str) -> LakeEnvelope:
        """Return the event that a rule thinks a machine to be at risk."""
        entity = {"equipmentId": equipment_id, "since": since, "timestamp": times.to_utc(at_ms), "reason": reason}
        entity |= {"by": "rule", "rule": "at-risk"}
        row = {
            "pk": f"Equipment#{equipment_id}",
            "sk": f"decision#equipment-at-risk#{since}",
            **entity,
            "discriminator": "equipment-at-risk",
            "at": at_ms,
            "ttl": ttl_at(at_ms, logs.TTL_DAYS),
        }
        return self._envelope("equipment-at-risk", at_ms, "rule:at-risk", {"risk": entity}, new=row)

    def audited(self, equipment_id: str, *, revision: int, at_ms: int, actor: str) -> LakeEnvelope:
        """Return the event of an audit of a whole machine."""
        entity = {"equipmentId": equipment_id, "part": "_", "revision": revision, "result": "passed", "auditor": OLGA}
        row = {
            "pk": f"Equipment#{equipment_id}",
            "sk": "v0_Audit#_",
            **self._version(revision, at_ms, actor),
            "result": "passed",
            "auditor": OLGA,
            "discriminator": "audit",
            "equipmentId": equipment_id,
            "part": "_",
            "latest": revision,
        }
        return self._envelope("audit-recorded", at_ms, actor, {"audit": entity}, new=row)

    def ordered(self, order: OrderEntity, *, at_ms: int, actor: str, old: Row | None = None) -> LakeEnvelope:
        """Return the event of a version of an order; `old`: the row of the version before."""
        kind = (
            (PLANNED if order["version"] == 1 else MOVED)
            if order["status"] == "planned"
            else OF_STATUS[order["status"]]
        )
        row = {
            "pk": f"Equipment#{order['equipmentId']}",
            "sk": f"order#{order['date']}#{order['kind']}",
            **order,
            **self._version(order["version"], at_ms, actor),
            "discriminator": "order",
            "fence": order["version"],
            "ttl": ttl_at(day_ms(order["plannedFor"]), KEPT_DAYS),
        }
        before = {"before": {name: old[name] for name in ("factoryId", "plannedFor")}} if old else {}
        return self._envelope(kind, at_ms, actor, {"order": {**order, **before}}, new=row, old=old)

    def called(self, call: CallEntity, *, at_ms: int, actor: str) -> LakeEnvelope:
        """Return the event of a version of a call."""
        row = {"pk": f"Call#{call['id']}", "sk": "call", **call, **self._version(call["version"], at_ms, actor)}
        row |= {"discriminator": "call"}
        return self._envelope(calls.CALL_FACTS[call["status"]], at_ms, actor, {"call": {**call}}, new=row)

    def explained(self, cause: CauseEntity, *, at_ms: int, actor: str) -> LakeEnvelope:
        """Return the event that somebody said what the trouble was."""
        key = {"pk": f"Equipment#{cause['equipmentId']}", "sk": f"{cause['startedAt']}#cause"}
        row = {**key, **cause, **self._version(cause["version"], at_ms, actor), "discriminator": "cause"}
        return self._envelope(calls.CAUSE_RECORDED, at_ms, actor, {"cause": {**cause}}, new=row)

    def asked(self, request: HelpEntity, *, at_ms: int) -> LakeEnvelope:
        """Return the event that a chain asks somebody for help."""
        row = {**request, "equipmentId": request["about"]["equipmentId"], "discriminator": "help-requested"}
        return self._envelope("help-requested", at_ms, f"rule:{request['rule']}", {"help": {**request}}, new=row)

    def told(self, told: ToldEntity, *, at_ms: int) -> Iterator[LakeEnvelope]:
        """Yield the events that somebody was told: of the person, and of each machine that it was about."""
        row = {"id": told["person"], "discriminator": "delivery", "changed_ms": at_ms, **told}
        yield self._envelope("person-told", at_ms, "sender", {"told": {**told}}, new=row)
        for equipment_id in sorted({one["equipmentId"] for one in told["about"]}):
            own = [one for one in told["about"] if one["equipmentId"] == equipment_id]
            telling: TellingEntity = {
                "person": told["person"],
                "message": told["message"],
                "about": own,
                "of": told["of"],
                "equipmentId": equipment_id,
                "channel": told["channel"],
            }
            new = {**telling, "at": times.to_utc(at_ms), "discriminator": "telling"}
            yield self._envelope("trouble-told", at_ms, "sender", {"telling": {**telling}}, new=new)

    def untold(self, failure: FailedEntity, *, at_ms: int) -> LakeEnvelope:
        """Return the event that somebody was not told, or not by a channel."""
        row = {"id": failure["person"], "discriminator": "delivery", "changed_ms": at_ms, **failure}
        return self._envelope("delivery-failed", at_ms, "sender", {"failure": {**failure}}, new=row)

    def registered(
        self,
        equipment_id: str,
        *,
        factory: str,
        line: str,
        location: LocationEntity,
        at_ms: int,
        actor: str,
        old: Row | None = None,
    ) -> LakeEnvelope:
        """Return the event that a machine was registered, or with `old` that it has changed."""
        version = old["version"] + 1 if old else 1
        content = {"name": equipment_id.capitalize(), "factoryId": factory, "lineId": line, "location": location}
        row = {
            "pk": f"Equipment#{equipment_id}",
            "sk": "Metadata",
            **content,
            **self._version(version, at_ms, actor),
            "discriminator": "equipment",
            "id": equipment_id,
        }
        entity = {"equipment": {"id": equipment_id, "version": version, **content}}
        kind = "equipment-updated" if old else "equipment-created"
        return self._envelope(kind, at_ms, actor, entity, new=row, old=old)

    def _responsible(
        self,
        kind: str,
        entity_name: str,
        log: ReportEntity,
        person: Mapping[str, object],
        at_ms: int,
        actor: str,
        old: Row | None,
    ) -> LakeEnvelope:
        rule = {"by": "rule", "rule": actor.removeprefix("rule:")} if actor.startswith("rule:") else {}
        row = {
            **_row_key(log, entity_name),
            "equipmentId": log["equipmentId"],
            "state": log["state"],
            "logTimestamp": log["timestamp"],
            **person,
            **self._version(old["version"] + 1 if old else 1, at_ms, "rule" if rule else actor),
            "discriminator": entity_name,
            "ttl": _ttl_of(log),
            **rule,
        }
        return self._envelope(kind, at_ms, actor, {entity_name: {**log, **person, **rule}}, new=row, old=old)

    def _hex(self, digits: int) -> str:
        return f"{self._rng.getrandbits(4 * digits):0{digits}x}"

    def _version(self, version: int, at_ms: int, actor: str) -> Row:
        return {
            "version": version,
            "timestamp": at_ms,
            "changedBy": actor,
            "fingerprint": self._hex(64),
            "digest": self._hex(64),
            "since": 1,
        }

    def _envelope(
        self, kind: str, at_ms: int, actor: str, entity: Mapping[str, Any], *, new: Row, old: Row | None = None
    ) -> LakeEnvelope:
        service = SERVICE_OF[kind]
        detail = {
            "id": self._hex(32),
            "type": kind,
            "timestamp": at_ms,
            "partitionKey": new.get("equipmentId", new.get("id")),
            "tags": {
                "account": ACCOUNT,
                "region": REGION,
                "stage": "local",
                "source": service,
                "functionname": f"{service}-trigger",
                "pipeline": f"{service}.trigger",
                "actor": actor,
            },
            **entity,
            "raw": {"new": new, "old": old},
        }
        bus_ms = at_ms + self._rng.randrange(150, 2500)
        return {
            "version": "0",
            "id": bus_id(self._rng),
            "detail-type": kind,
            "source": service,
            "account": ACCOUNT,
            "time": bus_time(bus_ms),
            "region": REGION,
            "resources": [],
            "detail": detail,
        }


def bus_id(rng: Random) -> str:
    """Return an id as the bus gives to what it takes."""
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def bus_time(ms: int) -> str:
    """Return a time as EventBridge writes it: `2026-11-21T09:35:00Z`."""
    return f"{times.to_utc(ms)[:19]}Z"


def _row_key(log: ReportEntity, discriminator: str) -> Row:
    return {"pk": f"Equipment#{log['equipmentId']}", "sk": f"{log['state']}#{log['timestamp']}#{discriminator}"}


def _ttl_of(log: ReportEntity) -> int:
    return ttl_at(times.to_ms(log["timestamp"]), logs.TTL_DAYS)
