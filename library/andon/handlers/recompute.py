"""recorded events -> drift of a view."""

from functools import partial

from andon.drift.recompute import recompute
from andon.handlers.declared import Handler, of_environment
from andon.handlers.declared_listener import listener_of
from andon.recorded.reader import Recorded


def handler_of(package: str) -> Handler:
    """Return the recomputation of a view: it handles a tick of the clock, or a batch that asks for more."""
    return partial(recompute, listener=listener_of(package), past=Recorded())


handler = of_environment(handler_of)
