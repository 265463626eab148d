"""Subscriptions of calls: where equipment is."""

from andon.views.view_update import Subscriptions
from contract.factory_subscriptions import WHEREABOUTS, kept
from services.calls.tables import KEYS, partition_of

ON: Subscriptions = {**kept(KEYS, partition_of, WHEREABOUTS)}
