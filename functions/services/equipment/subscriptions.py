"""What equipment subscribes to: what was changed on the other side."""

from andon.views.row_write import Subscriptions
from services.equipment.crossing import CROSSING

ON: Subscriptions = {  # (source, type) -> what equipment keeps of it
    ("equipment2", "machine-created"): CROSSING,
    ("equipment2", "machine-updated"): CROSSING,
    ("equipment2", "machine-deleted"): CROSSING,
    ("equipment2", "machine-undeleted"): CROSSING,
}
