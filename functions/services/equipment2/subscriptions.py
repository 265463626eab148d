"""Subscriptions of equipment2: edits in equipment."""

from andon.views.view_update import Subscriptions
from services.equipment2.crossing import CROSSING

ON: Subscriptions = {  # (source, type) -> what equipment2 keeps of it
    ("equipment", "equipment-created"): CROSSING,
    ("equipment", "equipment-updated"): CROSSING,
    ("equipment", "equipment-deleted"): CROSSING,
    ("equipment", "equipment-undeleted"): CROSSING,
}
