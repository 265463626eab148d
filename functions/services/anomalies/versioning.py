"""How what anomalies keeps is versioned."""

from typing import Final

from andon.versions.aggregate import DECISION, Aggregates
from services.anomalies import anomaly

AGGREGATES: Final[Aggregates] = {anomaly.DISCRIMINATOR: DECISION}
