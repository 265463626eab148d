"""Connection of a browser to the broker: a presigned address, which allows one subscription and nothing else."""

import json
import os
from collections.abc import Sequence
from functools import cache
from hashlib import blake2s
from typing import Final, NamedTuple

from andon.runtime.json_types import JsonObject
from andon.wire import aws
from andon.wire.credentials import Credentials, presigned, region

# MQTT topics of a tree of places, from the widest level to the narrowest: whoever subscribes to one gets all below.
#
#     <root>/<digest of level 1>/<digest of level 2>/…
#
# A part is hashed: it may be longer than a topic, have one of MQTT's own characters (`+`, `#`, `/`) in it, or be
# nobody else's business in a log. The root is the deployment's, for all of an account in a region share one broker.

# https://docs.aws.amazon.com/general/latest/gr/iot-core.html#message-broker-limits
MOST_SLASHES: Final = 7
MOST_BYTES: Final = 256

_EVERYTHING_BELOW: Final = "#"
_DIGEST_BYTES: Final = 8


def topic_of(root: str, path: Sequence[str]) -> str:
    """Return the topic of a path.

    Raises:
        ValueError: AWS IoT takes no topic with so many levels or bytes.

    """
    return _within_limits("/".join((root, *map(_digest, path))))


def filter_of(root: str, path: Sequence[str], *, levels: int) -> str:
    """Return the filter by which one subscribes to a path and all below; `levels`: of a whole path, with nothing below.

    Raises:
        ValueError: as above.

    """
    topic = topic_of(root, path)
    return topic if len(path) == levels else _within_limits(f"{topic}/{_EVERYTHING_BELOW}")


def _digest(part: str) -> str:
    return blake2s(part.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _within_limits(topic: str) -> str:
    if topic.count("/") > MOST_SLASHES or len(topic.encode()) > MOST_BYTES:
        raise ValueError(f"a topic has at most {MOST_SLASHES} slashes and {MOST_BYTES} bytes")
    return topic


# So long the address can be used; who is connected by then stays so, until the broker ends it after a day.
# https://docs.aws.amazon.com/general/latest/gr/iot-core.html
URL_SECONDS: Final = 60
_ROLE_SECONDS: Final = 900  # the least that STS gives

ROOT: Final = "LIVE_ROOT"
ROLE: Final = "LIVE_ROLE_ARN"
ORIGIN: Final = "LIVE_ENDPOINT"
"""Environment variables; without the last one, AWS is asked for the account's own host."""

SERVICE: Final = "iotdevicegateway"


class Connection(NamedTuple):
    """Address of the broker, client id, and the only topic filter that the client may subscribe to."""

    url: str
    topic: str
    client_id: str


def root() -> str:
    """Return the first level of all topics of this deployment."""
    return os.environ[ROOT]


def connect(topic_filter: str, *, now_ms: int) -> Connection:
    """Return a connection of its own for one subscriber.

    Raises:
        CallFailed: AWS gave no credentials, or no address.

    """
    # Of the server's choice: a second connection of one id would end the first.
    client_id = f"{root()}-{os.urandom(16).hex()}"
    credentials = _assume(os.environ[ROLE], client_id, topic_filter)
    url = presigned(
        f"{_origin()}/mqtt",
        service=SERVICE,
        region=region(),
        credentials=credentials,
        now_ms=now_ms,
        seconds=URL_SECONDS,
    )
    return Connection(url, topic_filter, client_id)


def policy_of(role_arn: str, *, region: str, client_id: str, topic_filter: str) -> JsonObject:
    """Return a subscriber's policy: connect by its client id, subscribe to one filter, receive its matches."""
    _, partition, _, _, account, _ = role_arn.split(":", 5)
    iot = f"arn:{partition}:iot:{region}:{account}"
    received = topic_filter.removesuffix(_EVERYTHING_BELOW) + "*" * topic_filter.endswith(_EVERYTHING_BELOW)
    allowed = {
        "iot:Connect": f"{iot}:client/{client_id}",
        "iot:Subscribe": f"{iot}:topicfilter/{topic_filter}",
        "iot:Receive": f"{iot}:topic/{received}",
    }
    statements = [{"Effect": "Allow", "Action": action, "Resource": on} for action, on in allowed.items()]
    return {"Version": "2012-10-17", "Statement": statements}


def _assume(role_arn: str, client_id: str, topic_filter: str) -> Credentials:
    policy = policy_of(role_arn, region=region(), client_id=client_id, topic_filter=topic_filter)
    response = aws.call(
        "sts",
        "assume_role",
        RoleArn=role_arn,
        RoleSessionName=client_id[-64:],
        DurationSeconds=_ROLE_SECONDS,
        Policy=json.dumps(policy, separators=(",", ":")),
    )
    made = response["Credentials"]
    return Credentials(made["AccessKeyId"], made["SecretAccessKey"], made["SessionToken"])


def _origin() -> str:
    return os.environ.get(ORIGIN) or _origin_of_account()


@cache
def _origin_of_account() -> str:
    return f"wss://{aws.call('iot', 'describe_endpoint', endpointType='iot:Data-ATS')['endpointAddress']}"
