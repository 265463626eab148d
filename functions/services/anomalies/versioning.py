"""Versioning of the rows of anomalies."""

from typing import Final

from andon.versions.aggregate import DECISION, Aggregates
from services.anomalies import anomaly

AGGREGATES: Final[Aggregates] = {anomaly.DISCRIMINATOR: DECISION}
