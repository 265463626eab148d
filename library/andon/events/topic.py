"""Topics: a source and a type of event, as a package publishes or subscribes to it."""

import json
from collections.abc import Iterable, Mapping
from typing import Final

ANY: Final = "*"

Topic = tuple[str, str]
"""`(source, type)`; in a subscription either may be ANY."""


def is_included(published: Topic, subscribed: Topic) -> bool:
    """Return True if a subscription includes the events of a topic."""
    return all(ANY in pair or pair[0] == pair[1] for pair in zip(published, subscribed, strict=True))


# Topics by name as one short text, for an environment variable: a function's environment has 4 KB.
#
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html


def to_json(topics_of: Mapping[str, Iterable[Topic]]) -> str:
    """Write each topic once, and its number for each name that has it."""
    topics_by_name = {name: frozenset(topics) for name, topics in topics_of.items()}
    topics = sorted(frozenset[Topic]().union(*topics_by_name.values()))
    numbers = {name: sorted(map(topics.index, own)) for name, own in topics_by_name.items()}
    return json.dumps({"topics": topics, "of": numbers}, separators=(",", ":"))


def from_json(text: str) -> dict[str, list[list[str]]]:
    """Return the topics of each name: `[[source, type], …]`."""
    table = json.loads(text)
    return {name: [table["topics"][number] for number in numbers] for name, numbers in table["of"].items()}
