"""Safe deployments, in the template's own terms: what is called by its alias, and which alarms roll it back."""

from collections import defaultdict
from pathlib import Path

import pytest

from andon.cdk.function import CANARIES
from andon.cdk.names import pascal
from andon.packages.discovery import packages
from andon.testing.synthesised import Properties, Synthesised, listed, text
from tests.support.infra.synthesised import only, synthesise

ALIAS, GROUP, ALARM = "AWS::Lambda::Alias", "AWS::CodeDeploy::DeploymentGroup", "AWS::CloudWatch::Alarm"

FILES = [package.path(role) for package in packages() for role in package.roles if (package.side, role) in CANARIES]
BEHIND_THE_API = [file for file in FILES if file.endswith(("/command", "/query"))]
LISTENERS = [file for file in FILES if file.endswith("/listener")]

of_each = pytest.mark.parametrize("file", FILES)


def alias(aws: Synthesised, file: str) -> tuple[str, Properties]:
    """The logical id of a function's alias, and the alias."""
    function = {"Ref": aws.id_of_function(file)}
    [(name, made)] = [(name, made) for name, made in aws.of_type(ALIAS).items() if made["FunctionName"] == function]
    return name, made


def group(aws: Synthesised, file: str) -> Properties:
    name, _ = alias(aws, file)
    update = aws.resources[name]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
    found = aws.of_type(GROUP)[update["DeploymentGroupName"]["Ref"]]
    [application] = aws.of_type("AWS::CodeDeploy::Application").values()
    assert update["ApplicationName"] == found["ApplicationName"] == application["ApplicationName"] == "Andon"
    return found


def alarms(aws: Synthesised, file: str) -> list[Properties]:
    return [aws.of_type(ALARM)[made["Name"]["Ref"]] for made in group(aws, file)["AlarmConfiguration"]["Alarms"]]


def part(alarm: Properties, name: str) -> Properties:
    """A metric of an alarm's rate: `failed`, or those `among` which it is."""
    [found] = [one["MetricStat"]["Metric"] for one in alarm["Metrics"] if one["Id"] == name]
    return {**found, "Dimensions": {one["Name"]: text(one["Value"]) for one in found["Dimensions"]}}


def test_the_way_of_a_report_has_a_canary_and_so_has_what_people_wait_for() -> None:
    assert {"services/equipment/command", "services/equipment/trigger", "views/board/listener"} < set(FILES)
    assert {"views/board/query", "views/state_log/query", "services/dispatch/command"} < set(FILES)
    assert not [file for file in FILES if file.endswith("/sweep") or file.startswith("stores/")]


@of_each
def test_an_alias_moves_by_a_deployment_that_too_many_errors_of_the_alias_roll_back_and_not_one(
    aws: Synthesised, file: str
) -> None:
    function, (_, moved), made = aws.id_of_function(file), alias(aws, file), group(aws, file)

    version = moved["FunctionVersion"]["Fn::GetAtt"][0]
    assert aws.of_type("AWS::Lambda::Version")[version]["FunctionName"] == moved["FunctionName"]
    assert moved["Name"] == "live"
    assert made["AutoRollbackConfiguration"]["Enabled"] is made["AlarmConfiguration"]["Enabled"] is True
    assert {"DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"} <= set(made["AutoRollbackConfiguration"]["Events"])
    for alarm in alarms(aws, file):
        [rate] = [one["Expression"] for one in alarm["Metrics"] if "Expression" in one]
        assert rate == "failed / among"
        assert (alarm["Threshold"], alarm["ComparisonOperator"]) == (0.001, "GreaterThanThreshold")
        assert (alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]) == (2, 5)
        assert {one["MetricStat"]["Period"] for one in alarm["Metrics"] if "MetricStat" in one} == {60}
        assert alarm["TreatMissingData"] == "notBreaching"
    [errors] = [one for one in alarms(aws, file) if part(one, "failed")["MetricName"] == "Errors"]
    for name, metric in {"failed": "Errors", "among": "Invocations"}.items():
        looked_at = {"FunctionName": function, "Resource": f"{function}:live"}
        assert part(errors, name) == {"Namespace": "AWS/Lambda", "MetricName": metric, "Dimensions": looked_at}


@pytest.mark.parametrize("file", BEHIND_THE_API)
def test_a_response_of_5xx_rolls_back_although_it_is_no_error_of_lambda(aws: Synthesised, file: str) -> None:
    [failing] = [made for made in alarms(aws, file) if part(made, "failed")["Namespace"] == "AWS/ApiGateway"]

    assert [part(failing, name)["MetricName"] for name in ("failed", "among")] == ["5xx", "Count"]


@pytest.mark.parametrize("file", LISTENERS)
def test_messages_that_fail_roll_a_listener_back_although_it_raises_for_none(aws: Synthesised, file: str) -> None:
    own = [made for made in alarms(aws, file) if part(made, "failed")["Namespace"] == "Andon"]
    [made] = own
    name = file.split("/")[1]

    assert (part(made, "failed")["MetricName"], part(made, "among")["MetricName"]) == (
        "unprocessed",
        "NumberOfMessagesReceived",
    )
    assert part(made, "failed")["Dimensions"] == {"view": name, "stage": "dev"}
    assert part(made, "among")["Dimensions"] == {"QueueName": f"{aws.output(f'{pascal(name)}QueueUrl')}.QueueName"}


@of_each
def test_nothing_calls_a_function_with_a_canary_past_its_alias(aws: Synthesised, file: str) -> None:
    function, (name, _) = aws.id_of_function(file), alias(aws, file)
    calls: list[tuple[str, str]] = [
        ("AWS::Lambda::EventSourceMapping", "FunctionName"),
        ("AWS::Lambda::Permission", "FunctionName"),
        ("AWS::ApiGatewayV2::Integration", "IntegrationUri"),
    ]

    called = [text(made[member]) for kind, member in calls for made in aws.of_type(kind).values()]

    assert [one for one in called if name in one]
    assert not [one for one in called if function in one]


def test_a_tenth_of_the_traffic_comes_first_in_prod_and_all_at_once_in_dev(aws: Synthesised, prod: Synthesised) -> None:
    configured = [{made["DeploymentConfigName"] for made in one.of_type(GROUP).values()} for one in (aws, prod)]

    assert configured == [{"CodeDeployDefault.LambdaAllAtOnce"}, {"CodeDeployDefault.LambdaCanary10Percent5Minutes"}]


def test_on_the_emulator_which_has_no_codedeploy_functions_are_called_by_their_names(local: Synthesised) -> None:
    assert not any(local.of_type(kind) for kind in (ALIAS, GROUP, "AWS::Lambda::Version"))


def test_codedeploy_moves_the_aliases_of_a_package_and_may_do_nothing_else(aws: Synthesised) -> None:
    moved: dict[str, set[str]] = defaultdict(set)
    for file in FILES:
        function = aws.id_of_function(file)
        moved[group(aws, file)["ServiceRoleArn"]["Fn::GetAtt"][0]] |= {f"{function}.Arn", f"{function}.Arn:live"}

    assert len(moved) == len({tuple(file.split("/")[:2]) for file in FILES})
    for role, own in moved.items():
        [policy] = [made for made in aws.of_type("AWS::IAM::Policy").values() if {"Ref": role} in made["Roles"]]
        allowed: dict[str, set[str]] = defaultdict(set)
        for made in policy["PolicyDocument"]["Statement"]:
            for action in listed(made["Action"]):
                allowed[action] |= {text(one) for one in listed(made["Resource"])}
        assert allowed.pop("cloudwatch:DescribeAlarms") == {"*"}
        moves = ("lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias")
        assert allowed == dict.fromkeys(moves, own)


@of_each
def test_the_versions_before_are_left_to_go_back_to(aws: Synthesised, file: str) -> None:
    version = alias(aws, file)[1]["FunctionVersion"]["Fn::GetAtt"][0]

    assert aws.resources[version]["DeletionPolicy"] == "Retain"


def test_a_new_layer_makes_a_new_version(layer: Path, tmp_path: Path) -> None:
    other_layer = tmp_path / "other"
    other_layer.mkdir()

    def version(with_layer: Path) -> str:
        made = synthesise(with_layer, declare=only("views/board"))
        name: str = alias(made, "views/board/query")[1]["FunctionVersion"]["Fn::GetAtt"][0]
        return name

    before = version(layer)
    assert version(layer) == before
    assert version(other_layer) != before


def test_a_deployment_that_cdk_does_not_know_is_refused(layer: Path) -> None:
    with pytest.raises(
        ValueError, match=r"deployment is 'CANARY_1_PERCENT', but should be .* CANARY_10_PERCENT_5_MINUTES, "
    ):
        synthesise(layer, deployment="CANARY_1_PERCENT")
