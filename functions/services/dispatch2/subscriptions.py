"""Subscriptions of dispatch2: assignments by dispatch, factories of people."""

from andon.views.view_update import Subscriptions
from contract import directory
from services.dispatch2.crossing import CROSSING
from services.dispatch2.tables import KEYS

ON: Subscriptions = {  # (source, type) -> what dispatch2 keeps of it
    ("dispatch", "operator-assigned"): CROSSING,
    **directory.kept(KEYS),
}
