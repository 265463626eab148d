"""Subscription, bucket and retention of the lake."""

from andon.events.topic import ANY
from andon.recorded import lake

BUCKET = lake.BUCKET
KEEPS_DAYS: int | None = None  # for ever: what a view forgot is read here

# Everything, faults included. The lake publishes nothing, so that this is no loop.
SUBSCRIPTIONS = frozenset({(ANY, ANY)})
