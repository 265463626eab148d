"""Groups of the user pool, as a token's `cognito:groups` names them; routes are open to groups."""

from typing import Final

DEVICE: Final = "device"  # reports for itself: its user name is its equipment's id
GATEWAY: Final = "gateway"  # reports for the equipment of its factory: its user name is the factory's id
STATION: Final = "station"  # a screen at equipment, whose id is its user name: it sees that one, and calls for it
OPERATOR: Final = "operator"
SUPERVISOR: Final = "supervisor"
AUDITOR: Final = "auditor"
ANALYST: Final = "analyst"
PRIVACY: Final = "privacy"  # erases people
ADMIN: Final = "admin"

ALL: Final = (DEVICE, GATEWAY, STATION, OPERATOR, SUPERVISOR, AUDITOR, ANALYST, PRIVACY, ADMIN)

# An admin may call everything, so that ADMIN stands in each.
ADMINS: Final = frozenset({ADMIN})
PROGRAMS: Final = frozenset({DEVICE, GATEWAY})  # they report, and read nothing
READERS: Final = frozenset(ALL) - PROGRAMS - {STATION}
REPORTERS_FOR_ANY: Final = frozenset({OPERATOR, ADMIN})
STATE_REPORTERS: Final = REPORTERS_FOR_ANY | {DEVICE, GATEWAY}
EQUIPMENT_WRITERS: Final = frozenset({OPERATOR, ADMIN})
ASSIGNERS: Final = frozenset({SUPERVISOR, OPERATOR, ADMIN})
ESCALATORS: Final = frozenset({OPERATOR, SUPERVISOR, ADMIN})
ROSTER_KEEPERS: Final = frozenset({SUPERVISOR, ADMIN})
PEOPLE_KEEPERS: Final = frozenset({SUPERVISOR, ADMIN})
ERASERS: Final = frozenset({PRIVACY, ADMIN})
AUDITORS: Final = frozenset({AUDITOR, ADMIN})
PLANNERS: Final = frozenset({SUPERVISOR, ADMIN})
MAINTAINERS: Final = frozenset({OPERATOR, SUPERVISOR, ADMIN})
CALLERS_FOR_ANY: Final = frozenset({OPERATOR, SUPERVISOR, ADMIN})
CALLERS: Final = CALLERS_FOR_ANY | {STATION}
CALL_READERS: Final = READERS | {STATION}
STANDING_READERS: Final = READERS | {STATION}
ANSWERERS: Final = frozenset({OPERATOR, SUPERVISOR, ADMIN})
