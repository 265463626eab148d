"""A secret and the one before it, asked for seldom."""

from collections.abc import Iterator
from typing import Final

import pytest

from andon.outbound.channels import KEPT_MS, Secret
from andon.runtime.errors import CallFailed
from andon.testing.either_wire import BOTH, connected
from andon.testing.environment import frozen_clock
from andon.testing.memory.aws import AwsInMemory
from andon.testing.scripted_server import ScriptedServer, in_turn, refused, whole

NOW_MS: Final = 1_795_000_000_000
LINKS: Final = "LINK_SECRET"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsInMemory]:
    monkeypatch.setenv(LINKS, "arn:links")
    with AwsInMemory({}) as memory, frozen_clock(NOW_MS):
        yield memory


def test_the_current_value_comes_first_then_the_one_before(memory: AwsInMemory) -> None:
    memory.secrets["arn:links"] = ["now", "before", "forgotten"]

    assert Secret(LINKS).keys() == (b"now", b"before")


def test_a_secret_that_was_never_rotated_has_one_value(memory: AwsInMemory) -> None:
    memory.secrets["arn:links"] = ["now"]

    assert Secret(LINKS).values() == ("now",)


def test_a_rotation_is_seen_within_minutes_without_a_request_each_time(memory: AwsInMemory) -> None:
    secret = Secret(LINKS)
    memory.secrets["arn:links"] = ["now"]
    assert secret.values() == ("now",)
    memory.secrets["arn:links"] = ["next", "now"]

    with frozen_clock(NOW_MS + KEPT_MS - 1):
        assert secret.values() == ("now",)
    with frozen_clock(NOW_MS + KEPT_MS):
        assert secret.values() == ("next", "now")


def test_without_its_secret_nothing_is_signed(memory: AwsInMemory) -> None:  # noqa: ARG001  AWS without it
    with pytest.raises(CallFailed, match="ResourceNotFoundException"):
        Secret(LINKS).values()


@pytest.mark.parametrize("wire", BOTH)
def test_over_both_wires_it_is_asked_for_in_the_same_way(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LINKS, "arn:links")
    answers = (whole({"SecretString": "now"}), refused("ResourceNotFoundException"))

    with ScriptedServer(in_turn(*answers)) as server, connected(wire, server.url):
        assert Secret(LINKS).values() == ("now",)

    assert [asked.headers["x-amz-target"] for asked in server.requests] == ["secretsmanager.GetSecretValue"] * 2
    assert [asked.headers["content-type"] for asked in server.requests] == ["application/x-amz-json-1.1"] * 2
    assert [asked.json for asked in server.requests] == [
        {"SecretId": "arn:links", "VersionStage": stage} for stage in ("AWSCURRENT", "AWSPREVIOUS")
    ]
