"""Metrics within the log line: CloudWatch reads the members that `_aws` names (embedded metric format)."""

import os
from collections.abc import Iterable
from typing import Final

from andon.runtime.json_types import JsonObject

NAMESPACE: Final = "POWERTOOLS_METRICS_NAMESPACE"  # the variable with the namespace of all metrics
STAGE: Final = "stage"  # the member with the name of the deployment


def directive(*, dimension: str, counts: Iterable[str], milliseconds: Iterable[str] = (), now_ms: int) -> JsonObject:
    """Return the member `_aws` of a line with the metrics `counts` and `milliseconds`, by the member `dimension`.

    They are counted by stage, too, which the log adds to such a line: two stages may share an account.
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    metrics = [{"Name": name, "Unit": "Count"} for name in counts]
    metrics += [{"Name": name, "Unit": "Milliseconds"} for name in milliseconds]
    namespace = os.environ[NAMESPACE]
    directives = [{"Namespace": namespace, "Dimensions": [[dimension, STAGE]], "Metrics": metrics}]
    return {"Timestamp": now_ms, "CloudWatchMetrics": directives}
