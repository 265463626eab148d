"""What events looked like before, and how they read today; samples stay under `events/domain/<type>.v<n>.json`."""

from collections.abc import Mapping
from typing import Any

from contract import times


def state_reported_v0(entities: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read a state that named its equipment `deviceId`, and wrote its time without milliseconds.

    Raises:
        ValueError: the time is none.

    """
    state = entities.get("state")
    if not isinstance(state, dict) or "deviceId" not in state or not isinstance(state.get("timestamp"), str):
        return entities
    others = {name: value for name, value in state.items() if name != "deviceId"}
    newer = {"equipmentId": state["deviceId"], **others, "timestamp": times.normalised(state["timestamp"])}
    return {**entities, "state": newer}
