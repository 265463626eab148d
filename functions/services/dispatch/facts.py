"""The types of the facts that dispatch publishes."""

from typing import Final

OPERATOR_ASSIGNED: Final = "operator-assigned"
STATE_ESCALATED: Final = "state-escalated"
STATE_ACKNOWLEDGED: Final = "state-acknowledged"
EQUIPMENT_AT_RISK: Final = "equipment-at-risk"
EQUIPMENT_SILENT: Final = "equipment-silent"
EQUIPMENT_BACK: Final = "equipment-back"

TYPES: Final = frozenset(
    {OPERATOR_ASSIGNED, STATE_ESCALATED, STATE_ACKNOWLEDGED, EQUIPMENT_AT_RISK, EQUIPMENT_SILENT, EQUIPMENT_BACK}
)
