"""Turns the rows of the saved query `train` into a model of normal behaviour, and names its key in the bucket."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypedDict, cast

import duckdb
from botocore.exceptions import ClientError

from andon.runtime import strict_json, times
from andon.stores.lake import queries
from andon.tools.lake import engine
from services.anomalies.current_model import CURRENT, key_of
from services.anomalies.model import SpreadJson, version_of

QUERY: Final = "train"


Spreads = dict[str, SpreadJson]
"""`rate` or `gap` -> how it spreads."""


class TrainedMachine(TypedDict):
    """The model of one machine, by state."""

    reports: int
    hours: int
    states: dict[str, Spreads]


class TrainedModel(TypedDict):
    """A model as JSON, see `services.anomalies.model`."""

    version: str
    trainedUntil: str
    machines: dict[str, TrainedMachine]


class QueryRow(NamedTuple):
    """A row of the query's answer."""

    machine: str
    state: str
    kind: str
    median: float
    mad: float
    observations: int
    reports: int
    hours: int
    newest_ms: int


def train(connection: duckdb.DuckDBPyConnection, given: Mapping[str, str] | None = None) -> TrainedModel:
    """Return the model of the events in a lake; `given`: the query's parameters.

    Raises:
        ValueError: nothing was reported.

    """
    question = queries.saved(QUERY)
    rows = engine.ask(connection, question, question.values(given or {})).rows
    return model_of(QueryRow(*cast("Any", row)) for row in rows)


def model_of(answers: Iterable[QueryRow]) -> TrainedModel:
    """Return the model of the query's answer; the same answer makes the same model, version included. Pure.

    Raises:
        ValueError: nothing was reported.

    """
    machines: dict[str, TrainedMachine] = {}
    newest_ms = None
    for row in answers:
        machine = machines.setdefault(row.machine, {"reports": row.reports, "hours": row.hours, "states": {}})
        spread: SpreadJson = {"median": round(row.median, 3), "mad": round(row.mad, 3), "of": row.observations}
        machine["states"].setdefault(row.state, {})[row.kind] = spread
        newest_ms = max(row.newest_ms, newest_ms or 0)
    if newest_ms is None:
        raise ValueError("the lake has no reports")
    until = times.to_utc(newest_ms)
    return {"version": version_of(until, machines), "trainedUntil": until, "machines": machines}


def store(model: TrainedModel, s3: Any, bucket: str) -> bool:  # noqa: ANN401  boto3's clients are made at run time
    """Write a model and make it the current one; return whether its version is new.

    The pointer comes last: whoever reads it finds the model. A version that is there is left as it is.
    """
    try:
        _put(s3, bucket, key_of(model["version"]), model, IfNoneMatch="*")
    except ClientError as error:
        if error.response["Error"]["Code"] != "PreconditionFailed":
            raise
        is_new = False
    else:
        is_new = True
    _put(s3, bucket, CURRENT, {"version": model["version"]})
    return is_new


def _put(s3: Any, bucket: str, key: str, content: Mapping[str, Any] | TrainedModel, **condition: str) -> None:  # noqa: ANN401
    body = strict_json.dumps(content).encode()
    s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType="application/json", **condition)
