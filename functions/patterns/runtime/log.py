"""One JSON line per invocation: ids and outcomes, never bodies."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from patterns.runtime import strict_json


@cache
def logger() -> Logger:
    """Return the process's logger; its `service` is POWERTOOLS_SERVICE_NAME."""
    # One form of a stack trace is enough; the location is the same for every line; our messages are words, never JSON.
    return Logger(serialize_stacktrace=False, location=None, json_serializer=_to_json, json_deserializer=str)


def _to_json(line: Mapping[str, Any]) -> str:
    """Return what Powertools would write, at a tenth of its cost if all is text, whole numbers, lists and objects."""
    try:
        return strict_json.dumps(line)
    except TypeError:
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)
