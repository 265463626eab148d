"""Entities of anomalies."""

from typing import Literal, TypedDict

from contract.entities.logs import LogEntity


class ExpectedEntity(TypedDict):
    """The usual of a machine: `typical`, and `atMost`, in the unit of the anomaly; from so many observations."""

    typical: float
    atMost: float
    basedOn: int


AnomalyKind = Literal["burst", "gap", "odd-state"]


class AnomalyEntity(LogEntity):
    """`anomaly`: the log of a machine's unusual behaviour, by a version of the model.

    `burst`: too many reports of the state in the hour before. `gap`: too many seconds since the report before.
    `odd-state`: a state that the machine hardly ever reported. `seen` and `expected` are in `unit`.
    """

    kind: AnomalyKind
    unit: str
    expected: ExpectedEntity
    seen: float
    model: str
