"""Run one message through its handlers, and print what they wrote, published and answered.

Nothing is deployed: tables and buckets are in this process. Their content is kept in `replay.json` of the project's
`.local` from one replay to the next, so that a second one finds the rows of the first. The clock shows the time of the
message.
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
from andon.project import project
from andon.runtime import times
from andon.runtime.json_types import JsonObject
from andon.testing.convergence import diff_rows
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.replayable import NotReplayable, invocations_of, time_of
from andon.testing.world import World, to_bytes
from andon.tools.called import as_called

KEPT = "replay.json"

OBJECT = Keys("Key", one_partition_per="entity")  # a bucket is shown as a table with one row for each object


@dataclass(frozen=True, slots=True)
class ReplayEffects:
    """The effects of a replay: table or bucket -> lines of difference; published events, answers, log lines."""

    written: dict[str, list[str]]
    published: list[JsonObject]
    answers: list[Any]
    logged: list[JsonObject]


def replay(message: JsonObject, world: World) -> ReplayEffects:
    """Run a message through its handlers; the clock shows its time."""
    before = _rows(world)
    answers, log = [], io.StringIO()
    with frozen_clock(time_of(message)), redirect_stdout(log):
        for invocation in invocations_of(message):
            context = LocalContext(f"{invocation.package.name}-{invocation.role}")
            answers.append(invocation.package.handler(invocation.role)(invocation.event, context))
    keys = {table: schema.keys for table, schema in world.schemas.items()}
    after = _rows(world)
    written = {where: list(diff_rows(before[where], rows, keys.get(where, OBJECT))) for where, rows in after.items()}
    published = [json.loads(body)["detail"] for body in world.new_messages()]
    return ReplayEffects(written, published, answers, [json.loads(line) for line in log.getvalue().splitlines()])


def _rows(world: World) -> dict[str, list[Item]]:
    tables = {table: world.rows(table) for table in world.schemas}
    return tables | {bucket: [_legible(one) for one in world.objects(bucket)] for bucket in world.buckets}


def _legible(found: Item) -> Item:
    """Return an object with its lines, if it is compressed."""
    if not found["Key"].endswith(".gz"):
        return found
    return {**found, "Body": gzip.decompress(to_bytes(found["Body"])).decode()}


def report(done: ReplayEffects) -> Iterator[str]:
    """Yield the effects of a replay as lines of text."""
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
    parser = argparse.ArgumentParser(prog=as_called("replay"), description=__doc__)
    parser.add_argument("event", type=Path, help="a file under events/")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier replays wrote")
    parser.add_argument("--home", type=Path, default=project().local, help="where that is kept (default: %(default)s)")
    arguments = parser.parse_args()
    message = _message_in(arguments.event)
    for invocation in invocations_of(message):
        print(
            f"{invocation.package.side}.{invocation.package.name}.{invocation.role}, {times.to_utc(time_of(message))}"
        )
    with World() as world:
        if not arguments.fresh:
            _restore(world, arguments.home / KEPT)
        for line in report(replay(message, world)):
            print(line)
        _keep(world, arguments.home / KEPT)


def _message_in(file: Path) -> JsonObject:
    """Return the message of a file; end the process if there is none that a handler takes."""
    try:
        message: JsonObject = json.loads(file.read_text())
        invocations_of(message)
    except OSError as error:
        sys.exit(f"{file}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{file} is not JSON: {error}")
    except NotReplayable as error:
        sys.exit(f"{file}: {error}")
    return message


def _restore(world: World, kept: Path) -> None:
    for table, rows in (json.loads(kept.read_text()) if kept.exists() else {}).items():
        if table in world.schemas:
            world.restore(table, rows)
        if table in world.buckets:
            world.restore_objects(table, rows)


def _keep(world: World, kept: Path) -> None:
    kept.parent.mkdir(exist_ok=True)
    tables = {table: world.typed_rows(table) for table in world.schemas}
    kept.write_text(json.dumps(tables | {bucket: world.objects(bucket) for bucket in world.buckets}))


if __name__ == "__main__":
    main()
