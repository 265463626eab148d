"""The expected rows of the views, as a plain function of the received messages: nothing is locked or compacted."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from andon.runtime import times

LOG_DAYS: Final = 33
SKELETON_MS: Final = LOG_DAYS * 86_400_000

# The entity in an event of each type, and how a log calls what the event says of it.
ON_LOG: Final = {
    "state-reported": ("state", {"detail": "detail"}),
    "operator-assigned": ("assignment", {"operator": "operator"}),
    "state-escalated": ("escalation", {"supervisor": "escalatedTo"}),
}

Log = tuple[str, str, str]
"""Equipment, state, time."""
Order = tuple[int, str]


@dataclass(slots=True)
class LogModel:
    """One log: what each type of event says of it, and until when it is kept.

    is_uncertain: it expired before the last event came; whether its old fields are gone depends on the TTL service.
    """

    says: dict[str, tuple[Order, dict[str, Any]]] = field(default_factory=dict)
    ttl: int = 0
    is_uncertain: bool = False

    def shown(self) -> dict[str, Any]:
        """Return the members that a response has beside the log's name."""
        return {name: value for _, said in self.says.values() for name, value in said.items() if value is not None}


@dataclass(slots=True)
class MachineModel:
    """One piece of equipment on the board: its newest metadata, and the newest report of each state.

    heard_ms: when the board last got a message about it. is_uncertain: it was unknown for so long that the board may
    have forgotten its row, or not yet.
    """

    metadata: tuple[Order, dict[str, Any]] | None = None
    seen: dict[str, tuple[Order, str]] = field(default_factory=dict)
    heard_ms: int | None = None
    is_uncertain: bool = False

    def grow_old(self, now_ms: int) -> None:
        """Let time pass: what nobody registered expires so long after its last write."""
        if self.metadata is None and self.heard_ms is not None and now_ms - self.heard_ms >= SKELETON_MS:
            self.is_uncertain = True

    def shown(self) -> dict[str, Any] | None:
        """Return some members of the response; None if it was deleted."""
        entity = self.metadata[1] if self.metadata else {}
        if entity.get("deleted"):
            return None
        newest = sorted((time, state) for state, (_, time) in self.seen.items())
        return {
            "name": entity.get("name"),
            "location": entity.get("location"),
            "state": newest[-1][1] if newest else None,
            "stateSince": newest[-2][0] if len(newest) > 1 else None,
        }


class Model:
    """Both views; `deliver` takes each message as often as the view gets it."""

    def __init__(self) -> None:
        self.logs: dict[Log, LogModel] = defaultdict(LogModel)
        self.machines: dict[str, MachineModel] = defaultdict(MachineModel)

    def deliver(self, view: str, envelope: Mapping[str, Any], now_ms: int) -> None:
        """Take a message that a view can use."""
        event = envelope["detail"]
        order = (event["timestamp"], event["id"])
        if view == "state_log":
            self._to_log(event, order, now_ms)
        elif view == "board":
            self._to_board(event, order, now_ms)

    def _to_log(self, event: Mapping[str, Any], order: Order, now_ms: int) -> None:
        entity_name, members = ON_LOG[event["type"]]
        entity, ttl = _today(event[entity_name]), event["timestamp"] // 1000 + LOG_DAYS * 86_400
        if ttl <= now_ms // 1000:
            return
        log = self.logs[entity["equipmentId"], entity["state"], entity["timestamp"]]
        log.is_uncertain |= bool(log.says) and log.ttl <= now_ms // 1000
        log.ttl = max(log.ttl, ttl)
        said = {shown: entity.get(member) for member, shown in members.items()}
        if entity_name not in log.says or log.says[entity_name][0] < order:
            log.says[entity_name] = order, said

    def _to_board(self, event: Mapping[str, Any], order: Order, now_ms: int) -> None:
        if event["type"].startswith("equipment-") and "equipment" in event:
            machine = self._machine(event["equipment"]["id"], now_ms)
            if machine.metadata is None or machine.metadata[0] < order:
                machine.metadata = order, event["equipment"]
            return
        entity_of_type = {"state-reported": "state", "audit-recorded": "audit"}
        entities = [event[name] for name in (*entity_of_type.values(), *OTHERS) if name in event]
        [entity] = map(_today, entities)
        machine = self._machine(entity["equipmentId"], now_ms)
        if event["type"] == "state-reported":
            state = entity["state"]
            if state not in machine.seen or machine.seen[state][0] < order:
                machine.seen[state] = order, entity["timestamp"]

    def _machine(self, machine_id: str, now_ms: int) -> MachineModel:
        machine = self.machines[machine_id]
        machine.grow_old(now_ms)
        machine.heard_ms = now_ms
        return machine


OTHERS: Final = ("assignment", "escalation", "acknowledgement", "risk", "silence")


def _today(entity: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entity of an older shape as today's."""
    if "deviceId" not in entity:
        return dict(entity)
    return {**entity, "equipmentId": entity["deviceId"], "timestamp": times.normalised(entity["timestamp"])}
