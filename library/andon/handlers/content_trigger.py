"""a table with contents -> domain events, and objects that nothing refers to are deleted."""

from functools import partial

from andon.content.changes import publish_and_release
from andon.handlers.declared import Handler, load, of_environment


def handler_of(package: str) -> Handler:
    """Return the trigger of a service that keeps contents: it handles a batch of the table's stream."""
    facts, contents = load(package, "facts").FACTS, load(package, "contents").CONTENTS
    return partial(publish_and_release, facts=facts, contents=contents)


handler = of_environment(handler_of)
