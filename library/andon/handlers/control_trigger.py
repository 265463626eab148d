"""a control service's table -> domain events, and decisions upon the events that were stored in it."""

from functools import partial

from andon.handlers.declared import Handler, load, of_environment
from andon.rules.control import control_changes


def handler_of(package: str) -> Handler:
    """Return the trigger of a service with rules: it handles a batch of the table's stream."""
    facts, control = load(package, "facts").FACTS, load(package, "control").CONTROL
    return partial(control_changes, facts=facts, control=control)


handler = of_environment(handler_of)
