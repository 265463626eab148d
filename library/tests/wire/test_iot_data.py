"""A message to the broker, over either wire: the same request, signed as botocore signs it, and the same errors."""

import random
from typing import Any, Final

import pytest
from wire.test_security import authorization_of

from andon.testing.either_wire import BOTH, TOKEN, connected, outcome_of
from andon.testing.scripted_server import HUNG_UP, ScriptedAnswer, ScriptedServer, in_turn, whole
from andon.wire import aws

TOPIC: Final = "Andon/0123456789abcdef/fedcba9876543210"
BODY: Final = '{"name":"Prägepresse 🏭"}'.encode()
TAKEN: Final = whole({"message": "OK", "traceId": "1"})

both = pytest.mark.parametrize("wire", BOTH)


@pytest.fixture(autouse=True)
def longest_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """No jitter: every pause is the longest."""
    monkeypatch.setattr(random, "random", lambda: 1.0)


def publish() -> dict[str, Any]:
    done = aws.call(aws.IOT_DATA, "publish", topic=TOPIC, qos=1, payload=BODY)
    return {name: value for name, value in done.items() if name != "ResponseMetadata"}


def refused(code: str, status: int) -> bytes:
    return whole({"message": "no"}, status, more={"x-amzn-ErrorType": f"{code}:http://internal.amazon.com/"})


@both
def test_a_message_goes_to_its_topic_at_least_once_and_is_not_retained(wire: str) -> None:
    with ScriptedServer(in_turn(TAKEN)) as server, connected(wire, server.url):
        assert publish() == {}

    (asked,) = server.requests
    assert asked.start == f"POST /topics/{TOPIC.replace('/', '%2F')}?qos=1 HTTP/1.1"
    assert asked.body == BODY


@pytest.mark.parametrize("token", [TOKEN, ""])
def test_a_message_is_signed_as_botocore_signs_it(token: str) -> None:
    with (
        ScriptedServer(in_turn(TAKEN)) as server,
        connected(aws.LIBCURL, server.url, AWS_SESSION_TOKEN=token, AWS_DEFAULT_REGION="eu-central-1"),
    ):
        publish()

    (asked,) = server.requests
    assert asked.headers["authorization"] == authorization_of(asked, "iotdata", token)


@pytest.mark.parametrize(
    "answers",
    [
        *([refused("InvalidRequestException", 400)], [refused("ForbiddenException", 403)]),
        *([refused("ThrottlingException", 429), TAKEN], [refused("InternalFailureException", 500)]),
        *([refused("InternalFailureException", 500), TAKEN], [whole(b"", 413)], [whole(b"<html>", 503), TAKEN]),
        [HUNG_UP, ScriptedAnswer(TAKEN)],
    ],
    ids=["invalid", "forbidden", "throttled once", "failing", "failed once", "too large", "no JSON", "hung up once"],
)
def test_over_both_wires_the_same_comes_of_it(answers: list[bytes | ScriptedAnswer], pauses: list[float]) -> None:
    found = []
    for wire in BOTH:
        with ScriptedServer(in_turn(*answers)) as server, connected(wire, server.url):
            found.append((_without_words(outcome_of(publish)), len(server.requests)))

    assert found[0] == found[1]
    assert pauses is not None


def _without_words(outcome: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in outcome.items() if name != "Error"}


def test_nothing_else_is_spoken_over_libcurl() -> None:
    with connected(aws.LIBCURL, "http://127.0.0.1:1"), pytest.raises(NotImplementedError):
        aws.call(aws.IOT_DATA, "delete_thing_shadow", thingName="x")


@both
def test_the_broker_may_have_an_address_of_its_own(wire: str) -> None:
    with (
        ScriptedServer(in_turn(TAKEN)) as server,
        connected(wire, "http://127.0.0.1:1", AWS_ENDPOINT_URL_IOT_DATA_PLANE=server.url),
    ):
        assert publish() == {}
