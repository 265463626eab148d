"""The broker: what browsers may do there, and that every topic of the template is one that AWS IoT takes."""

from fnmatch import fnmatchcase
from typing import Any

from aws_cdk import App, Stack

from andon.cdk.pages import live_origin
from andon.live.connection import MOST_BYTES, MOST_SLASHES, policy_of, topic_of
from andon.testing.synthesised import Synthesised, text
from tests.support.infra.synthesised import STAGES
from views.board.topics import PATH, filter_of

PUSH, QUERY = "views/board/push", "views/board/query"
PLACE = ("🏭" * 128,) * len(PATH)


def variables(synthesised: Synthesised, file: str) -> dict[str, str]:
    return {name: text(value) for name, value in synthesised.functions()[file]["Environment"]["Variables"].items()}


def of_browsers(aws: Synthesised) -> dict[str, str]:
    """The permissions of the role of browsers: action -> resource."""
    role = variables(aws, QUERY)["LIVE_ROLE_ARN"].removesuffix(".Arn")
    statements = [
        statement
        for policy in aws.of_type("AWS::IAM::Policy").values()
        if {"Ref": role} in policy["Roles"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]
    return {statement["Action"]: text(statement["Resource"]) for statement in statements}


def test_push_publishes_where_browsers_of_the_same_deployment_subscribe_and_nowhere_else(aws: Synthesised) -> None:
    root = variables(aws, PUSH)["LIVE_ROOT"]
    [topics] = [on for action, on in aws.allowed(PUSH) if action == "iot:Publish"]

    assert variables(aws, QUERY)["LIVE_ROOT"] == root
    assert topics.endswith(f":topic/{root}/*")
    assert of_browsers(aws) == {
        "iot:Connect": topics.replace(f":topic/{root}/*", f":client/{root}-*"),
        "iot:Subscribe": topics.replace(":topic/", ":topicfilter/"),
        "iot:Receive": topics,
    }


def test_every_topic_of_the_template_has_as_many_slashes_and_bytes_as_the_broker_takes(aws: Synthesised) -> None:
    root = variables(aws, PUSH)["LIVE_ROOT"]
    topics = [topic_of(root, PLACE), *(filter_of(root, PLACE[0], PLACE[1:levels]) for levels in range(1, 8))]

    assert max(topic.count("/") for topic in topics) <= MOST_SLASHES
    assert max(len(topic.encode()) for topic in topics) <= MOST_BYTES


def test_the_role_of_browsers_allows_what_a_session_is_given(aws: Synthesised) -> None:
    root, allowed = variables(aws, PUSH)["LIVE_ROOT"], of_browsers(aws)
    session = policy_of(
        "arn:AWS::Partition:iam::1:role/x",
        region="eu-west-1",
        client_id=f"{root}-{'f' * 32}",
        topic_filter=filter_of(root, "Acme", ("MX",)),
    )

    for statement in session["Statement"]:
        asked = statement["Resource"].rpartition(":")[2]
        assert fnmatchcase(asked, allowed[statement["Action"]].rpartition(":")[2])


def test_only_the_query_may_assume_the_role(aws: Synthesised) -> None:
    role = aws.resources[variables(aws, QUERY)["LIVE_ROLE_ARN"].removesuffix(".Arn")]["Properties"]
    assumers = [file for file in aws.functions() if any(action == "sts:AssumeRole" for action, _ in aws.allowed(file))]

    [statement] = role["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"AWS": aws.functions()[QUERY]["Role"]}
    assert assumers == [QUERY]


def test_the_host_of_the_broker_is_asked_for_only_where_it_is_unknown(
    aws: Synthesised, local: Synthesised, varied: Synthesised
) -> None:
    asks = ("iot:DescribeEndpoint", "*")
    assert "LIVE_ENDPOINT" not in variables(aws, QUERY)
    assert asks in aws.allowed(QUERY)
    assert variables(varied, QUERY)["LIVE_ENDPOINT"] == "wss://a1-ats.iot.eu-west-1.amazonaws.com"
    assert variables(local, QUERY)["LIVE_ENDPOINT"] == "ws://data-ats.iot.us-east-1.localhost:4566"
    assert asks not in varied.allowed(QUERY) | local.allowed(QUERY)


def test_messages_go_to_the_accounts_own_broker_where_it_is_named(varied: Synthesised, local: Synthesised) -> None:
    assert variables(varied, PUSH)["AWS_ENDPOINT_URL_IOT_DATA_PLANE"] == "https://a1-ats.iot.eu-west-1.amazonaws.com"
    assert "AWS_ENDPOINT_URL_IOT_DATA_PLANE" not in variables(local, PUSH)


def origin(**context: Any) -> str:  # noqa: ANN401  context is any JSON
    stack = Stack(App(context=STAGES | context), "Andon")
    return text(stack.resolve(live_origin(stack)))


def test_a_page_may_connect_to_the_broker_and_to_no_other_host() -> None:
    assert origin() == "wss://*.iot.AWS::Region.AWS::URLSuffix"
    assert origin(target="local") == "ws://data-ats.iot.us-east-1.localhost:4566"
    assert origin(target="local", liveOrigin="ws://data-ats.iot.us-east-1.localhost:4700").endswith(":4700")
