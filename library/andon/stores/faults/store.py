"""Subscription, bucket and retention of the fault store."""

from andon.events import fault
from andon.events.topic import ANY

BUCKET = "FAULTS_BUCKET"
KEEPS_DAYS = 365

# Whoever publishes anything may publish a fault. The store itself publishes none, so that this is no loop.
SUBSCRIPTIONS = frozenset({(ANY, fault.TYPE)})

# Folders of the bucket. The first holds the faults, in one folder for each day, so that one request lists all days.
# The second holds the claims: that a fault of an id has come. See objects.py.
FAULTS, IDS = "faults", "ids"


def queue_variable(consumer: str) -> str:
    """Name of the environment variable with the address of the queue that feeds a service or a view."""
    return f"{consumer.upper()}_QUEUE_URL"
