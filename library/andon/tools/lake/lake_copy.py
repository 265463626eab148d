"""A copy of the lake on this machine: `.local/lake/<bucket>/events/day=…/hour=…/…`, of which only what is new comes."""

import json
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from andon.recorded.lake import EVENTS, OBJECT
from andon.tools.listings import objects_in
from andon.tools.stack import aws, outputs
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import outputs_of
from andon.tools.stack.progress import step

_CACHE: Final = outputs.HOME / "lake"
OUTPUT: Final = "LakeBucket"  # of the stack
AT_ONCE: Final = 16
_ETAGS: Final = "etags.json"  # of the copies
_COPYING: Final = ".part"  # the ending of a file that is not whole yet


class LakeBucket(NamedTuple):
    """A bucket, the client that reads it, and where its copies are."""

    bucket: str
    s3: Any
    copies: Path = _CACHE


def of_running_stack() -> LakeBucket:
    """Return the lake of the stack on this machine.

    Raises:
        NotRunning: nothing is up.

    """
    deployed = outputs.of_running_stack()
    return LakeBucket(_bucket_in(deployed), aws.client("s3", deployed["Endpoint"]))


def of_deployed_stack(name: str) -> LakeBucket:
    """Return the lake of a stack on AWS, in the account and region of the person's own credentials.

    Raises:
        Failed: there is no such stack, or it may not be read.

    """
    try:
        named = outputs_of(boto3.client("cloudformation"), name)
        s3 = boto3.client("s3")
    except (BotoCoreError, ClientError) as error:
        raise ToolFailed(f"the stack {name} on AWS could not be read: {error}") from error
    return LakeBucket(_bucket_in(named), s3)


def copy(lake: LakeBucket) -> Path:
    """Bring the copy up to date, and return its folder; what is not in the bucket any more goes.

    What is there is not read again, unless its object was replaced since: somebody was erased who is mentioned in it.

    Raises:
        Failed: the bucket may not be read, or has no events yet.

    """
    folder = lake.copies / lake.bucket
    try:
        etags, known = _list(lake), _known(folder)
        _fetch(lake, [key for key in sorted(etags) if known.get(key) != etags[key]], folder)
        _keep(folder, etags)
    except (BotoCoreError, ClientError) as error:
        raise ToolFailed(f"the bucket {lake.bucket} could not be read: {error}") from error
    for file in folder.rglob("*.ndjson.gz"):
        if file.relative_to(folder).as_posix() not in etags:
            file.unlink()
    if not etags:
        raise ToolFailed("the lake has no events yet; on AWS they come up to five minutes after they happen")
    return folder


def _list(lake: LakeBucket) -> dict[str, str]:
    """List the keys of objects of events, each with its ETag; others, which may lead anywhere, are passed over."""
    found, others = dict[str, str](), list[str]()
    with step("listing the lake", lambda: f": {len(found)} objects"):
        for listed in objects_in(lake.s3, lake.bucket, f"{EVENTS}/"):
            if OBJECT.fullmatch(listed["Key"]):
                found[listed["Key"]] = listed["ETag"]
            else:
                others.append(listed["Key"])
    if others:
        print(f"  passed over {len(others)} objects of the lake with other keys, as {others[0]!a}", file=sys.stderr)
    return found


def _known(folder: Path) -> dict[str, str]:
    """Return the ETags of the copies that are there."""
    try:
        etags: dict[str, str] = json.loads((folder / _ETAGS).read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return {key: etag for key, etag in etags.items() if (folder / key).exists()}


def _keep(folder: Path, etags: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _ETAGS).write_text(json.dumps(etags))


def _fetch(lake: LakeBucket, keys: list[str], folder: Path) -> None:
    if not keys:
        return
    done: list[int] = []
    what = f"copying {len(keys)} new objects of the lake"
    with step(what, lambda: f": {len(done)}, {sum(done) / 1e6:.1f} MB"), ThreadPoolExecutor(AT_ONCE) as pool:
        done.extend(pool.map(lambda key: _fetch_one(lake, key, folder / key), keys))  # one by one, as they come


def _fetch_one(lake: LakeBucket, key: str, file: Path) -> int:
    body: bytes = lake.s3.get_object(Bucket=lake.bucket, Key=key)["Body"].read()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(file.name + _COPYING)
    part.write_bytes(body)
    part.rename(file)  # a copy that is broken off leaves no half of an object
    return len(body)


def _bucket_in(deployed: dict[str, str]) -> str:
    if OUTPUT not in deployed:
        raise ToolFailed(outputs.lacking(OUTPUT))
    return deployed[OUTPUT]
