"""Bucket and settings of replays: they read the lake, and subscribe to nothing. Their rows: see `tables.py`."""

from typing import Final

from andon.events.topic import Topic
from andon.recorded import lake

BUCKET = lake.BUCKET
KEEPS_DAYS: int | None = None

SUBSCRIPTIONS: frozenset[Topic] = frozenset()

QUEUE: Final = "REPLAYS_QUEUE_URL"  # the own one, beside which those of the views are
VIEWS: Final = "VIEWS"  # the topics of each, see `andon.events.topic`
SETTLES: Final = "LAKE_SETTLES_SECONDS"  # so far the lake may be behind the bus
