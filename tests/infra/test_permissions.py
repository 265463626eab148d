"""Roles: test_called says that each has what its handler calls, and nothing else; here is what no call shows."""

import json

import pytest

from andon.packages.discovery import recomputed, role_of
from andon.packages.package import Package
from andon.project import project
from andon.testing.synthesised import Synthesised, text
from tests.support.infra.synthesised import (
    FILES,
    PACKAGES,
    READERS,
    SERVICES,
    STREAM_FIRST,
    SWEPT,
    TAKES,
    VIEWS,
    declared_tables,
    files,
)

FOLLOWS = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
BY_LAMBDA = {*(f"sqs:{action}" for action in TAKES), *(f"dynamodb:{action}" for action in FOLLOWS)}
DEPLOYMENT_GROUP = "AWS::CodeDeploy::DeploymentGroup"


def browser(aws: Synthesised) -> str:
    """The ARN of the role with which browsers subscribe."""
    return text(aws.functions()["views/board/query"]["Environment"]["Variables"]["LIVE_ROLE_ARN"])


@pytest.mark.parametrize("file", FILES)
def test_lambda_takes_with_a_role_from_what_feeds_its_function_and_keeps_failures_where_they_belong(
    aws: Synthesised, file: str
) -> None:
    mappings = aws.mappings(file)
    destinations = [made.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination") for made in mappings]
    failures = {text(destination) for destination in destinations if destination}

    assert {on for action, on in aws.allowed(file) if action in BY_LAMBDA} == {
        text(made["EventSourceArn"]) for made in mappings
    }
    assert {on for _, on in aws.allowed(file) if on.endswith("/aws/lambda/*")} == {
        f"{bucket}/aws/lambda/*" for bucket in failures
    }


def test_rows_are_deleted_by_sweeps_by_repairs_of_drift_and_by_who_lets_claims_or_people_go(aws: Synthesised) -> None:
    deleting = {file for file in FILES for action, _ in aws.allowed(file) if action == "dynamodb:DeleteItem"}
    claiming = [one for one in SERVICES if (project().functions / one.folder / "claims.py").is_file()]

    assert deleting == {
        *(one.path("sweep") for one in SWEPT),
        *(one.path("recompute") for one in recomputed() if one.tables),
        *(one.path("command") for one in claiming),
        "services/people/command",  # an erasure leaves no place of a person
    }


@pytest.mark.parametrize(
    ("file", "condition"),
    [(service.path("trigger"), {"events:source": service.name}) for service in SERVICES]
    + [(file, {"events:source": file.split("/")[1]}) for file in sorted(STREAM_FIRST)]
    + [(reader.path("listener"), {"events:detail-type": "fault"}) for reader in READERS]
    + [(view.path("push"), {"events:detail-type": "fault"}) for view in VIEWS if view.plays("push")]
    + [(one.path("sweep"), {"events:source": one.name, "events:detail-type": "fault"}) for one in SWEPT]
    + [
        (one.path("recompute"), {"events:source": one.name, "events:detail-type": "drift-detected"})
        for one in recomputed()
    ],
)
def test_a_trigger_publishes_as_its_own_service_and_a_listener_push_or_sweep_only_faults(
    aws: Synthesised, file: str, condition: dict[str, str]
) -> None:
    [publishing] = [made for made in aws.statements(file) if made["Action"] == "events:PutEvents"]

    assert publishing["Condition"] == {"ForAllValues:StringEquals": condition}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_no_role_and_no_environment_names_a_table_of_another_package(aws: Synthesised, package: Package) -> None:
    foreign = {aws.output(table) for other in PACKAGES if other != package for table in declared_tables(other)}
    board = aws.output("BoardTable")  # it says where equipment is, to callers who are limited to places

    for file in files(package):
        known = json.dumps([list(aws.statements(file)), aws.functions()[file]["Environment"]])
        assert foreign
        assert {table for table in foreign if table in known} == ({board} if file in FINDING else set())


FINDING = {
    package.path(role_of(route))
    for package in PACKAGES
    for route, at in package.limits.items()
    if at is not None and at.reads
}
"""The functions that read where equipment is."""


@pytest.mark.parametrize("file", sorted(FINDING))
def test_where_equipment_is_can_be_read_and_not_listed_or_written(aws: Synthesised, file: str) -> None:
    board = f"{aws.output('BoardTable')}.Arn"

    assert "GetItem" in {action.partition(":")[2] for action, on in aws.allowed(file) if on == board}
    assert {action for action, on in aws.allowed(file) if on.startswith(board)} <= {
        "dynamodb:GetItem",
        "dynamodb:BatchGetItem",
    }


def test_a_wildcard_stands_only_where_aws_leaves_no_choice(aws: Synthesised) -> None:
    pairs = {pair for file in FILES for pair in aws.allowed(file)}

    wild = {(action, on if on == "*" else on.partition("/")[2]) for action, on in pairs if "*" in action + on}

    assert wild == {
        *((f"s3:{action}", "contents/*") for action in ("PutObject", "GetObject", "DeleteObject")),
        *(("s3:PutObject", f"{folder}/*") for folder in ("aws/lambda", "events", "unreadable")),
        *(("s3:GetObject", f"{folder}/*") for folder in ("models", "events")),
        *(
            (action, f"{folder}/*")
            for action in ("s3:GetObject", "s3:PutObject")
            for folder in ("faults", "ids", "equipment", "operators", "rehydrations", "drift", "rows")
        ),
        *(("s3:DeleteObject", f"{kind}/data/*") for kind in ("equipment", "operators")),
        ("iot:ListThingPrincipals", "Andon:*"),
        ("iot:Publish", "Andon/*"),
        ("iot:DescribeEndpoint", "*"),
        ("xray:PutTelemetryRecords", "*"),
        ("xray:PutTraceSegments", "*"),
    }


def test_no_role_carries_a_managed_policy_or_serves_anything_but_lambda(aws: Synthesised) -> None:
    roles = aws.of_type("AWS::IAM::Role")
    query = aws.functions()["views/board/query"]["Role"]
    allowed = {name: {"Service": "lambda.amazonaws.com"} for name in roles}
    allowed[browser(aws).removesuffix(".Arn")] = {"AWS": query}

    deployers = {group["ServiceRoleArn"]["Fn::GetAtt"][0] for group in aws.of_type(DEPLOYMENT_GROUP).values()}
    allowed |= {name: {"Service": "codedeploy.amazonaws.com"} for name in deployers}
    eraser = text(aws.outputs["EraserRoleArn"]["Value"]).removesuffix(".Arn")  # for an administrator

    of_iot = {
        *(
            text(rule["TopicRulePayload"]["Actions"][0]["Sqs"]["RoleArn"])
            for rule in aws.of_type("AWS::IoT::TopicRule").values()
        ),
        *(text(made["ProvisioningRoleArn"]) for made in aws.of_type("AWS::IoT::ProvisioningTemplate").values()),
    }
    allowed |= {name.removesuffix(".Arn"): {"Service": "iot.amazonaws.com"} for name in of_iot}

    assert len(of_iot) == 2
    assert len(roles) == len(FILES) + len(deployers) + len(of_iot) + 2
    for name, role in ((name, role) for name, role in roles.items() if name != eraser):
        assert "ManagedPolicyArns" not in role
        assert [made["Principal"] for made in role["AssumeRolePolicyDocument"]["Statement"]] == [allowed[name]]


@pytest.mark.parametrize("file", FILES)
def test_a_function_writes_only_its_own_log(aws: Synthesised, file: str) -> None:
    log_group = aws.functions()[file]["LoggingConfig"]["LogGroup"]["Ref"]

    writes = {pair for pair in aws.allowed(file) if pair[0].startswith("logs:")}

    assert writes == {("logs:CreateLogStream", f"{log_group}.Arn"), ("logs:PutLogEvents", f"{log_group}.Arn")}


def test_a_function_exists_only_after_what_its_role_may_do(aws: Synthesised) -> None:
    # A policy of its own could come later than the function; live.py says why there is one.
    apart = {role["Ref"] for made in aws.of_type("AWS::IAM::Policy").values() for role in made["Roles"]}
    roles = {made["Role"]["Fn::GetAtt"][0] for made in aws.functions().values()}

    assert len(roles & apart) == 1
