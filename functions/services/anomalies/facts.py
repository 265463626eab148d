"""The facts that anomalies publishes of its rows."""

from andon.events.fact import Facts
from contract.entities.anomalies import AnomalyEntity
from services.anomalies import anomaly

FACTS = Facts(
    source="anomalies",
    types=frozenset({anomaly.ANOMALY_DETECTED}),
    of={anomaly.DISCRIMINATOR: anomaly.fact_of},
    entities={anomaly.ANOMALY_DETECTED: AnomalyEntity},
)
