"""All rows of a table and all objects of a bucket, page by page, as boto3's clients list them."""

import gzip
from collections.abc import Iterable, Iterator
from typing import Any, Final

from andon.dynamodb.attribute_values import Typed
from andon.runtime.json_types import JsonObject

GZIPPED: Final = b"\x1f\x8b"
"""The first bytes of what is gzipped."""


def rows_of(dynamodb: Any, table: str, names: Iterable[str] = ()) -> Iterator[Typed]:  # noqa: ANN401  boto3's
    """Read all rows, consistently; names: the attributes that are asked for, none: all of them."""
    places = {f"#{number}": name for number, name in enumerate(names)}
    some = {"ProjectionExpression": ", ".join(places), "ExpressionAttributeNames": places} if places else {}
    pages = dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True, **some)
    return (row for page in pages for row in page["Items"])


def objects_in(s3: Any, bucket: str, prefix: str = "") -> Iterator[JsonObject]:  # noqa: ANN401  boto3's
    """List the objects whose keys begin with a prefix, ascending: `Key`, `ETag`, `Size`."""
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    return (found for page in pages for found in page.get("Contents", []))


def keys_in(s3: Any, bucket: str, prefix: str = "") -> Iterator[str]:  # noqa: ANN401  boto3's
    """List the keys that begin with a prefix, ascending."""
    return (found["Key"] for found in objects_in(s3, bucket, prefix))


def unpacked_body(body: bytes) -> bytes:
    """Return the body of an object, unpacked if it is gzipped."""
    return gzip.decompress(body) if body.startswith(GZIPPED) else body
