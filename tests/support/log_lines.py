"""The lines that our code logs."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from patterns.runtime.log import JsonFormatter, logger

LogLines = list[dict[str, Any]]


@contextmanager
def logged() -> Iterator[LogLines]:
    """Collect the lines that are logged from here on, oldest first."""
    lines: LogLines = []
    handler = _Collecting(lines)
    handler.setFormatter(JsonFormatter(logger().name))
    logger().addHandler(handler)
    yield lines
    logger().removeHandler(handler)


class _Collecting(logging.Handler):
    def __init__(self, lines: LogLines) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(json.loads(self.format(record)))
