"""One JSON line per invocation: ids and outcomes, never bodies.

Lines do not go through `logging`, whose records, filters and handlers cost five times what the line itself does.
"""

import json
import os
import sys
from datetime import UTC, datetime
from functools import cache
from typing import Final
from zlib import crc32

import orjson

from andon.runtime.json_types import JsonMapping
from andon.runtime.metrics import STAGE

SHARE: Final = "LOGGED_SHARE"
"""The environment variable with the share of successful requests that are logged; 1 without it."""

# Dates and dataclasses are written as text, as is all else that is no JSON.
_PLAIN: Final = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


class Logger:
    """Writes lines with their level, message, time and service, and whatever comes as `extra`."""

    def __init__(self, service: str) -> None:
        self._service = service

    def info(self, message: str, *, extra: JsonMapping) -> None:
        """Write the line of an invocation."""
        write(self._line("INFO", message, extra))

    def warning(self, message: str, *, extra: JsonMapping) -> None:
        """Write a line that somebody should look at."""
        write(self._line("WARNING", message, extra))

    def error(self, message: str, *, extra: JsonMapping, exc_info: BaseException) -> None:
        """Write the line of a failure, with the error's trace."""
        write(self._line("ERROR", message, {**extra, **_trace_of(exc_info)}))

    def _line(self, level: str, message: str, extra: JsonMapping) -> str:
        """Return the line; a value that is no JSON comes as text, for a line must never be lost."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"level": level, "message": message, "timestamp": now, "service": self._service, **extra}
        if "_aws" in line:
            line[STAGE] = os.environ["STAGE"]  # a dimension of its metrics
        try:
            return orjson.dumps(line, option=_PLAIN).decode()  # a line needs no digit exact, unlike strict_json's texts
        except TypeError:
            return json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)


@cache
def logger() -> Logger:
    """Return the process's logger."""
    return Logger(os.environ.get("POWERTOOLS_SERVICE_NAME", "unnamed"))


def write(line: str) -> None:
    """Write one line to standard output, at once; a lone surrogate, which UTF-8 cannot carry, as its escape."""
    sys.stdout.write(f"{line}\n".encode(errors="backslashreplace").decode())
    sys.stdout.flush()


def is_sampled(request_id: str) -> bool:
    """Return True if the line of a successful request is written: those of a share are, chosen by their ids."""
    share = float(os.environ.get(SHARE, "1"))
    return crc32(request_id.encode()) < share * 2**32


def _trace_of(error: BaseException) -> dict[str, str]:
    import traceback  # noqa: PLC0415  few invocations fail

    text = "".join(traceback.format_exception(error)).removesuffix("\n")
    return {"exception": text, "exception_name": type(error).__name__}
