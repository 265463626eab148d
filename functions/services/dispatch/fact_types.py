"""The types of the facts that dispatch publishes, and the names of their entities."""

from typing import Final

SOURCE: Final = "dispatch"

OPERATOR_ASSIGNED: Final = "operator-assigned"
STATE_ESCALATED: Final = "state-escalated"
STATE_ACKNOWLEDGED: Final = "state-acknowledged"
ROSTER_CHANGED: Final = "roster-changed"
CHAIN_SET: Final = "chain-set"
EQUIPMENT_AT_RISK: Final = "equipment-at-risk"
EQUIPMENT_SILENT: Final = "equipment-silent"
EQUIPMENT_BACK: Final = "equipment-back"
TROUBLE_OPENED: Final = "trouble-opened"
TROUBLE_ENDED: Final = "trouble-ended"
HELP_REQUESTED: Final = "help-requested"
NOBODY_FOUND: Final = "nobody-found"

ENTITY_OF: Final = {  # type -> the name of its entity: an event may have other members beside it
    OPERATOR_ASSIGNED: "assignment",
    STATE_ESCALATED: "escalation",
    STATE_ACKNOWLEDGED: "acknowledgement",
    EQUIPMENT_AT_RISK: "risk",
    EQUIPMENT_SILENT: "silence",
    EQUIPMENT_BACK: "silence",
    TROUBLE_OPENED: "trouble",
    HELP_REQUESTED: "help",
    NOBODY_FOUND: "nobody",
}
