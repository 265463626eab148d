"""`make deploy`: what it asks AWS before and after `cdk deploy`, and what a first deployment leaves out."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from andon.cdk.stage import Stage, read
from andon.tools.ops import deploy

PROD = read("prod", json.loads((Path(__file__).parents[3] / "cdk.json").read_text())["context"]["stages"]["prod"])


def described(**answer: Any) -> Any:  # noqa: ANN401  boto3's client
    """A client of CloudFormation that is asked about one stack."""
    client = boto3.client("cloudformation", region_name="eu-west-1")
    stubber = Stubber(client)
    if "status" in answer:
        stack = {"StackName": "Andon", "StackStatus": answer["status"], "CreationTime": "2026-01-01T00:00:00Z"}
        stubber.add_response("describe_stacks", {"Stacks": [stack]})
    else:
        stubber.add_client_error("describe_stacks", "ValidationError", answer["message"])
    stubber.activate()
    return client


@pytest.mark.parametrize("status", ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_FAILED"])
def test_a_stack_that_was_created_keeps_its_protections(status: str) -> None:
    assert deploy.is_created(described(status=status), "Andon")
    assert deploy.deployments(frozenset({"BoardTable"}), frozenset({"BoardTable", "BusName"})) == [[]]


@pytest.mark.parametrize("answer", [{"status": "ROLLBACK_COMPLETE"}, {"message": "Stack with id Andon does not exist"}])
def test_a_first_deployment_goes_without_protections_and_one_with_them_follows(answer: dict[str, str]) -> None:
    deployed = deploy.deployed_in(described(**answer), "Andon")

    assert deploy.deployments(frozenset({"BoardTable"}), deployed) == [["--context=unprotected=true"], []]


def test_a_new_table_goes_without_protection_and_a_deployment_with_it_follows() -> None:
    declared = frozenset({"BoardTable", "LogTable", "PressTable"})

    assert deploy.deployments(declared, frozenset({"BoardTable"})) == [
        ["--context=unprotected=LogTable,PressTable"],
        [],
    ]


def test_whoever_cannot_read_the_stack_deploys_it_with_protections(capsys: pytest.CaptureFixture[str]) -> None:
    denied = described(message="not authorized to perform cloudformation:DescribeStacks")

    assert deploy.asked("the stack", lambda: deploy.is_created(denied, "Andon"), otherwise=True)
    assert "the stack could not be read" in capsys.readouterr().err


@pytest.mark.parametrize(("limit", "said"), [(10, True), (999, True), (1_000, False), (3_000, False)])
def test_an_account_with_too_few_workers_is_told_what_to_ask_for(limit: int, said: bool) -> None:  # noqa: FBT001
    words = deploy.advice(limit, deploy.workers_needed(PROD))

    assert bool(words) is said
    assert not said or "--quota-code L-B99A9384 --desired-value 1000" in words


def test_a_larger_plan_needs_a_worker_for_each_report_of_a_burst() -> None:
    assert deploy.workers_needed(PROD) == 1_000
    assert deploy.workers_needed(Stage(**{**_fields(PROD), "reports_per_second": 6_667})) == 14_000


def _fields(stage: Stage) -> dict[str, Any]:
    return {name: getattr(stage, name) for name in stage.__dataclass_fields__}


def test_the_newest_versions_and_those_that_are_called_stay() -> None:
    versions = ["$LATEST", *map(str, range(1, 13))]

    assert deploy.outdated(versions, frozenset({"3"})) == ["1", "2", "4", "5", "6", "7"]


@pytest.fixture
def lambda_(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with mock_aws():
        yield boto3.client("lambda", region_name="eu-west-1")


def test_old_versions_of_a_function_with_an_alias_are_deleted(lambda_: Any) -> None:  # noqa: ANN401
    function = _function(lambda_, versions=8)
    lambda_.create_alias(FunctionName=function, Name="live", FunctionVersion="8")

    deleted = deploy.forget_old_versions(lambda_, [function])

    assert deleted == 3
    left = [one["Version"] for one in lambda_.list_versions_by_function(FunctionName=function)["Versions"]]
    assert left == ["$LATEST", "4", "5", "6", "7", "8"]


def _function(lambda_: Any, *, versions: int) -> str:  # noqa: ANN401
    iam = boto3.client("iam", region_name="eu-west-1")
    role = iam.create_role(RoleName="r", AssumeRolePolicyDocument="{}", Path="/")["Role"]["Arn"]
    made = lambda_.create_function(
        FunctionName="f", Role=role, Runtime="python3.13", Handler="a.b", Code={"ZipFile": _zipped("0")}
    )
    for number in range(versions):
        lambda_.update_function_code(FunctionName="f", ZipFile=_zipped(str(number)))
        lambda_.publish_version(FunctionName="f")
    return str(made["FunctionName"])


def _zipped(content: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.py", content)
    return packed.getvalue()
