"""Settings of the deployment: the views, their queues, the own queue, and how far the lake may be behind."""

import json
import os
from collections.abc import Mapping
from typing import Final

from andon.stores.replays.messages import Topics

QUEUE: Final = "REPLAYS_QUEUE_URL"
VIEWS: Final = "VIEWS"  # name -> topics, as JSON
SETTLES: Final = "LAKE_SETTLES_SECONDS"


def views() -> Mapping[str, Topics]:
    """Return the views and their topics."""
    found: Mapping[str, Topics] = json.loads(os.environ[VIEWS])
    return found


def queue_variable(view: str) -> str:
    """Return the environment variable with the address of a view's own queue."""
    return f"{view.upper()}_QUEUE_URL"


def queue_of(view: str) -> str:
    """Return the address of a view's own queue."""
    return os.environ[queue_variable(view)]


def settles_seconds() -> int:
    """Return the seconds after which the lake has an event that the bus takes now."""
    return int(os.environ[SETTLES])
