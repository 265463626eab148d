"""replayed events of the archive -> expired rows of the service that owned them."""

from functools import partial

from andon.handlers.declared import Handler, of_environment
from andon.handlers.declared_listener import restorer_of
from andon.views.materialize import materialize


def handler_of(package: str) -> Handler:
    """Return the restorer of a service: it handles a batch of replayed messages."""
    return partial(materialize, listener=restorer_of(package))


handler = of_environment(handler_of)
