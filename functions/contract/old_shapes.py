"""Upcasters: events in older shapes -> the shape of today; samples stay under `events/domain/<type>.v<n>.json`."""

from andon.runtime import times
from andon.runtime.json_types import JsonMapping


def state_reported_v0(entities: JsonMapping) -> JsonMapping:
    """Return today's shape of a state that named its equipment `deviceId` and had a time without milliseconds.

    Raises:
        ValueError: the time is not a time.

    """
    state = entities.get("state")
    if not isinstance(state, dict) or "deviceId" not in state or not isinstance(state.get("timestamp"), str):
        return entities
    others = {name: value for name, value in state.items() if name != "deviceId"}
    current = {"equipmentId": state["deviceId"], **others, "timestamp": times.normalised(state["timestamp"])}
    return {**entities, "state": current}
