"""events that wake it -> messages to people."""

from functools import partial

from andon.handlers.declared import Handler, load, name_of, of_environment
from andon.outbound.sender import send_messages


def handler_of(package: str) -> Handler:
    """Return the sender of a service: it handles a batch of its own queue."""
    return partial(send_messages, gateway=load(package, "outbound").GATEWAY, service=name_of(package))


handler = of_environment(handler_of)
