"""Subscriptions of dispatch2: assignments by dispatch."""

from andon.views.row_write import Subscriptions
from services.dispatch2.crossing import CROSSING

ON: Subscriptions = {("dispatch", "operator-assigned"): CROSSING}  # (source, type) -> what dispatch2 keeps of it
