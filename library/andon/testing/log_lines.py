"""The lines that our code logs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from andon.runtime import log
from andon.runtime.json_types import JsonObject

LogLines = list[JsonObject]


@contextmanager
def logged() -> Iterator[LogLines]:
    """Collect the lines that are logged from here on, oldest first."""
    lines: LogLines = []
    with patch.object(log, "write", lambda line: lines.append(json.loads(line))):
        yield lines


@contextmanager
def unlogged() -> Iterator[None]:
    """Write no lines: some tests have a line for each of ten thousand invocations."""
    with patch.object(log, "write", lambda _: None):
        yield
