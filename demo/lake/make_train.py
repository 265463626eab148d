"""`make train`: learns from the lake what is usual, and makes it the model that decides from the next minute on.

| variable | meaning |
|---|---|
| `ARGS` | the query's parameters: `ARGS="since=2026-11-01 until=2026-11-30"`; without, the last 28 days |
| `STACK` | the name of a stack on AWS instead of the one on this machine |
| `EVALUATE` | learn from made-up histories instead, and print how many of the anomalies in them are found |
| `SEED` | another made-up company |
"""

import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import boto3
import duckdb
from botocore.exceptions import BotoCoreError, ClientError

from andon.tools.lake import engine, lake_copy
from andon.tools.lake.query import arguments
from andon.tools.stack import aws, outputs
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import outputs_of
from andon.tools.stack.progress import step
from demo.lake.evaluate import LEARN_DAYS, make_world, report_of, scores, trained_on
from demo.lake.synthetic import Company
from demo.lake.train import TrainedModel, store, train
from services.anomalies.model import ENOUGH_HOURS, ENOUGH_REPORTS, Model

OUTPUT: Final = "ModelsBucket"  # of the stack


class ModelBucket(NamedTuple):
    """The bucket of models, and the client that writes it."""

    bucket: str
    s3: Any


def main(given: Mapping[str, str]) -> int:
    """Train or evaluate, and print what came of it or why nothing did."""
    try:
        if given.get("EVALUATE"):
            evaluate(int(given.get("SEED") or 1))
        else:
            train_and_store(given.get("STACK"), _parameters(given.get("ARGS", "")))
    except ToolFailed as reason:
        print(f"make train: {reason}", file=sys.stderr)
        return 1
    return 0


def evaluate(seed: int) -> None:
    """Print precision and recall on anomalies that were put into made-up histories, for several limits."""
    with step("making up histories, with anomalies in them"):
        world = make_world(Company(seed=seed))
    with step("learning from them, by the saved query over a lake"):
        model = Model.of(trained_on(world.learn))
    with step("judging the week after them"):
        found = scores(world, model)
    reports, machines = sum(map(len, world.judge.values())), len(world.judge)
    print(f"{machines} machines, {reports} reports in a week, {len(world.anomalies)} anomalies in them")
    print("\n".join(report_of(found)))
    print("* the limit in use; wrong: alarms without an anomaly; no opinion: missed for want of history")


def train_and_store(stack: str | None, parameters: Mapping[str, str]) -> None:
    """Train a model of a stack's lake, and make it the current one.

    Raises:
        Failed: there is no such stack, or nothing to learn from.

    """
    lake = lake_copy.of_deployed_stack(stack) if stack else lake_copy.of_running_stack()
    model = _train(lake, parameters)
    models = _of_deployed_stack(stack) if stack else _of_running_stack()
    try:
        is_new = store(model, models.s3, models.bucket)
    except (BotoCoreError, ClientError) as error:
        raise ToolFailed(f"the bucket {models.bucket} could not be written: {error}") from error
    known = [
        one for one in model["machines"].values() if one["reports"] >= ENOUGH_REPORTS and one["hours"] >= ENOUGH_HOURS
    ]
    print(f"model {model['version']}{'' if is_new else ', which was there already'}")
    print(
        f"{len(model['machines'])} machines, {len(known)} of them with {ENOUGH_REPORTS} reports in {ENOUGH_HOURS} hours"
    )


def _train(lake: lake_copy.LakeBucket, parameters: Mapping[str, str]) -> TrainedModel:
    folder = lake_copy.copy(lake)
    try:
        with step("learning what is usual"):
            return train(engine.connect(folder), parameters)
    except ValueError as error:
        raise ToolFailed(str(error)) from error
    except duckdb.Error as error:
        raise ToolFailed(f"the query failed: {error}") from error


def _parameters(text: str) -> dict[str, str]:
    since = datetime.now(UTC) - timedelta(days=LEARN_DAYS)
    return {"since": since.date().isoformat(), **arguments(text)}


def _of_running_stack() -> ModelBucket:
    deployed = outputs.of_running_stack()
    return ModelBucket(_bucket_in(deployed), aws.client("s3", deployed["Endpoint"]))


def _of_deployed_stack(name: str) -> ModelBucket:
    try:
        named = outputs_of(boto3.client("cloudformation"), name)
    except (BotoCoreError, ClientError) as error:
        raise ToolFailed(f"the stack {name} on AWS could not be read: {error}") from error
    return ModelBucket(_bucket_in(named), boto3.client("s3"))


def _bucket_in(deployed: Mapping[str, str]) -> str:
    if OUTPUT not in deployed:
        raise ToolFailed(f"the stack has no output {OUTPUT}: it was deployed before there were models")
    return deployed[OUTPUT]


if __name__ == "__main__":
    sys.exit(main(os.environ))
