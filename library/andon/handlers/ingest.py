"""messages of things -> events."""

from functools import partial

from andon.handlers.declared import Handler, load, name_of, of_environment
from andon.ingress.ingest import ingest


def handler_of(package: str) -> Handler:
    """Return the ingest function of a service: it handles a batch of its own queue."""
    return partial(ingest, service=name_of(package), ingress=load(package, "ingress").INGRESS)


handler = of_environment(handler_of)
