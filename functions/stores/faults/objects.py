"""The only place that talks to the bucket: one object for each fault, and a claim beside it.

A poison message that comes again is the same fault, told at a later time: a key by its day would not be the same. So
the first to come claims the id, on condition that nobody has, with its time; whoever comes later writes under that
time's key, on condition that nothing is there. If the first ended in between, the next one completes what it began.
"""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from patterns.runtime import aws, strict_json
from patterns.runtime.errors import CallFailed
from stores.faults.record import Fault, key_of
from stores.faults.store import BUCKET, FAULTS, IDS

PARALLEL = 16  # as many as aws.py keeps connections


def keep(fault: Fault) -> bool:
    """Keep a fault, once; tell whether it is new."""
    claim = f"{IDS}/{fault['id']}.json"
    timestamp = fault["timestamp"]
    if not _put_new(claim, {"timestamp": timestamp}):
        timestamp = _read(claim)["timestamp"]
    first = {**fault, "timestamp": timestamp}
    return _put_new(key_of(first), first)


def replace(fault: Fault) -> None:
    """Write a fault that is there already anew."""
    _put(key_of(fault), fault)


def get(fault_id: str) -> Fault | None:
    """Read one fault."""
    claim = _find(f"{IDS}/{fault_id}.json")
    return claim and _find(key_of({"id": fault_id, "timestamp": claim["timestamp"]}))


def page(*, limit: int, after: str | None) -> tuple[list[Fault], str | None]:
    """Read up to `limit` faults, newest first, from behind the key `after`; and the last key, if there are more."""
    keys = list(islice(_keys(after or ""), limit + 1))
    with ThreadPoolExecutor(PARALLEL) as pool:
        found = list(pool.map(_find, keys[:limit]))
    # S3 may have removed one since it was listed.
    return [fault for fault in found if fault is not None], keys[limit - 1] if len(keys) > limit else None


def _keys(after: str) -> Iterator[str]:
    for day in sorted(_days(), reverse=True):
        if after and day > after:
            continue
        start = {"StartAfter": after} if after.startswith(day) else {}
        for listed in _list(Prefix=day, **start):
            yield from (found["Key"] for found in listed.get("Contents", []))


def _days() -> list[str]:
    """List the folders there are: as many as the days that faults are kept, at most."""
    pages = _list(Prefix=f"{FAULTS}/", Delimiter="/")
    return [found["Prefix"] for listed in pages for found in listed.get("CommonPrefixes", [])]


def _list(**request: str) -> Iterator[dict[str, Any]]:
    pages: Iterator[dict[str, Any]] = iter(
        aws.client("s3").get_paginator("list_objects_v2").paginate(Bucket=os.environ[BUCKET], **request)
    )
    return pages


def _put_new(key: str, content: Fault) -> bool:
    """Write an object if there is none; tell whether there was none."""
    try:
        _put(key, content, IfNoneMatch="*")
    except CallFailed as error:
        if error.code == "PreconditionFailed":
            return False
        raise
    return True


def _put(key: str, content: Fault, **condition: str) -> None:
    body = strict_json.dumps(content).encode()
    bucket = os.environ[BUCKET]
    aws.call("s3", "put_object", Bucket=bucket, Key=key, Body=body, ContentType="application/json", **condition)


def _find(key: str) -> Fault | None:
    try:
        return _read(key)
    except CallFailed as error:
        if error.code == "NoSuchKey":
            return None
        raise


def _read(key: str) -> Fault:
    content: Fault = json.loads(aws.call("s3", "get_object", Bucket=os.environ[BUCKET], Key=key)["Body"].read())
    return content
