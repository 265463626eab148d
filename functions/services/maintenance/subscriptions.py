"""Subscriptions of maintenance: the factory and the company of equipment."""

from andon.views.view_update import Subscriptions
from contract.factory_subscriptions import kept
from services.maintenance.tables import KEYS, partition_of

ON: Subscriptions = {**kept(KEYS, partition_of, ("factoryId", "company"))}
