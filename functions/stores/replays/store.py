"""Replays read the lake, and keep nothing there; they subscribe to nothing. See `tables.py` for what they keep."""

from contract import lake
from patterns.events.topic import Topic

BUCKET = lake.BUCKET
KEEPS_DAYS: int | None = None

SUBSCRIPTIONS: frozenset[Topic] = frozenset()
