"""Subscriptions of equipment: edits in equipment2."""

from andon.views.view_update import Subscriptions
from services.equipment.crossing import CROSSING

ON: Subscriptions = {  # (source, type) -> what equipment keeps of it
    ("equipment2", "machine-created"): CROSSING,
    ("equipment2", "machine-updated"): CROSSING,
    ("equipment2", "machine-deleted"): CROSSING,
    ("equipment2", "machine-undeleted"): CROSSING,
}
