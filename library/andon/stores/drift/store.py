"""Subscription, bucket and retention of the store of drift."""

from andon.events import drift
from andon.events.topic import ANY

BUCKET = "DRIFT_BUCKET"
KEEPS_DAYS = 365

# Of any view. The store publishes nothing, so that this is no loop.
SUBSCRIPTIONS = frozenset({(ANY, drift.TYPE)})

FOLDER = "drift"

QUEUE = "DRIFT_QUEUE_URL"  # the own one, beside which those of the views are
RECOMPUTED = "RECOMPUTED"  # the names of all views that can be compared, with commas
