"""One JSON line per invocation: ids and outcomes, never bodies.

Lines do not go through `logging`, whose records, filters and handlers cost five times what the line itself does.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Final
from zlib import crc32

import orjson

from andon.runtime.json_types import JsonMapping, JsonObject

# Metrics within the log line: CloudWatch reads the members that `_aws` names (embedded metric format).
#
# A metric is paid for by the hour in which it has a value. So a line names what is trouble, and that only while there
# is some; all else that is counted is read from the lines themselves, by CloudWatch Logs Insights.

NAMESPACE: Final = "POWERTOOLS_METRICS_NAMESPACE"  # the variable with the namespace of all metrics
STAGE: Final = "stage"  # the member with the name of the deployment


def with_metrics(
    line: JsonMapping, troubles: Iterable[str], *, dimension: str, of_all: Iterable[str] = (), now_ms: int
) -> JsonObject:
    """Return a line with the metrics that it has: those of its members `troubles` that are not 0, by `dimension`.

    of_all: members that are a metric of all lines together. Metrics are by stage, too, which the log adds to such a
    line: two stages may share an account.
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    named = (([dimension, STAGE], troubles), ([STAGE], of_all))
    directives = [
        _directive(dimensions, names) for dimensions, all_ in named if (names := [one for one in all_ if line.get(one)])
    ]
    return {**line, "_aws": {"Timestamp": now_ms, "CloudWatchMetrics": directives}} if directives else {**line}


def _directive(dimensions: list[str], names: Sequence[str]) -> JsonObject:
    metrics = [{"Name": name} for name in names]
    return {"Namespace": os.environ[NAMESPACE], "Dimensions": [dimensions], "Metrics": metrics}


SHARE: Final = "LOGGED_SHARE"
"""The environment variable with the share of successful requests that are logged; 1 without it."""

# Dates and dataclasses are written as text, as is all else that is no JSON.
_PLAIN: Final = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


class Logger:
    """Writes lines with their level, message, time and service, and the members of `extra`."""

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
