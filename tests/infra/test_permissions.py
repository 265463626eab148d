import json

import pytest

from andon.cdk.names import pascal
from andon.packages.package import Package
from tests.support.infra.synthesised import (
    FILES,
    LISTENING,
    PACKAGES,
    READERS,
    SERVICES,
    STREAM_FIRST,
    SWEPT,
    TAKES,
    VIEWS,
    Synthesised,
    declared_tables,
    files,
    text,
)

Pairs = set[tuple[str, str]]

COLLECTS = {
    "anomalies": {"AnomaliesTable": {"PutItem", "Query"}},
    "dispatch": {"DispatchTable": {"PutItem", "Query", "UpdateItem"}},
    # What crosses from the other version.
    "dispatch2": {"Dispatch2Table": {"PutItem"}},
    "equipment": {"EquipmentTable": {"PutItem"}, "EquipmentHistoryTable": {"PutItem", "Query"}},
    "equipment2": {"Equipment2Table": {"PutItem"}, "Equipment2HistoryTable": {"PutItem", "Query"}},
}
DECIDES = {"anomalies": {"PutItem", "Query"}, "dispatch": {"GetItem", "PutItem", "Query"}}
SWEEPS = {
    "anomalies": {"DeleteItem", "PutItem", "Query"},
    "dispatch": {"DeleteItem", "GetItem", "PutItem", "Query"},
}


def name_of(package: Package) -> str:
    return package.name


def beyond_logs(aws: Synthesised, file: str) -> Pairs:
    return {(action, on) for action, on in aws.allowed(file) if not action.startswith(("logs:", "xray:"))}


def reads_of_models(aws: Synthesised, service: Package) -> Pairs:
    models = f"{aws.output('ModelsBucket')}.Arn"
    return {("s3:GetObject", f"{models}/models/*"), ("s3:ListBucket", models)} if service.name == "anomalies" else set()


def browser(aws: Synthesised) -> str:
    """The ARN of the role with which browsers subscribe."""
    return text(aws.functions()["views/board/query"]["Environment"]["Variables"]["LIVE_ROLE_ARN"])


def own_tables(aws: Synthesised, package: Package) -> list[str]:
    return [f"{aws.output(name)}.Arn" for name in declared_tables(package)]


COMMANDS = {
    "equipment": {
        "EquipmentTable": {"BatchGetItem", "ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem"},
        "EquipmentHistoryTable": {"GetItem", "PutItem", "Query"},
    },
    "equipment2": {
        "Equipment2Table": {"GetItem", "PutItem", "UpdateItem"},
        "Equipment2HistoryTable": {"GetItem", "PutItem", "Query"},
    },
    "dispatch": {"DispatchTable": {"PutItem", "UpdateItem"}},
    "dispatch2": {"Dispatch2Table": {"PutItem", "UpdateItem"}},
}
QUERIES = {
    "equipment": {
        "EquipmentTable": {"GetItem", "Query"},
        "EquipmentHistoryTable": {"GetItem", "Query"},
        "EquipmentHistoryTable/ByTime": {"Query"},
        "EquipmentHistoryTable/Corrections": {"Query"},
    },
    "equipment2": {
        "Equipment2Table": {"GetItem"},
        "Equipment2HistoryTable": {"GetItem", "Query"},
        "Equipment2HistoryTable/ByTime": {"Query"},
        "Equipment2HistoryTable/Corrections": {"Query"},
    },
    "dispatch": {"DispatchTable": {"GetItem", "Query"}},
    "dispatch2": {"Dispatch2Table": {"GetItem"}},
    "state_log": {
        "StateLogTable": {"GetItem", "Query"},
        **{f"StateLogTable/{index}": {"Query"} for index in ("GSI1", "GSI2", "GSI3")},
    },
    "board": {"BoardTable": {"BatchGetItem", "GetItem"}, "BoardTable/ByPlace": {"Query"}},
}


def on_tables(aws: Synthesised, actions: dict[str, set[str]]) -> Pairs:
    """Return pairs of action and resource, from a table's output, or an index, as `BoardTable/ByLocation`."""
    return {
        (f"dynamodb:{action}", f"{aws.output(table)}.Arn{index and f'/index/{index}'}")
        for place, allowed in actions.items()
        for table, _, index in [place.partition("/")]
        for action in allowed
    }


@pytest.mark.parametrize("service", [one for one in SERVICES if one.plays("command")], ids=name_of)
def test_a_command_may_read_and_change_its_own_tables_and_delete_nothing(aws: Synthesised, service: Package) -> None:
    file = f"services/{service.name}/command"
    publishes = {("events:PutEvents", f"{aws.output('BusName')}.Arn")} if file in STREAM_FIRST else set()

    assert beyond_logs(aws, file) == publishes | on_tables(aws, COMMANDS[service.name])


@pytest.mark.parametrize("package", [one for one in SERVICES + VIEWS if one.plays("query")], ids=name_of)
def test_a_query_may_only_read_its_own_tables_and_the_indexes_they_declare(aws: Synthesised, package: Package) -> None:
    lets_connect = {("iot:DescribeEndpoint", "*"), ("sts:AssumeRole", browser(aws))} if package.plays("push") else set()

    allowed = beyond_logs(aws, f"{package.side}/{package.name}/query")

    assert allowed == lets_connect | on_tables(aws, QUERIES[package.name])


@pytest.mark.parametrize(
    ("package", "keeps"),
    [(view, {name: {"UpdateItem"} for name in declared_tables(view)}) for view in VIEWS]
    + [(service, COLLECTS[service.name]) for service in LISTENING],
)
def test_a_listener_may_keep_what_it_subscribes_to_and_empty_its_queue_and_report_faults(
    aws: Synthesised, package: Package, keeps: dict[str, set[str]]
) -> None:
    queue = f"{aws.output(f'{pascal(package.name)}QueueUrl')}.Arn"

    assert beyond_logs(aws, f"{package.side}/{package.name}/listener") == {
        *on_tables(aws, keeps),
        ("events:PutEvents", f"{aws.output('BusName')}.Arn"),
        *((f"sqs:{action}", queue) for action in TAKES),
    }


@pytest.mark.parametrize("service", SERVICES, ids=name_of)
def test_a_trigger_may_follow_its_streams_and_publish_and_keep_what_failed_and_decide_if_it_is_to(
    aws: Synthesised, service: Package
) -> None:
    streams = [f"{aws.output(name)}.StreamArn" for name, made in declared_tables(service).items() if made.stream]
    follows = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
    file = f"services/{service.name}/trigger"
    [bucket] = {text(made["DestinationConfig"]["OnFailure"]["Destination"]) for made in aws.mappings(file)}
    decides = DECIDES.get(service.name, set())

    assert beyond_logs(aws, file) == reads_of_models(aws, service) | {
        *((f"dynamodb:{action}", stream) for action in follows for stream in streams),
        *((f"dynamodb:{action}", table) for action in decides for table in own_tables(aws, service)),
        ("events:PutEvents", f"{aws.output('BusName')}.Arn"),
        ("s3:ListBucket", bucket),
        ("s3:PutObject", f"{bucket}/aws/lambda/*"),
    }


@pytest.mark.parametrize("service", SWEPT, ids=name_of)
def test_a_sweep_may_decide_and_take_out_what_is_done_and_report_faults(aws: Synthesised, service: Package) -> None:
    assert beyond_logs(aws, f"services/{service.name}/sweep") == reads_of_models(aws, service) | {
        *((f"dynamodb:{action}", table) for action in SWEEPS[service.name] for table in own_tables(aws, service)),
        ("events:PutEvents", f"{aws.output('BusName')}.Arn"),
    }


@pytest.mark.parametrize(
    ("file", "condition"),
    [(f"services/{service.name}/trigger", {"events:source": service.name}) for service in SERVICES]
    + [(file, {"events:source": file.split("/")[1]}) for file in sorted(STREAM_FIRST)]
    + [(f"{reader.side}/{reader.name}/listener", {"events:detail-type": "fault"}) for reader in READERS]
    + [(view.path("push"), {"events:detail-type": "fault"}) for view in VIEWS if view.plays("push")]
    + [
        (f"services/{service.name}/sweep", {"events:source": service.name, "events:detail-type": "fault"})
        for service in SWEPT
    ],
)
def test_a_trigger_publishes_as_its_own_service_and_a_listener_push_or_sweep_only_faults(
    aws: Synthesised, file: str, condition: dict[str, str]
) -> None:
    [publishing] = [made for made in aws.statements(file) if made["Action"] == "events:PutEvents"]

    assert publishing["Condition"] == {"ForAllValues:StringEquals": condition}


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("pages/")])
def test_what_serves_a_page_to_everybody_may_do_nothing(aws: Synthesised, file: str) -> None:
    assert beyond_logs(aws, file) == set()


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_no_role_and_no_environment_names_a_table_of_another_package(aws: Synthesised, package: Package) -> None:
    foreign = [aws.output(table) for other in PACKAGES if other != package for table in declared_tables(other)]

    for file in files(package):
        known = json.dumps([list(aws.statements(file)), aws.functions()[file]["Environment"]])
        assert foreign
        assert not [table for table in foreign if table in known]


def test_faults_are_read_and_put_back_by_the_api_and_added_by_the_listener_which_publishes_nothing(
    aws: Synthesised,
) -> None:
    bucket, queue = f"{aws.output('FaultsBucket')}.Arn", f"{aws.output('FaultQueueUrl')}.Arn"
    faults, ids = f"{bucket}/faults/*", f"{bucket}/ids/*"
    read = {("s3:ListBucket", bucket), ("s3:GetObject", faults), ("s3:GetObject", ids)}
    queues = [f"{aws.output(f'{pascal(reader.name)}QueueUrl')}.Arn" for reader in READERS]

    assert beyond_logs(aws, "stores/faults/query") == read
    assert beyond_logs(aws, "stores/faults/command") == {
        *read,
        ("s3:PutObject", faults),
        ("s3:PutObject", ids),
        *(("sqs:SendMessage", reading) for reading in queues),
    }
    assert beyond_logs(aws, "stores/faults/listener") == {
        ("s3:GetObject", faults),
        ("s3:GetObject", ids),
        ("s3:PutObject", faults),
        ("s3:PutObject", ids),
        *((f"sqs:{action}", queue) for action in TAKES),
    }


def test_a_wildcard_stands_only_where_aws_leaves_no_choice(aws: Synthesised) -> None:
    pairs = {pair for file in FILES for pair in aws.allowed(file)}

    wild = {(action, on if on == "*" else on.partition("/")[2]) for action, on in pairs if "*" in action + on}

    assert wild == {
        ("s3:PutObject", "aws/lambda/*"),
        ("s3:PutObject", "events/*"),
        ("s3:PutObject", "unreadable/*"),
        ("s3:GetObject", "models/*"),
        ("s3:GetObject", "events/*"),
        *(
            (action, f"{folder}/*")
            for action in ("s3:GetObject", "s3:PutObject")
            for folder in ("faults", "ids", "equipment", "operators", "rehydrations", "drift")
        ),
        *(("s3:DeleteObject", f"{kind}/data/*") for kind in ("equipment", "operators")),
        ("iot:Publish", "Andon/*"),
        ("iot:DescribeEndpoint", "*"),
        ("xray:PutTelemetryRecords", "*"),
        ("xray:PutTraceSegments", "*"),
    }


DEPLOYMENT_GROUP = "AWS::CodeDeploy::DeploymentGroup"


def test_no_role_carries_a_managed_policy_or_serves_anything_but_lambda(aws: Synthesised) -> None:
    roles = aws.of_type("AWS::IAM::Role")
    query = aws.functions()["views/board/query"]["Role"]
    allowed = {name: {"Service": "lambda.amazonaws.com"} for name in roles}
    allowed[browser(aws).removesuffix(".Arn")] = {"AWS": query}

    deployers = {group["ServiceRoleArn"]["Fn::GetAtt"][0] for group in aws.of_type(DEPLOYMENT_GROUP).values()}
    allowed |= {name: {"Service": "codedeploy.amazonaws.com"} for name in deployers}

    assert len(roles) == len(FILES) + len(deployers) + 1
    for name, role in roles.items():
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
