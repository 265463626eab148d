"""One JSON line per invocation: ids and outcomes, never bodies."""

import json
import logging
import os
import sys
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from patterns.runtime import strict_json
from patterns.runtime.metrics import STAGE

# What every record has; what it has besides came as `extra`.
OWN_ATTRIBUTES: Final = frozenset(vars(logging.makeLogRecord({})))


@cache
def logger() -> logging.Logger:
    """Return the process's logger, which writes JSON lines to standard output."""
    made = logging.getLogger(os.environ.get("POWERTOOLS_SERVICE_NAME", "unnamed"))
    made.setLevel(logging.INFO)
    made.propagate = False  # Lambda's own handler would write each line again
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter(made.name))
    made.addHandler(handler)
    return made


class JsonFormatter(logging.Formatter):
    """A record -> a line with its level, message, time and service, whatever came as `extra`, and an error's trace.

    A line with metrics says its stage, too.
    """

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; what is no JSON comes as text, for a line must never be lost."""
        line: dict[str, Any] = {
            "level": record.levelname,
            "message": record.getMessage(),
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "service": self._service,
            **{name: value for name, value in vars(record).items() if name not in OWN_ATTRIBUTES},
        }
        if "_aws" in line:
            line[STAGE] = os.environ["STAGE"]  # a dimension of its metrics
        if record.exc_info and record.exc_info[0]:
            line["exception"] = self.formatException(record.exc_info)
            line["exception_name"] = record.exc_info[0].__name__
        try:
            return strict_json.dumps(line)
        except TypeError:
            return json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)
