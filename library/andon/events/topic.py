"""Topics: a source and a type of event, as a package publishes or subscribes to it."""

from typing import Final

ANY: Final = "*"

Topic = tuple[str, str]
"""`(source, type)`; in a subscription either may be ANY."""


def is_included(published: Topic, subscribed: Topic) -> bool:
    """Return True if a subscription includes the events of a topic."""
    return all(ANY in pair or pair[0] == pair[1] for pair in zip(published, subscribed, strict=True))
