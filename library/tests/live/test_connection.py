"""The response to a subscriber: an address for a minute, and leave for one client id and one filter."""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from andon.live import connection
from andon.live.connection import connect, policy_of
from andon.wire import aws
from toys.clock import NOW

ROLE = "arn:aws-cn:iam::123456789012:role/Andon-browser"
FILTER = "Andon/aa/bb/#"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str, dict[str, Any]]]]:
    """The calls of AWS, which has one endpoint and gives credentials to everybody."""
    calls: list[tuple[str, str, dict[str, Any]]] = []

    def call(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        calls.append((service, operation, request))
        made = {"AccessKeyId": "ASIA", "SecretAccessKey": "secret", "SessionToken": "t/o+k=", "Expiration": "soon"}
        return {"endpointAddress": "a1-ats.iot.eu-west-1.amazonaws.com", "Credentials": made}

    monkeypatch.setattr(aws, "call", call)
    monkeypatch.setattr(connection, "region", lambda: "eu-west-1")
    monkeypatch.setenv("LIVE_ROOT", "Andon")
    monkeypatch.setenv("LIVE_ROLE_ARN", ROLE)
    monkeypatch.delenv("LIVE_ENDPOINT", raising=False)
    connection._origin_of_account.cache_clear()  # noqa: SLF001  nothing else gives it up
    yield calls
    connection._origin_of_account.cache_clear()  # noqa: SLF001


def test_an_address_is_that_of_the_account_presigned_for_a_minute(asked: list[Any]) -> None:
    made = connect(FILTER, now_ms=NOW)

    url = urlsplit(made.url)
    query = {name: value for name, (value,) in parse_qs(url.query).items()}
    assert (url.scheme, url.netloc, url.path) == ("wss", "a1-ats.iot.eu-west-1.amazonaws.com", "/mqtt")
    assert query["X-Amz-Expires"] == "60"
    assert query["X-Amz-Credential"].startswith("ASIA/20200428/eu-west-1/iotdevicegateway/")
    assert (list(query)[-1], query["X-Amz-Security-Token"]) == ("X-Amz-Security-Token", "t/o+k=")
    assert made.topic == FILTER
    assert [call[:2] for call in asked] == [("sts", "assume_role"), ("iot", "describe_endpoint")]


def test_the_accounts_host_is_asked_for_once_unless_configured(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(FILTER, now_ms=NOW)
    connect(FILTER, now_ms=NOW)
    monkeypatch.setenv("LIVE_ENDPOINT", "ws://here:4566")
    there = connect(FILTER, now_ms=NOW)

    assert there.url.startswith("ws://here:4566/mqtt?")
    assert [service for service, _, _ in asked] == ["sts", "iot", "sts", "sts"]


def test_every_connection_has_a_client_id_of_its_own_below_the_deployments(asked: list[Any]) -> None:
    ids = {connect(FILTER, now_ms=NOW).client_id for _ in range(20)}

    assert len(ids) == 20
    assert all(one.startswith("Andon-") and len(one) <= 128 for one in ids)
    assert asked


def test_the_role_is_assumed_for_as_short_as_can_be_with_a_policy_of_its_own(asked: list[Any]) -> None:
    made = connect(FILTER, now_ms=NOW)

    request = asked[0][2]
    policy = policy_of(ROLE, region="eu-west-1", client_id=made.client_id, topic_filter=FILTER)
    assert (request["RoleArn"], request["DurationSeconds"], json.loads(request["Policy"])) == (ROLE, 900, policy)
    assert len(request["Policy"]) <= 2048  # the most that STS takes
    assert 2 <= len(request["RoleSessionName"]) <= 64


@pytest.mark.parametrize("topic_filter", [FILTER, "Andon/aa/bb/cc/dd"])
def test_nothing_is_allowed_but_one_client_one_filter_and_what_matches_it(topic_filter: str) -> None:
    policy = policy_of(ROLE, region="eu-west-1", client_id="Andon-1", topic_filter=topic_filter)
    iot = "arn:aws-cn:iot:eu-west-1:123456789012"

    allowed = {statement["Action"]: statement["Resource"] for statement in policy["Statement"]}

    assert allowed["iot:Connect"] == f"{iot}:client/Andon-1"
    assert allowed["iot:Subscribe"] == f"{iot}:topicfilter/{topic_filter}"
    received = allowed["iot:Receive"]
    assert fnmatchcase(f"{iot}:topic/Andon/aa/bb/cc/dd", received)
    assert not fnmatchcase(f"{iot}:topic/Andon/aa/bbb", received)
    assert not fnmatchcase(f"{iot}:topic/Andon/aa", received)
    assert allowed.keys() == {"iot:Connect", "iot:Subscribe", "iot:Receive"}
    assert all(statement["Effect"] == "Allow" for statement in policy["Statement"])


def test_the_longest_topic_fits_into_a_policy() -> None:
    root = "a" * 128
    policy = policy_of(ROLE, region="ap-southeast-1", client_id=f"{root}-{'f' * 32}", topic_filter=root + "/x" * 64)

    assert len(json.dumps(policy, separators=(",", ":"))) <= 2048
