"""`make replay-failures`: batches that a trigger failed on until they were too old go through it again, out of S3."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple

from andon.cdk.names import FAILURES, FAILURES_BUCKET, TRIGGER
from andon.runtime.json_types import JsonMapping
from andon.tools.called import as_called
from andon.tools.listings import keys_in
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import Deployed, deployed


class FailureSource(NamedTuple):
    """A trigger, by the name of its function, and the bucket with what it failed on."""

    service: str
    function: str
    bucket: str


class Failure(NamedTuple):
    """A batch that a trigger failed on: where it is kept, the changes in it, and why Lambda gave up."""

    key: str
    event: JsonMapping
    condition: str

    @property
    def time(self) -> str:
        """When Lambda gave up, as its key says it: `2026-11-22T05.00.00-<id>`."""
        return self.key.rpartition("/")[2]

    def __str__(self) -> str:
        """Return the line that a person reads."""
        return f"{self.time}: {len(self.event['Records'])} changes, {self.condition}"


class ReplayedBatch(NamedTuple):
    """A batch that was tried again; error: None if it was published."""

    failure: Failure
    error: str | None


CONDITIONS: Final = "requestContext"  # the member that says why


def sources(outputs: Mapping[str, str], service: str | None = None) -> list[FailureSource]:
    """Return the triggers of a stack, or that of one service, which may be written `Things` or `things`.

    Raises:
        Failed: there is no such service.

    """
    names = sorted(name.removesuffix(FAILURES_BUCKET) for name in outputs if name.endswith(FAILURES_BUCKET))
    chosen = [name for name in names if not service or name.lower() == service.replace("_", "").lower()]
    if not chosen:
        raise ToolFailed(f"there is no service {service}; there are {', '.join(names)}")
    return [FailureSource(name, outputs[f"{name}{TRIGGER}"], outputs[f"{name}{FAILURES_BUCKET}"]) for name in chosen]


def failures(s3: Any, bucket: str) -> list[Failure]:  # noqa: ANN401  boto3's
    """Return the batches in a bucket, oldest first.

    Raises:
        Failed: an object is not what Lambda writes; nothing was done.

    """
    keys = keys_in(s3, bucket, f"{FAILURES}/")
    return sorted((_read(s3, bucket, key) for key in keys), key=attrgetter("time"))


def _read(s3: Any, bucket: str, key: str) -> Failure:  # noqa: ANN401
    """Read what Lambda wrote: `payload` is the whole event, as text.

    https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
    """
    try:
        written = json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
        payload = written["payload"]
        event = json.loads(payload) if isinstance(payload, str) else payload
        return Failure(key, {"Records": [*event["Records"]]}, str(written[CONDITIONS]["condition"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ToolFailed(f"s3://{bucket}/{key} is no batch that Lambda gave up on: {error!r}") from error


def replay(stack: Deployed, source: FailureSource) -> Iterator[ReplayedBatch]:
    """Call a trigger with each batch again; what it publishes is removed, what it fails on stays.

    A second time changes nothing: events have the ids that they had, and readers drop duplicates.
    """
    s3, functions = stack.client("s3"), stack.client("lambda")
    for failure in failures(s3, source.bucket):
        done = functions.invoke(FunctionName=source.function, Payload=json.dumps(failure.event).encode())
        if done.get("FunctionError"):
            yield ReplayedBatch(failure, done["Payload"].read().decode(errors="replace"))
            continue
        s3.delete_object(Bucket=source.bucket, Key=failure.key)
        yield ReplayedBatch(failure, None)


def _run(asked: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Yield a line for each batch, and whether it is one that failed again."""
    stack, found = deployed(asked.stack), False
    for source in sources(stack.outputs, asked.service):
        if asked.dry_run:
            for failure in failures(stack.client("s3"), source.bucket):
                found = True
                yield f"{source.service}, {failure}: would be tried again", False
            continue
        for failure, error in replay(stack, source):
            found = True
            what = "published" if error is None else f"failed again, and is kept: {error}"
            yield f"{source.service}, {failure}: {what}", error is not None
    if not found:
        yield "No trigger has given up on anything.", False


def main() -> int:
    """Entry point; 1 if a batch failed again."""
    parser = argparse.ArgumentParser(prog=as_called("replay-failures"), description=__doc__)
    parser.add_argument("service", nargs="?", help="the name of a service; none: all of them")
    parser.add_argument("--stack", help="the name of a stack on AWS; none: the one on this machine")
    parser.add_argument("--dry-run", action="store_true", help="say what there is, and do nothing")
    failed = False
    for line, is_failed in _run(parser.parse_args()):
        failed |= is_failed
        print(line)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
