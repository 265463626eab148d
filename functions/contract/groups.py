"""Who may do what: groups of the user pool, as they stand in a token's `cognito:groups`."""

from typing import Final

DEVICE: Final = "device"
OPERATOR: Final = "operator"
SUPERVISOR: Final = "supervisor"
AUDITOR: Final = "auditor"
ANALYST: Final = "analyst"
ADMIN: Final = "admin"

ALL: Final = (DEVICE, OPERATOR, SUPERVISOR, AUDITOR, ANALYST, ADMIN)

# An admin may call everything, so that ADMIN stands in each.
ADMINS: Final = frozenset({ADMIN})
READERS: Final = frozenset(ALL) - {DEVICE}
STATE_REPORTERS: Final = frozenset({DEVICE, OPERATOR, ADMIN})
EQUIPMENT_WRITERS: Final = frozenset({OPERATOR, ADMIN})
ASSIGNERS: Final = frozenset({SUPERVISOR, OPERATOR, ADMIN})
ESCALATORS: Final = frozenset({OPERATOR, SUPERVISOR, ADMIN})
ROSTER_KEEPERS: Final = frozenset({SUPERVISOR, ADMIN})
AUDITORS: Final = frozenset({AUDITOR, ADMIN})
