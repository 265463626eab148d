"""What a package publishes or subscribes to: a source and a type of event."""

from typing import Final

ANY: Final = "*"

Topic = tuple[str, str]
"""`(source, type)`; in a subscription either may be ANY."""


def matches(published: Topic, subscribed: Topic) -> bool:
    """Tell whether an event of one topic is among those of the other."""
    return all(ANY in pair or pair[0] == pair[1] for pair in zip(published, subscribed, strict=True))
