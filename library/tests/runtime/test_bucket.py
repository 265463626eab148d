from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import boto3
import pytest
from moto import mock_aws

from andon.runtime.errors import CallFailed
from andon.testing.above_retries import Pass, between
from andon.testing.environment import ENVIRONMENT, environment
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.hook import Call
from andon.testing.wire import Wire
from andon.wire import aws
from andon.wire.bucket import ATTEMPTS, Bucket, Head

VARIABLE = "THINGS_BUCKET"
CHECKED = {"ChecksumAlgorithm": "SHA256"}  # moto keeps no checksum without it


@pytest.fixture(params=["memory", "moto"])
def bucket(request: pytest.FixtureRequest) -> Iterator[Bucket]:
    """An empty bucket: in memory, and where the memory's oracle has it, behind all of botocore."""
    if request.param == "memory":
        with AwsInMemory({}, [VARIABLE]):
            yield Bucket(VARIABLE)
    else:
        with environment({**ENVIRONMENT, VARIABLE: "things"}), mock_aws():
            boto3.client("s3").create_bucket(Bucket="things")
            yield Bucket(VARIABLE)


def test_an_object_is_written_once_whoever_comes_later(bucket: Bucket) -> None:
    assert bucket.get("a.json") is None
    with pytest.raises(CallFailed, match="NoSuchKey"):
        bucket.require("a.json")
    assert bucket.put_if_absent("a.json", {"colour": "工"})
    assert not bucket.put_if_absent("a.json", {"colour": "blue"})

    assert bucket.get("a.json") == bucket.require("a.json") == {"colour": "工"}


def test_bytes_stay_as_they_are_and_come_back_in_parts(bucket: Bucket) -> None:
    body = bytes(range(256))

    assert bucket.put_if_absent("a.gz", body)
    assert not bucket.put_if_absent("a.gz", b"other")

    assert bucket.require_bytes("a.gz") == body
    assert bucket.require_bytes("a.gz", first=0, length=1) == body[:1]
    assert bucket.require_bytes("a.gz", first=250, length=6) == bucket.require_bytes("a.gz", first=250, length=99)
    with pytest.raises(CallFailed, match="InvalidRange"):
        bucket.require_bytes("a.gz", first=256, length=1)
    with pytest.raises(CallFailed, match="NoSuchKey"):
        bucket.require_bytes("b.gz")


def test_its_size_and_digest_are_known_without_reading_it(bucket: Bucket) -> None:
    digest = b64encode(sha256(b"it").digest()).decode()
    bucket.replace("a.gz", b"it")
    aws.call("s3", "put_object", Bucket=bucket.name, Key="b.gz", Body=b"it", **CHECKED, ChecksumSHA256=digest)

    assert bucket.head("a.gz") == Head(2, None)
    assert bucket.head("b.gz") == Head(2, digest)
    assert bucket.head("c.gz") is None
    bucket.replace("b.gz", b"another")
    assert bucket.head("b.gz") == Head(7, None)


def test_many_objects_are_deleted_at_once_those_that_are_there(bucket: Bucket) -> None:
    for key in ("a.json", "b.json", "c.json"):
        bucket.replace(key, {})

    with Wire(("s3",)) as wire:
        bucket.remove_all(["a.json", "c.json", "d.json"])
        bucket.remove_all([])

    assert [*bucket.keys("")] == ["b.json"]
    assert wire.operations == ["DeleteObjects"]


def test_an_object_that_is_not_deleted_with_many_is_an_error(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws, "call", lambda *_, **__: {"Errors": [{"Key": "a.json", "Code": "InternalError"}]})

    with pytest.raises(CallFailed, match="InternalError"):
        bucket.remove_all(["a.json"])


def test_an_object_is_replaced_whether_or_not_it_is_there(bucket: Bucket) -> None:
    for colour in ("red", "blue"):
        bucket.replace("a.json", {"colour": colour})

    assert bucket.get("a.json") == {"colour": "blue"}


def test_a_change_begins_again_if_somebody_else_replaced_the_object_meanwhile(bucket: Bucket) -> None:
    bucket.replace("a.json", {"count": 0})

    with Wire(("s3",)) as wire:
        wire.fail("PutObject", "ConditionalRequestConflict", times=1)
        wire.before("PutObject", lambda: bucket.replace("a.json", {"count": 10}))
        changed = bucket.change("a.json", lambda content: {"count": content["count"] + 1})

    assert changed == bucket.get("a.json") == {"count": 11}


def test_a_change_that_decides_upon_nothing_writes_nothing(bucket: Bucket) -> None:
    bucket.replace("a.json", {"count": 0})

    with Wire(("s3",)) as wire:
        assert bucket.change("a.json", lambda _: None) is None

    assert wire.operations == ["GetObject"]


def test_a_change_that_others_are_always_faster_than_is_an_error(bucket: Bucket) -> None:
    bucket.replace("a.json", {})

    with Wire(("s3",)) as wire:
        wire.fail("PutObject", "PreconditionFailed")
        with pytest.raises(CallFailed, match="PreconditionFailed"):
            bucket.change("a.json", lambda content: content)

    assert wire.operations.count("PutObject") == ATTEMPTS


@pytest.mark.parametrize(("operation", "code"), [("GetObject", "AccessDenied"), ("PutObject", "SlowDown")])
def test_any_other_error_is_raised(bucket: Bucket, operation: str, code: str) -> None:
    with Wire(("s3",)) as wire:
        wire.fail(operation, code)

        with pytest.raises(CallFailed, match=code):
            bucket.get("a.json") if operation == "GetObject" else bucket.put_if_absent("a.json", {})


def test_keys_are_listed_by_prefix_in_order_from_behind_a_key_however_many_pages_it_takes(bucket: Bucket) -> None:
    for key in ("a/1", "b/1", "b/2", "b/3", "b/4", "c/1"):
        bucket.replace(key, {})

    def by_twos(call: Call, make: Pass) -> dict[str, Any]:
        call.request["MaxKeys"] = 2
        return make()

    with between(by_twos), Wire(("s3",)) as wire:
        assert list(bucket.keys("b/")) == ["b/1", "b/2", "b/3", "b/4"]
        assert list(bucket.keys("b/", after="b/1")) == ["b/2", "b/3", "b/4"]
        assert wire.operations == ["ListObjectsV2"] * 4


def test_folders_are_listed_without_what_is_in_them(bucket: Bucket) -> None:
    for key in ("days/2/a", "days/1/a", "days/1/b", "others/1/a"):
        bucket.replace(key, {})

    assert list(bucket.folders("days/")) == ["days/1/", "days/2/"]


def test_a_write_upon_what_is_no_longer_there_is_refused(bucket: Bucket) -> None:
    bucket.replace("a.json", {"count": 1})
    stale = aws.call("s3", "get_object", Bucket=bucket.name, Key="a.json")["ETag"]
    bucket.replace("a.json", {"count": 2})

    with pytest.raises(CallFailed, match="PreconditionFailed") as refused:
        aws.call("s3", "put_object", Bucket=bucket.name, Key="a.json", Body=b"{}", IfMatch=stale)

    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 412
    assert bucket.require("a.json") == {"count": 2}


def test_json_is_written_over_what_was_read_and_nothing_else(bucket: Bucket) -> None:
    assert bucket.find("a.json") is None
    assert not bucket.put_if("a.json", "[0]", etag='"0123456789abcdef0123456789abcdef"')
    assert bucket.put_if("a.json", '["工"]', etag=None)
    assert not bucket.put_if("a.json", "[2]", etag=None)
    found = bucket.find("a.json")
    assert found is not None
    assert found.body == '["工"]'.encode()

    assert bucket.put_if("a.json", "[3]", etag=found.etag)
    assert not bucket.put_if("a.json", "[4]", etag=found.etag)
    assert bucket.get("a.json") == [3]
