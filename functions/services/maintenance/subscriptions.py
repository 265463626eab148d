"""Subscriptions of maintenance: the factory of equipment."""

from andon.views.row_write import Subscriptions
from contract import factories
from services.maintenance.tables import KEYS, partition_of

ON: Subscriptions = {**factories.kept(KEYS, partition_of)}
