import json

import pytest

from tests.infra.synthesised import Synthesised, listed, text
from views.state_log import view as state_log

SERVICES = ("equipment", "dispatch")
TABLES = {"equipment": "EquipmentTable", "dispatch": "DispatchTable", "state_log": "StateLogTable"}
EVERY_FUNCTION = [
    *(f"services/{service}/{role}.py" for service in SERVICES for role in ("command", "query", "trigger")),
    "views/state_log/listener.py",
    "views/state_log/query.py",
]


def beyond_logs(aws: Synthesised, file: str) -> set[tuple[str, str]]:
    return {(action, on) for action, on in aws.allowed(file) if not action.startswith(("logs:", "xray:"))}


def test_every_function_of_the_stack_is_looked_at_here(aws: Synthesised) -> None:
    assert set(aws.functions()) == set(EVERY_FUNCTION)


@pytest.mark.parametrize("service", SERVICES)
def test_a_command_may_write_its_own_tables_and_do_nothing_else(aws: Synthesised, service: str) -> None:
    table = f"{aws.output(TABLES[service])}.Arn"

    assert beyond_logs(aws, f"services/{service}/command.py") == {
        ("dynamodb:PutItem", table),
        ("dynamodb:UpdateItem", table),
    }


@pytest.mark.parametrize("service", SERVICES)
def test_a_query_of_a_service_may_only_read_its_own_tables(aws: Synthesised, service: str) -> None:
    table = f"{aws.output(TABLES[service])}.Arn"

    assert beyond_logs(aws, f"services/{service}/query.py") == {("dynamodb:GetItem", table), ("dynamodb:Query", table)}


def test_a_query_of_a_view_may_only_read_its_table_and_the_indexes_it_declares(aws: Synthesised) -> None:
    table = f"{aws.output('StateLogTable')}.Arn"
    readable = [table, *(f"{table}/index/{name}" for name in state_log.INDEXES)]

    assert beyond_logs(aws, "views/state_log/query.py") == {
        (f"dynamodb:{action}", resource) for action in ("GetItem", "Query") for resource in readable
    }


def test_a_listener_may_update_its_table_and_take_from_its_queue_and_report_faults(aws: Synthesised) -> None:
    queue = f"{aws.output('StateLogQueueUrl')}.Arn"
    takes = ("ReceiveMessage", "ChangeMessageVisibility", "GetQueueUrl", "DeleteMessage", "GetQueueAttributes")

    assert beyond_logs(aws, "views/state_log/listener.py") == {
        ("dynamodb:UpdateItem", f"{aws.output('StateLogTable')}.Arn"),
        ("events:PutEvents", f"{aws.output('BusName')}.Arn"),
        *((f"sqs:{action}", queue) for action in takes),
    }


@pytest.mark.parametrize("service", SERVICES)
def test_a_trigger_may_follow_its_stream_and_publish_and_keep_what_failed(aws: Synthesised, service: str) -> None:
    stream = f"{aws.output(TABLES[service])}.StreamArn"
    [mapping] = aws.mappings(f"services/{service}/trigger.py")
    bucket = text(mapping["DestinationConfig"]["OnFailure"]["Destination"])

    assert beyond_logs(aws, f"services/{service}/trigger.py") == {
        *((f"dynamodb:{action}", stream) for action in ("DescribeStream", "GetRecords", "GetShardIterator")),
        ("dynamodb:ListStreams", stream),
        ("events:PutEvents", f"{aws.output('BusName')}.Arn"),
        ("s3:ListBucket", bucket),
        ("s3:PutObject", f"{bucket}/aws/lambda/*"),
    }


@pytest.mark.parametrize(
    ("file", "condition"),
    [
        ("services/equipment/trigger.py", {"events:source": "equipment"}),
        ("services/dispatch/trigger.py", {"events:source": "dispatch"}),
        ("views/state_log/listener.py", {"events:detail-type": "fault"}),
    ],
)
def test_a_trigger_publishes_as_its_own_service_and_a_listener_publishes_faults(
    aws: Synthesised, file: str, condition: dict[str, str]
) -> None:
    [publishing] = [made for made in aws.statements(file) if made["Action"] == "events:PutEvents"]

    assert publishing["Condition"] == {"ForAllValues:StringEquals": condition}


@pytest.mark.parametrize("file", EVERY_FUNCTION)
def test_no_role_names_anything_of_another_package(aws: Synthesised, file: str) -> None:
    _, package, _ = file.split("/")
    foreign = [aws.output(output) for name, output in TABLES.items() if name != package]

    policy = json.dumps(list(aws.statements(file)))

    assert not [table for table in foreign if table in policy]


@pytest.mark.parametrize("file", EVERY_FUNCTION)
def test_no_function_is_told_the_table_of_another_package(aws: Synthesised, file: str) -> None:
    _, package, _ = file.split("/")

    told = aws.functions()[file]["Environment"]["Variables"]

    assert {name for name in told if name.endswith("_TABLE")} == {f"{package.upper()}_TABLE"}
    assert told[f"{package.upper()}_TABLE"] == {"Ref": aws.output(TABLES[package])}


def test_a_wildcard_stands_only_where_aws_leaves_no_choice(aws: Synthesised) -> None:
    pairs = {pair for file in EVERY_FUNCTION for pair in aws.allowed(file)}

    wild = {(action, resource) for action, resource in pairs if "*" in action + resource}

    assert {(action, resource.partition("/")[2]) for action, resource in wild if action == "s3:PutObject"} == {
        ("s3:PutObject", "aws/lambda/*")
    }
    assert {pair for pair in wild if pair[0] != "s3:PutObject"} == {
        ("xray:PutTelemetryRecords", "*"),
        ("xray:PutTraceSegments", "*"),
    }


def test_no_role_carries_a_managed_policy_or_serves_anything_but_lambda(aws: Synthesised) -> None:
    roles = aws.of_type("AWS::IAM::Role")

    assert len(roles) == len(EVERY_FUNCTION)
    for role in roles.values():
        assert "ManagedPolicyArns" not in role
        assert [made["Principal"] for made in role["AssumeRolePolicyDocument"]["Statement"]] == [
            {"Service": "lambda.amazonaws.com"}
        ]


@pytest.mark.parametrize("file", EVERY_FUNCTION)
def test_a_function_writes_only_its_own_log(aws: Synthesised, file: str) -> None:
    log_group = aws.functions()[file]["LoggingConfig"]["LogGroup"]["Ref"]

    writes = {pair for pair in aws.allowed(file) if pair[0].startswith("logs:")}

    assert writes == {("logs:CreateLogStream", f"{log_group}.Arn"), ("logs:PutLogEvents", f"{log_group}.Arn")}


def test_a_function_exists_only_after_what_its_role_may_do(aws: Synthesised) -> None:
    policies = {name: made["Roles"][0]["Ref"] for name, made in aws.of_type("AWS::IAM::Policy").items()}

    for resource in aws.resources.values():
        if resource["Type"] == "AWS::Lambda::Function":
            role = resource["Properties"]["Role"]["Fn::GetAtt"][0]
            [policy] = [name for name, of in policies.items() if of == role]
            assert policy in listed(resource["DependsOn"])
