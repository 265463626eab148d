import asyncio
from typing import Any

import pytest

from andon.tools.stack.sink import Message, Shortcut

SIGNED = (b"authorization", b"AWS4-HMAC-SHA256 Credential=KEY/20261122/eu-west-1/dynamodb/aws4_request, Signature=0")
PUT = (b"x-amz-target", b"DynamoDB_20120810.PutItem")


async def echo(
    method: str, path: str, headers: dict[str, str], body: bytes, query: dict[str, Any]
) -> tuple[int, dict[str, str], str]:
    if body == b"fail":
        raise ValueError("broken")
    return 200, {"x-amz-crc32": "1"}, f"{method} {path} {headers['x-amz-target']} {body.decode()} {query}"


def answered(
    *headers: tuple[bytes, bytes], body: tuple[bytes, ...] = (b"{", b"}"), path: str = "/"
) -> tuple[str, list[Message]]:
    """Send a request in chunks; return who was entered, or that it went the long way, and the messages sent."""
    entered, sent = [], []
    chunks = [{"type": "http.request", "body": chunk, "more_body": chunk is not body[-1]} for chunk in body]

    async def long_way(*_: object) -> None:
        entered.append("the long way")

    async def receive() -> Message:
        return chunks.pop(0) if chunks else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    shortcut = Shortcut(
        long_way, services={b"DynamoDB_20120810": echo}, enter=lambda key, region: entered.append(f"{key} {region}")
    )
    asyncio.run(shortcut({"type": "http", "path": path, "headers": [*headers]}, receive, send))
    return entered[0], sent


def test_a_request_with_a_known_target_is_answered_by_its_service_within_its_account() -> None:
    entered, (start, body) = answered(SIGNED, PUT)

    assert entered == "KEY eu-west-1"
    assert start["status"] == 200
    assert body["body"] == b"POST / DynamoDB_20120810.PutItem {} {}"
    assert dict(start["headers"]) == {b"x-amz-crc32": b"1", b"content-length": b"%d" % len(body["body"])}


def test_what_fails_is_answered_as_the_emulator_does() -> None:
    _, (start, body) = answered(SIGNED, PUT, body=(b"fail",))

    assert (start["status"], b"InternalError" in body["body"], b"broken" in body["body"]) == (500, True, True)


@pytest.mark.parametrize(
    "headers",
    [(PUT,), (SIGNED,), (SIGNED, (b"x-amz-target", b"Other.PutItem")), (SIGNED, PUT, (b"content-encoding", b"gzip"))],
)
def test_any_other_request_goes_the_long_way(headers: tuple[tuple[bytes, bytes], ...]) -> None:
    assert answered(*headers) == ("the long way", [])


def test_who_is_gone_gets_no_answer() -> None:
    assert answered(SIGNED, PUT, body=()) == ("KEY eu-west-1", [])


def test_a_call_of_the_api_that_names_a_target_goes_the_long_way() -> None:
    assert answered(SIGNED, PUT, path="/_aws/execute-api/api/$default/") == ("the long way", [])
