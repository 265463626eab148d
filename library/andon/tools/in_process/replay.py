"""Run one message through its handlers, and print what they wrote, published and answered.

Nothing is deployed: tables and buckets are in this process. Their content is kept in `.local/replay.json` from one
replay to the next, so that a second replay finds the rows of the first. The clock shows the time of the message.
"""

import argparse
import gzip
import io
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import Keys
from andon.events.domain_event import DomainEvent
from andon.events.topic import ANY
from andon.packages.discovery import follower_of_table, owner_of_queue, owner_of_route, subscribers_of
from andon.packages.package import Package
from andon.runtime import times
from andon.tools.in_process.lambda_context import LambdaContext
from andon.tools.in_process.lambda_events import bus_message, sqs_event
from andon.tools.in_process.row_diff import diff_rows
from andon.tools.in_process.world import InProcess, frozen_clock, to_bytes

KEPT = Path(".local/replay.json")

OBJECT = Keys("Key", one_partition_per="entity")  # a bucket is shown as a table with one row for each object


@dataclass(frozen=True, slots=True)
class Invocation:
    """A handler and the event to call it with."""

    package: Package
    role: str
    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Replay:
    """The effects of a replay: table or bucket -> lines of difference; published events, answers, log lines."""

    written: dict[str, list[str]]
    published: list[dict[str, Any]]
    answers: list[Any]
    logged: list[dict[str, Any]]


class NotReplayable(Exception):
    """No handler takes this message."""


def invocations_of(message: dict[str, Any]) -> list[Invocation]:
    """Return the handlers of a message, found by its `routeKey`, its `eventSourceARN` or by subscription.

    Whoever subscribes to everything gets what somebody else subscribes to: else a typing error would be kept for ever.

    Raises:
        NotReplayable: there are none.

    """
    try:
        if "routeKey" in message:
            return [Invocation(*owner_of_route(message["routeKey"]), message)]
        if "Records" in message:
            arn = message["Records"][0]["eventSourceARN"]
            if ":sqs:" in arn:
                return [Invocation(owner_of_queue(arn.rpartition(":")[2]), "listener", message)]
            return [Invocation(*follower_of_table(arn.split("/")[1]), message)]
        event = DomainEvent.from_wire(message)
    except Exception as error:
        raise NotReplayable(f"no HTTP event, batch of a stream or a queue, or domain event: {error}") from error
    source = event.tags.get("source", "")
    batch = sqs_event([bus_message(event, source=source)])
    found = subscribers_of(source, event.type)
    if all((ANY, ANY) in package.subscriptions for package in found):
        raise NotReplayable(f"nobody subscribes to {event.type} of {source or 'an unnamed source'}")
    return [Invocation(package, "listener", batch) for package in found]


def time_of(message: dict[str, Any]) -> int:
    """Return the time of a message, in epoch milliseconds."""
    if "routeKey" in message:
        return int(message["requestContext"]["timeEpoch"])
    if "Records" in message:
        last = message["Records"][-1]
        if "dynamodb" not in last:
            return int(last["attributes"]["SentTimestamp"])
        return int(last["dynamodb"]["ApproximateCreationDateTime"] * 1000)
    return int(message["timestamp"])


def replay(message: dict[str, Any], world: InProcess) -> Replay:
    """Run a message through its handlers; the clock shows its time."""
    before = _rows(world)
    answers, log = [], io.StringIO()
    with frozen_clock(time_of(message)), redirect_stdout(log):
        for invocation in invocations_of(message):
            context = LambdaContext(f"{invocation.package.name}-{invocation.role}")
            answers.append(invocation.package.handler(invocation.role)(invocation.event, context))
    keys = {table: schema.keys for table, schema in world.schemas.items()}
    after = _rows(world)
    written = {where: list(diff_rows(before[where], rows, keys.get(where, OBJECT))) for where, rows in after.items()}
    published = [json.loads(body)["detail"] for body in world.new_messages()]
    return Replay(written, published, answers, [json.loads(line) for line in log.getvalue().splitlines()])


def _rows(world: InProcess) -> dict[str, list[Item]]:
    tables = {table: world.rows(table) for table in world.schemas}
    return tables | {bucket: [_legible(one) for one in world.objects(bucket)] for bucket in world.buckets}


def _legible(found: Item) -> Item:
    """Return an object with its lines, if it is compressed."""
    if not found["Key"].endswith(".gz"):
        return found
    return {**found, "Body": gzip.decompress(to_bytes(found["Body"])).decode()}


def report(done: Replay) -> Iterator[str]:
    """Return what a replay did, as lines of text."""
    for table, lines in done.written.items():
        yield from [f"wrote to {table}:", *(f"  {line}" for line in lines)] if lines else []
    if not any(done.written.values()):
        yield "wrote nothing"
    for event in done.published:
        yield f"published {event['type']}:"
        yield from (f"  {line}" for line in json.dumps(event, indent=2, ensure_ascii=False).splitlines())
    for answer in done.answers:
        if answer is not None:
            yield f"answered {json.dumps(answer, ensure_ascii=False)}"
    for line in done.logged:
        own = {name: value for name, value in line.items() if name not in {"level", "timestamp", "service", "_aws"}}
        yield f"logged {json.dumps(own, ensure_ascii=False)}"


def main() -> None:
    """Entry point of `python -m andon.tools.in_process.replay FILE`."""
    parser = argparse.ArgumentParser(prog="make replay", usage="make replay EVENT=events/…", description=__doc__)
    parser.add_argument("event", type=Path, help="a file under events/")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier replays wrote")
    arguments = parser.parse_args()
    try:
        message = json.loads(arguments.event.read_text())
        invocations = invocations_of(message)
    except OSError as error:
        sys.exit(f"{arguments.event}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{arguments.event} is not JSON: {error}")
    except NotReplayable as error:
        sys.exit(f"{arguments.event}: {error}")
    for invocation in invocations:
        print(
            f"{invocation.package.side}.{invocation.package.name}.{invocation.role}, {times.to_utc(time_of(message))}"
        )
    with InProcess() as world:
        _restore(world, fresh=arguments.fresh)
        for line in report(replay(message, world)):
            print(line)
        _keep(world)


def _restore(world: InProcess, *, fresh: bool) -> None:
    if fresh or not KEPT.exists():
        return
    for table, rows in json.loads(KEPT.read_text()).items():
        if table in world.schemas:
            world.restore(table, rows)
        if table in world.buckets:
            world.restore_objects(table, rows)


def _keep(world: InProcess) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    tables = {table: world.typed_rows(table) for table in world.schemas}
    KEPT.write_text(json.dumps(tables | {bucket: world.objects(bucket) for bucket in world.buckets}))


if __name__ == "__main__":
    main()
