"""a service's table -> domain events."""

from functools import partial

from andon.events.publish_changes import publish_changes
from andon.handlers.declared import Handler, load, of_environment


def handler_of(package: str) -> Handler:
    """Return the trigger of a service without rules: it handles a batch of the table's stream."""
    return partial(publish_changes, facts=load(package, "facts").FACTS)


handler = of_environment(handler_of)
