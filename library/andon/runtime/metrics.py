"""Metrics within the log line: CloudWatch reads the members that `_aws` names (embedded metric format).

A metric is paid for by the hour in which it has a value. So a line names what is trouble, and that only while there is
some; all else that is counted is read from the lines themselves, by CloudWatch Logs Insights.
"""

import os
from collections.abc import Iterable, Sequence
from typing import Final

from andon.runtime.json_types import JsonMapping, JsonObject

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
