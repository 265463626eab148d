"""Safe deployments, in the template's own terms: what is called by its alias, and which alarms roll it back."""

from collections import defaultdict
from pathlib import Path

import pytest

from andon.cdk.canary import CANARIES
from andon.packages.discovery import packages
from tests.support.infra.synthesised import PROJECT, Properties, Synthesised, listed, rolls_back, synthesise, text

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


def dimensions(made: Properties) -> dict[str, str]:
    return {one["Name"]: text(one["Value"]) for one in made["Dimensions"]}


def test_the_way_of_a_report_has_a_canary_and_so_has_what_people_wait_for() -> None:
    assert {"services/equipment/command", "services/equipment/trigger", "views/board/listener"} < set(FILES)
    assert {"views/board/query", "views/state_log/query", "services/dispatch/command"} < set(FILES)
    assert not [file for file in FILES if file.endswith("/sweep") or file.startswith("stores/")]


@of_each
def test_an_alias_moves_to_each_version_by_a_deployment(aws: Synthesised, file: str) -> None:
    _, made = alias(aws, file)

    version = made["FunctionVersion"]["Fn::GetAtt"][0]
    assert aws.of_type("AWS::Lambda::Version")[version]["FunctionName"] == made["FunctionName"]
    assert made["Name"] == "live"
    assert group(aws, file)


@of_each
def test_a_deployment_whose_alarm_rings_is_rolled_back(aws: Synthesised, file: str) -> None:
    made = group(aws, file)

    assert made["AutoRollbackConfiguration"]["Enabled"] is True
    assert {"DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"} <= set(made["AutoRollbackConfiguration"]["Events"])
    assert made["AlarmConfiguration"]["Enabled"] is True
    for alarm in alarms(aws, file):
        assert (alarm["Threshold"], alarm["ComparisonOperator"]) == (0, "GreaterThanThreshold")
        assert (alarm["EvaluationPeriods"], alarm["Period"]) == (1, 60)
        assert alarm["TreatMissingData"] == "notBreaching"


@of_each
def test_an_alarm_looks_at_the_errors_of_the_alias_and_of_nobody_else(aws: Synthesised, file: str) -> None:
    function = aws.id_of_function(file)

    [errors] = [made for made in alarms(aws, file) if made["MetricName"] == "Errors"]

    assert errors["Namespace"] == "AWS/Lambda"
    assert dimensions(errors) == {"FunctionName": function, "Resource": f"{function}:live"}


@pytest.mark.parametrize("file", BEHIND_THE_API)
def test_a_response_of_5xx_rolls_back_although_it_is_no_error_of_lambda(aws: Synthesised, file: str) -> None:
    [failing] = [made for made in alarms(aws, file) if made["Namespace"] == "AWS/ApiGateway"]

    assert failing["MetricName"] == "5xx"


@pytest.mark.parametrize("file", LISTENERS)
def test_messages_that_fail_roll_a_listener_back_although_it_raises_for_none(aws: Synthesised, file: str) -> None:
    counted = {made["MetricName"]: dimensions(made) for made in alarms(aws, file) if made["Namespace"] == "Andon"}

    assert counted == {key: {"view": file.split("/")[1], "stage": "dev"} for key in ("failed", "fault")}


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


def test_the_page_about_deployments_says_how_many_there_are_and_what_their_alarms_cost(aws: Synthesised) -> None:
    page = (PROJECT / "docs" / "deploy.md").read_text()
    count = sum(rolls_back(made) for made in aws.of_type(ALARM).values())

    assert f"({len(FILES)} of {len(aws.functions())})" in page
    assert f"{count} alarms (${count / 10:.2f} a month" in page  # https://aws.amazon.com/cloudwatch/pricing/


def test_a_new_layer_makes_a_new_version(aws: Synthesised, tmp_path: Path) -> None:
    other_layer = tmp_path / "other"
    other_layer.mkdir()
    file = "views/board/query"

    def version(made: Synthesised) -> str:
        name: str = alias(made, file)[1]["FunctionVersion"]["Fn::GetAtt"][0]
        return name

    assert version(synthesise(other_layer)) != version(aws)


def test_a_deployment_that_cdk_does_not_know_is_refused(layer: Path) -> None:
    with pytest.raises(ValueError, match=r"CANARY_10_PERCENT_5_MINUTES, .* but no CANARY_1_PERCENT"):
        synthesise(layer, deployment="CANARY_1_PERCENT")
