"""JSON of any content: requests to AWS and its responses, entities of others; and narrowings of it."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar, cast

JsonObject = dict[str, Any]
JsonMapping = Mapping[str, Any]
Known = TypeVar("Known")


def members_of(kind: type[Known], given: Mapping[str, object]) -> Known:
    """Return the members of a TypedDict that are given; no value is checked."""
    return cast("Known", {name: given[name] for name in kind.__annotations__ if name in given})


def kept_as(kind: type[Known], text: bytes) -> Known:
    """Return the TypedDict that was written as JSON; no value is checked.

    Raises:
        ValueError: it is no JSON, no object, or lacks a member.

    """
    content = json.loads(text)
    if not isinstance(content, dict) or not frozenset(getattr(kind, "__required_keys__", ())) <= content.keys():
        raise ValueError("not an object with all members")
    return cast("Known", content)


def all_members_of(kind: type[Known], given: Mapping[str, object]) -> Known:
    """Return all members of a TypedDict, None where one is not given; no value is checked."""
    return cast("Known", {name: given.get(name) for name in kind.__annotations__})
