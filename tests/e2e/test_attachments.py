"""Photos on the deployed stack: presigned by the functions, taken and refused by S3, deleted by the trigger."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from http.client import HTTPConnection, HTTPResponse
from typing import Any, Final
from urllib.parse import urlsplit

from andon.testing.environment import ACCOUNT, REGION
from andon.tools.listings import keys_in
from andon.tools.stack import audit
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import PATIENCE_S, eventually
from andon.tools.stack.stack import Stack
from contract import groups
from contract.levels import FIELDS

PHOTO: Final = b"\xff\xd8 a photo \xff\xd9"
MACHINE: Final = "press-with-photos"
BODY: Final = {"contentType": "image/jpeg", "bytes": len(PHOTO)}


def send(
    method: str, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> tuple[HTTPResponse, bytes]:
    """Send a request to an address, without a token; return the response and its body."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=PATIENCE_S)
    try:
        connection.request(method, f"{parts.path}?{parts.query}", body, {**(headers or {})})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def upload(told: dict[str, Any], body: bytes, **more: str) -> int:
    """Upload something; return the status."""
    return send("PUT", told["upload"]["url"], body, {**told["upload"]["headers"], **more})[0].status


def test_a_photo_is_uploaded_once_for_two_orders_and_deleted_when_its_row_has_gone(stack: Stack) -> None:
    supervisor, operator = stack.api(groups.SUPERVISOR), stack.api(groups.OPERATOR)
    register(stack)
    orders = [path_of("equipment", MACHINE, "maintenance", f"{datetime.now(UTC):%F}", kind) for kind in ("oil", "belt")]
    for order in orders:
        assert eventually(lambda: supervisor.put(order, {}).status in {200, 201})  # noqa: B023  called at once
        assert operator.request("POST", f"{order}/start", {}).status == 200
    first, second = (f"{order}/attachments/{sha256(PHOTO).hexdigest()}" for order in orders)

    asked = operator.put(first, BODY)
    assert asked.status == 202
    assert upload(asked.json, PHOTO.replace(b"a", b"b")) == 400, "another digest"
    assert upload(asked.json, PHOTO + b".") == 403, "another length"
    assert upload(asked.json, PHOTO, **{"content-type": "text/html"}) == 403, "another type"
    assert objects(stack) == []
    assert upload(asked.json, PHOTO) == 200
    assert [operator.put(path, BODY).status for path in (first, first, second)] == [201, 200, 201]

    [name] = objects(stack)
    for order in orders:
        [shown] = operator.get(f"{order}/attachments").json["items"]
        response, body = send("GET", shown["url"])
        assert (response.status, response.headers["content-type"], body) == (200, "image/jpeg", PHOTO)
        assert send("GET", shown["url"].replace("jpeg", "png"))[0].status == 403

    assert audit.lost(stack.outputs) == {"maintenance": []}
    stack.client("s3").delete_object(Bucket=stack.outputs["AttachmentsBucket"], Key=name)
    assert len(audit.lost(stack.outputs)["maintenance"]) == len(orders)
    assert [one["isMissing"] for one in operator.get(f"{orders[0]}/attachments").json["items"]] == [True]
    asked = operator.put(first, BODY)
    assert (asked.status, upload(asked.json, PHOTO), operator.put(first, BODY).status) == (202, 200, 200)
    assert audit.lost(stack.outputs) == {"maintenance": []}

    answer = stack.client("lambda").invoke(FunctionName=stack.outputs["MaintenanceTrigger"], Payload=expired(name))
    assert "FunctionError" not in answer, answer["Payload"].read()
    assert objects(stack) == []


def register(stack: Stack) -> None:
    made = stack.api(groups.OPERATOR).put(
        path_of("equipment", MACHINE),
        {"name": "press", "factoryId": "gdl-1", "lineId": "1", "location": dict.fromkeys(FIELDS, "x")},
    )
    assert made.status in {200, 201}, made.json


def objects(stack: Stack) -> list[str]:
    return [*keys_in(stack.client("s3"), stack.outputs["AttachmentsBucket"])]


def expired(name: str) -> str:
    """Return what Lambda gets of a row that the TTL service removed, which the emulator's does not tell."""
    row = {
        "pk": {"S": f"Content#{name.split('/')[1]}"},
        "sk": {"S": "content"},
        "discriminator": {"S": "content"},
        "object": {"S": name},
    }
    record = {
        "eventID": "1",
        "eventName": "REMOVE",
        "eventSourceARN": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/t/stream/2020-01-01T00:00:00.000",
        "dynamodb": {"SequenceNumber": "1", "Keys": {name: row[name] for name in ("pk", "sk")}, "OldImage": row},
        "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
    }
    return json.dumps({"Records": [record]})
