"""Subscription, bucket and retention of the fault store."""

from andon.events import fault
from andon.events.topic import ANY

BUCKET = "FAULTS_BUCKET"
KEEPS_DAYS = 365

# Whoever publishes anything may publish a fault. The store itself publishes none, so that this is no loop.
SUBSCRIPTIONS = frozenset({(ANY, fault.TYPE)})

# Folders of the bucket. The first holds the faults, in one folder for each day, so that one request lists all days.
# The second holds the claims, see `record.py`.
FAULTS, IDS = "faults", "ids"

QUEUE = "FAULTS_QUEUE_URL"  # the own one, beside which those of the readers are
QUEUES = "QUEUES"  # the names of all queues that a message can be put back on, with commas
