"""The types of the facts that anomalies publishes."""

from typing import Final

ANOMALY_DETECTED: Final = "anomaly-detected"

TYPES: Final = frozenset({ANOMALY_DETECTED})
