"""events that wake it -> messages to people."""

from functools import partial

from andon.handlers.declared import Handler, load, of_environment
from andon.outbound.sender import send_messages


def handler_of(package: str) -> Handler:
    """Return the sender of a service: it handles a batch of its own queue."""
    return partial(send_messages, gateway=load(package, "outbound").GATEWAY)


handler = of_environment(handler_of)
