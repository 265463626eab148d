"""domain events -> the table of a view, or of a service that subscribes to them."""

from functools import partial

from andon.handlers.declared import Handler, of_environment
from andon.handlers.declared_listener import listener_of
from andon.views.materialize import materialize


def handler_of(package: str) -> Handler:
    """Return the listener of a package: it handles a batch of its queue."""
    return partial(materialize, listener=listener_of(package))


handler = of_environment(handler_of)
