"""Names on the broker of an account, which all its deployments share: things, topics, rules and policies. Pure.

A thing's name is its client id, too: `<deployment>:<name>`. It publishes to `<deployment>/<kind>/<thing>/<last>`, which
one rule and one policy for each kind know.
"""

import re
from typing import Final, NamedTuple

ROOT: Final = "THINGS_ROOT"
"""Environment variable with the deployment."""

SEPARATOR: Final = ":"
_BASIC_INGEST: Final = "$aws/rules/"
LEVELS: Final = 4

# https://docs.aws.amazon.com/iot/latest/apireference/API_CreateThing.html
_PATTERN: Final = "[A-Za-z0-9:_-]{1,128}"
_THING: Final = re.compile(_PATTERN)


class Kind(NamedTuple):
    """A kind of things, and the last level of its topics."""

    name: str
    last: str


def thing_of(root: str, name: str) -> str:
    """Return the name of a thing of a deployment.

    Raises:
        ValueError: AWS IoT takes no such name.

    """
    thing = f"{root}{SEPARATOR}{name}"
    if not name or not _THING.fullmatch(thing):
        raise ValueError(f"{thing!r} is no name of a thing: that is {_PATTERN}")
    return thing


def name_in(root: str, thing: str) -> str | None:
    """Return the name within a thing's; None: the thing is of another deployment, or of none."""
    own, separator, name = thing.partition(SEPARATOR)
    return name if own == root and separator and name and _THING.fullmatch(thing) else None


def topic_of(root: str, kind: Kind, thing: str) -> str:
    """Return the topic to which a thing publishes; `+` or a policy's variable may stand for the thing."""
    return f"{root}/{kind.name}/{thing}/{kind.last}"


def rule_of(root: str, kind: Kind) -> str:
    """Return the name of the rule of a kind, and of its policy."""
    return rule_named(root, kind.name)


def rule_named(root: str, name: str) -> str:
    """Return the name of a rule of a deployment: rules have no hyphens."""
    return f"{root}_{name}".replace("-", "_")


def basic_ingest(rule: str, topic: str) -> str:
    """Return the topic by which a message goes to a rule past the broker, which then costs nothing.

    https://docs.aws.amazon.com/iot/latest/developerguide/iot-basic-ingest.html
    """
    return f"{_BASIC_INGEST}{rule}/{topic}"


def without_rule(topic: str) -> str:
    """Return a topic without the prefix of Basic Ingest."""
    return topic.removeprefix(_BASIC_INGEST).partition("/")[2] if topic.startswith(_BASIC_INGEST) else topic
