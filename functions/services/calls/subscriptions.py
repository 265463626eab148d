"""Subscriptions of calls: where equipment is."""

from andon.views.row_write import Subscriptions
from contract import factories
from services.calls.tables import KEYS, partition_of

ON: Subscriptions = {**factories.kept(KEYS, partition_of, factories.WHEREABOUTS)}
