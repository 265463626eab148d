"""Updates of board by event: location and state of equipment, and the response to its trouble. Pure."""

from collections.abc import Callable, Mapping

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Index, Keys
from andon.events.domain_event import DomainEvent, Entity
from andon.events.upcast import Upcasters
from andon.runtime import times
from andon.runtime.json_types import JsonObject
from andon.views.oplocked_fields import Anchor, OplockFamily, origin_of_entity
from andon.views.view_update import On, ViewUpdate
from contract import calls, logs, names, old_shapes, orders, people
from contract.entities.equipment import LocationEntity
from contract.levels import NOT_SAID
from contract.locations import board_sort_key, levels_in, location_by, part
from views.board.row import (
    CALL,
    KEPT,
    NOBODY,
    SEEN,
    TOLD,
    BoardFields,
    LastAnomaly,
    LastAudit,
    LatestTelling,
    Untold,
    expected,
    open_call,
)

# Slow data: one row per piece of equipment, needed as long as the factory has a line; tombstones stay, too.
TTL_DAYS = None

# What nobody registered is kept as long as a log: its registration may be on its way.
ANCHOR = Anchor(oplock="equipment", skeleton_days=logs.TTL_DAYS)

# Who reports chooses the name. The answer needs the newest two, and the newest NORMAL.
REPORTS = OplockFamily(prefix=SEEN, most=16, always=frozenset({f"{SEEN}{names.NORMAL}"}))

# One call of a category is open at a time, and a catalog has twelve; those that ended leave their oplocks.
CALLS = OplockFamily(prefix=CALL, most=24)

NOBODY_TOLD = OplockFamily(prefix=NOBODY, most=24)

# Those who were told last; a chain asks few.
TELLINGS = OplockFamily(prefix=TOLD, most=6)

KEYS = Keys("EquipmentID", one_partition_per="entity")
BY_LOCATION = Keys("Company", "Location", one_partition_per="tenant")
BY_FACTORY = Keys("FactoryID", "Location", one_partition_per="tenant")

TABLE = Table("BOARD_TABLE", KEYS)
STEADY = True

# Keys only: a company has one partition, which takes 1,000 writes a second. Reports change no key, so that they write
# nothing to them, however many machines there are.
INDEXES = {"ByPlace": Index(BY_LOCATION, projects=()), "ByFactory": Index(BY_FACTORY, projects=())}

# The lists read the rows of the places that their indexes, keys only, name.
GRANTS = {
    "query": {
        "BOARD_TABLE": ("BatchGetItem", "GetItem"),
        "BOARD_TABLE/ByPlace": ("Query",),
        "BOARD_TABLE/ByFactory": ("Query",),
    }
}

SILENCE = "silence"  # the oplock of going silent and of coming back
CONNECTION = "connection"  # that of the broker's losing it and having it back


def on_equipment_changed(event: DomainEvent) -> ViewUpdate:
    """Keep its name, line and place; a deletion keeps the row, as a tombstone without the keys of the index."""
    return _registration(event.entity("equipment"), _place_of_equipment, origin="equipment")


def on_machine_changed(event: DomainEvent) -> ViewUpdate:
    """Keep the same of it, with its place as the seven fields of the index say it."""
    return _registration(event.entity("machine"), _place_of_machine, origin="equipment2")


def on_state_reported(event: DomainEvent) -> ViewUpdate:
    """Keep the time of the newest report of each state; since when the current one lasts is derived on read."""
    report = event.entity("state")
    attribute, time = f"{SEEN}{names.state(report.text('state'))}", _time(event, report)
    return _update(report.text("equipmentId"), attribute, {attribute: time}, family=REPORTS)


def on_audit_recorded(event: DomainEvent) -> ViewUpdate:
    """Keep the last audit of any part."""
    audit = event.entity("audit")
    last: LastAudit = {
        "part": audit.text("part"),
        "result": audit.text("result"),
        "revision": audit.whole_number("revision"),
        "timestamp": times.to_utc(event.timestamp_ms),
    }
    of_part = origin_of_entity(audit.text("part"))  # two parts may be audited in one millisecond
    return _update(audit.text("equipmentId"), "audited", {"LastAudit": last}, origin=of_part)


def on_operator_assigned(event: DomainEvent) -> ViewUpdate:
    """Keep the operator of the newest log, and the log's time."""
    assignment = event.entity("assignment")
    log = _time(event, assignment)
    fields: BoardFields = {"Operator": assignment.text("operator"), "AssignedTo": log}
    return _update_about(log, assignment, "assigned", fields, origin="dispatch")


def on_crew_assigned(event: DomainEvent) -> ViewUpdate:
    """Keep the lead of the newest log's crew, as its operator."""
    crew = event.entity("crew")
    log = _time(event, crew)
    fields: BoardFields = {"Operator": crew.text("lead"), "AssignedTo": log}
    return _update_about(log, crew, "assigned", fields, origin="dispatch2")


def on_state_escalated(event: DomainEvent) -> ViewUpdate:
    """Keep the supervisor that the newest log was escalated to, and the log's time."""
    escalation = event.entity("escalation")
    log = _time(event, escalation)
    fields: BoardFields = {"EscalatedTo": escalation.text("supervisor"), "EscalatedLog": log}
    return _update_about(log, escalation, "escalated", fields)


def on_state_acknowledged(event: DomainEvent) -> ViewUpdate:
    """Keep the acknowledger of the newest log, and the log's time."""
    acknowledgement = event.entity("acknowledgement")
    log = _time(event, acknowledgement)
    fields: BoardFields = {
        "AcknowledgedBy": acknowledgement.text("acknowledgedBy"),
        "AcknowledgedLog": log,
    }
    return _update_about(log, acknowledgement, "acknowledged", fields)


def on_equipment_at_risk(event: DomainEvent) -> ViewUpdate:
    """Keep why it was at risk in the newest episode, and when that began."""
    risk = event.entity("risk")
    since = _time(event, risk, "since")
    fields: BoardFields = {"Risk": {"since": since, "reason": risk.text("reason")}, "RiskSince": since}
    return _update_about(since, risk, "at-risk", fields)


def on_equipment_silent(event: DomainEvent) -> ViewUpdate:
    """Keep the time of its last report."""
    silence = event.entity("silence")
    return _update(silence.text("equipmentId"), SILENCE, {"SilentSince": _time(event, silence, "since")})


def on_equipment_back(event: DomainEvent) -> ViewUpdate:
    """Remove the silence."""
    return _update(event.entity("silence").text("equipmentId"), SILENCE, {"SilentSince": None})


def on_connection_lost(event: DomainEvent) -> ViewUpdate:
    """Keep since when it is not connected to the broker."""
    connection = event.entity("connection")
    fields: BoardFields = {"DisconnectedSince": _time(event, connection, "since")}
    return _update(connection.text("equipmentId"), CONNECTION, fields)


def on_connection_back(event: DomainEvent) -> ViewUpdate:
    """Remove that."""
    return _update(event.entity("connection").text("equipmentId"), CONNECTION, {"DisconnectedSince": None})


def on_nobody_found(event: DomainEvent) -> ViewUpdate:
    """Keep the time of the newest log for which nobody was on duty, or since when it was silent then; or the call."""
    nobody = event.entity("nobody")
    since, about = _time(event, nobody, "since"), _object(nobody, "about")
    if (call_id := about.optional_text("callId")) is None:
        return _update_about(since, about, "nobody", {"NobodyTold": since})
    attribute = f"{NOBODY}{names.call_name(nobody.text('what'))}"
    fields = {attribute: Untold(id=call_id, since=since)}
    return _update(about.text("equipmentId"), attribute, fields, about_ms=times.to_ms(since), family=NOBODY_TOLD)


def on_trouble_told(event: DomainEvent) -> ViewUpdate:
    """Keep the last message to a person about it, and which of its logs and calls that was about."""
    telling = event.entity("telling")
    about = [Entity("telling.about", one) for one in _objects(telling, "about")]
    told: LatestTelling = {
        "person": telling.text("person"),
        "channel": telling.text("channel"),
        "at": times.to_utc(event.timestamp_ms),
        "calls": [one.text("callId") for one in about if "callId" in one.fields],
    }
    if found := [_time(event, one) for one in about if "callId" not in one.fields]:
        told["log"] = max(found)
    attribute = f"{TOLD}{people.person_id(told['person'])}"
    return _update(telling.text("equipmentId"), attribute, {attribute: told}, family=TELLINGS)


def on_upkeep_changed(event: DomainEvent) -> ViewUpdate:
    """Keep the orders that are under way, and the next one."""
    upkeep = event.entity("upkeep")
    under_way = [orders.open_order(Entity("upkeep.underWay", one)) for one in _objects(upkeep, "underWay")]
    coming = upkeep.get("next")
    fields: BoardFields = {
        "UnderWay": under_way or None,
        "NextOrder": None if coming is None else orders.open_order(_object(upkeep, "next")),
    }
    return _update(upkeep.text("equipmentId"), "upkeep", fields)


def on_maintenance_overdue(event: DomainEvent) -> ViewUpdate:
    """Keep the latest day with an unfinished order; orders that are open since then, or before, are overdue."""
    overdue = event.entity("overdue")
    return _update(overdue.text("equipmentId"), "overdue", {"OverdueDay": overdue.text("plannedFor")})


def on_call_changed(event: DomainEvent) -> ViewUpdate:
    """Keep the open call of its category; one that ended is none."""
    call = calls.call_in(event)
    attribute = f"{CALL}{names.call_name(call.text('category'))}"
    fields = {attribute: open_call(call) if call.text("status") in calls.OPEN else None}
    of_call = origin_of_entity(call.text("id"))
    return _update(call.text("equipmentId"), attribute, fields, family=CALLS, origin=of_call)


def on_cause_recorded(event: DomainEvent) -> ViewUpdate:
    """Keep the cause of the newest episode that has one."""
    cause = event.entity("cause")
    started_at = _time(event, cause, "startedAt")
    fields: BoardFields = {"Cause": {"startedAt": started_at, "cause": cause.text("cause")}}
    return _update_about(started_at, cause, "cause", fields)


def on_anomaly_detected(event: DomainEvent) -> ViewUpdate:
    """Keep the newest anomaly."""
    anomaly = event.entity("anomaly")
    log = _time(event, anomaly)
    last: LastAnomaly = {
        "kind": anomaly.text("kind"),
        "state": names.state(anomaly.text("state")),
        "timestamp": log,
        "unit": anomaly.text("unit"),
        "expected": expected(_object(anomaly, "expected")),
        "seen": anomaly.number("seen"),
        "model": anomaly.text("model"),
    }
    return _update_about(log, anomaly, "anomaly", {"LastAnomaly": last})


def _object(entity: Entity, field_name: str) -> Entity:
    fields = entity.get(field_name)
    if not isinstance(fields, dict):
        raise TypeError(f"{entity.name}.{field_name} must be an object")
    return Entity(f"{entity.name}.{field_name}", fields)


def _objects(entity: Entity, field_name: str) -> list[JsonObject]:
    found = entity.get(field_name)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise TypeError(f"{entity.name}.{field_name} must be a list of objects")
    return found


def _registration(equipment: Entity, place_of: Callable[[Entity], LocationEntity], *, origin: str) -> ViewUpdate:
    """Return the update for equipment by an event of either service, in the order of their edits."""

    def place() -> BoardFields:
        where = place_of(equipment)
        return {
            "Place": where,
            "Company": where["company"],
            "OwnedSince": _owned_since(equipment),
            "Location": board_sort_key(where, equipment.text("id")),
        }

    return _update(equipment.text("id"), ANCHOR.oplock, KEPT.of(equipment, place), origin=origin)


def _owned_since(equipment: Entity) -> str | None:
    since = equipment.optional_text("ownedSince")
    return None if since is None else times.require_fixed(since)


def _place_of_equipment(equipment: Entity) -> LocationEntity:
    location = _object(equipment, "location").fields
    return location_by(lambda field: part(location[field]))


def _place_of_machine(machine: Entity) -> LocationEntity:
    names = {level["level"]: level["name"] for level in levels_in(machine)}
    return location_by(lambda field: part(names.get(field, NOT_SAID)))


def _time(event: DomainEvent, entity: Entity, field_name: str = "timestamp") -> str:
    return times.require_known(entity.text(field_name), at_ms=event.timestamp_ms)


def _update(
    equipment_id: str,
    oplock: str,
    fields: Mapping[str, object],
    *,
    about_ms: int | None = None,
    family: OplockFamily | None = None,
    origin: str = "",
) -> ViewUpdate:
    return ViewUpdate(
        key=KEYS.of(equipment_id),
        fields=fields,
        oplock=oplock,
        about_ms=about_ms,
        family=family,
        anchor=ANCHOR,
        origin=origin,
    )


def _update_about(time: str, entity: Entity, oplock: str, fields: BoardFields, *, origin: str = "") -> ViewUpdate:
    """Return an update ordered by the time of its log: one about an older log never replaces one about a newer log."""
    return _update(entity.text("equipmentId"), oplock, fields, about_ms=times.to_ms(time), origin=origin)


ON: On = {  # (source, type) -> what the view keeps of it
    ("equipment", "equipment-created"): on_equipment_changed,
    ("equipment", "equipment-updated"): on_equipment_changed,
    ("equipment", "equipment-deleted"): on_equipment_changed,
    ("equipment", "equipment-undeleted"): on_equipment_changed,
    ("equipment2", "machine-created"): on_machine_changed,
    ("equipment2", "machine-updated"): on_machine_changed,
    ("equipment2", "machine-deleted"): on_machine_changed,
    ("equipment2", "machine-undeleted"): on_machine_changed,
    ("equipment", "state-reported"): on_state_reported,
    ("equipment", "audit-recorded"): on_audit_recorded,
    ("equipment", "connection-lost"): on_connection_lost,
    ("equipment", "connection-back"): on_connection_back,
    ("dispatch", "operator-assigned"): on_operator_assigned,
    ("dispatch2", "crew-assigned"): on_crew_assigned,
    ("dispatch", "state-escalated"): on_state_escalated,
    ("dispatch", "state-acknowledged"): on_state_acknowledged,
    ("dispatch", "equipment-at-risk"): on_equipment_at_risk,
    ("dispatch", "equipment-silent"): on_equipment_silent,
    ("dispatch", "equipment-back"): on_equipment_back,
    ("dispatch", "nobody-found"): on_nobody_found,
    ("notify", "trouble-told"): on_trouble_told,
    ("anomalies", "anomaly-detected"): on_anomaly_detected,
    ("planning", "upkeep-changed"): on_upkeep_changed,
    ("planning", "maintenance-overdue"): on_maintenance_overdue,
    **dict.fromkeys(calls.TOPICS, on_call_changed),
    ("calls", "cause-recorded"): on_cause_recorded,
}

UPCASTERS: Upcasters = {  # (source, type) -> the steps from its oldest shape to today's
    ("equipment", "state-reported"): (old_shapes.state_reported_v0,),
}
