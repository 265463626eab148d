"""Settings of the deployment: the views, their queues, the own queue, and how far the lake may be behind."""

import os
from collections.abc import Mapping
from typing import Final

from andon.events import topic_table
from andon.stores.replays.messages import Topics
from andon.wire.queue import beside, name_of

QUEUE: Final = "REPLAYS_QUEUE_URL"
VIEWS: Final = "VIEWS"  # the topics of each, see `topic_table`
SETTLES: Final = "LAKE_SETTLES_SECONDS"


def views() -> Mapping[str, Topics]:
    """Return the views and their topics."""
    return topic_table.from_json(os.environ[VIEWS])


def queue_of(view: str) -> str:
    """Return the address of a view's own queue."""
    return beside(os.environ[QUEUE], name_of(view))


def settles_seconds() -> int:
    """Return the seconds after which the lake has an event that the bus takes now."""
    return int(os.environ[SETTLES])
