"""Replays read the lake, and keep nothing there; they subscribe to nothing. See `tables.py` for what they keep."""

from andon.events.topic import Topic
from andon.recorded import lake

BUCKET = lake.BUCKET
KEEPS_DAYS: int | None = None

SUBSCRIPTIONS: frozenset[Topic] = frozenset()
