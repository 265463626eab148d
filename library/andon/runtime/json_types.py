"""JSON of any content: requests to AWS and its responses, and entities of others; and what is known of it."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

JsonObject = dict[str, Any]
JsonMapping = Mapping[str, Any]
Known = TypeVar("Known")


def members_of(kind: type[Known], given: Mapping[str, object]) -> Known:
    """Return the members of a TypedDict that are given; no value is checked."""
    return cast("Known", {name: given[name] for name in kind.__annotations__ if name in given})


def all_members_of(kind: type[Known], given: Mapping[str, object]) -> Known:
    """Return all members of a TypedDict, None where one is not given; no value is checked."""
    return cast("Known", {name: given.get(name) for name in kind.__annotations__})
