"""A deployment is compared with what is deployed: what would be lost ends it, what was named is left behind by name."""

import json
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from andon.testing.environment import environment
from andon.tools import cli
from andon.tools.ops import kept
from andon.tools.stack.errors import ToolFailed

TABLE = {"Type": "AWS::DynamoDB::Table", "DeletionPolicy": "RetainExceptOnCreate"}
BUCKET = {"Type": "AWS::S3::Bucket", "DeletionPolicy": "Retain"}
NESTED = {"Type": "AWS::CloudFormation::Stack"}
DEPLOYED = {"Andon": {"Board": NESTED, "Users": BUCKET}, "arn:of:board": {"BoardTable": TABLE, "Role": {"Type": "x"}}}
PHYSICAL = {"Board": "arn:of:board"}


def a_cloudformation() -> Any:  # noqa: ANN401  boto3's
    """A client that knows what is deployed."""
    client = boto3.client("cloudformation", region_name="eu-west-1")
    stubber = Stubber(client)
    for stack, resources in DEPLOYED.items():
        body = json.dumps({"Resources": resources})
        stubber.add_response("get_template", {"TemplateBody": body}, {"StackName": stack})
        listed = [
            {
                "LogicalResourceId": name,
                "PhysicalResourceId": PHYSICAL.get(name, f"andon-{name}"),
                "ResourceType": made["Type"],
                "ResourceStatus": "CREATE_COMPLETE",
                "LastUpdatedTimestamp": "2026-01-01T00:00:00Z",
            }
            for name, made in resources.items()
        ]
        stubber.add_response("list_stack_resources", {"StackResourceSummaries": listed}, {"StackName": stack})
    stubber.activate()
    return client


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a project whose clone has a view less than what is deployed."""
    monkeypatch.setattr(kept, "FILE", tmp_path / "kept.json")
    monkeypatch.setattr(kept, "of_stage", lambda _: {"Andon": {"Users": "AWS::S3::Bucket"}})
    return tmp_path / "kept.json"


@pytest.mark.parametrize("held", [{}, {"Andon": {"Users": "AWS::S3::Bucket", "Board/BoardTable": "…"}}])
def test_a_deployment_that_would_lose_what_is_deployed_ends_before_it_begins(file: Path, held: dict[str, Any]) -> None:
    file.write_text(json.dumps(held))

    with pytest.raises(ToolFailed, match=r"Board/BoardTable: AWS::DynamoDB::Table would be gone"):
        [*kept.of_deployment(a_cloudformation(), "Andon", "dev")]


def test_what_was_named_is_left_behind_by_its_name(file: Path) -> None:
    file.write_text(json.dumps({"Andon": {"Users": "AWS::S3::Bucket"}}))

    [said] = kept.of_deployment(a_cloudformation(), "Andon", "dev")

    assert said.startswith("Board/BoardTable (andon-BoardTable) is left behind")


def test_a_name_that_is_not_held_is_refused_and_nothing_is_written(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(json.dumps({"Andon": {"Users": "AWS::S3::Bucket", "Board/BoardTable": "…"}}))
    before = file.read_text()
    monkeypatch.setattr("sys.argv", ["kept", "--gone", "Board/BoardTabel"])

    with pytest.raises(SystemExit):
        kept.main()

    assert "holds no Board/BoardTabel" in capsys.readouterr().err
    assert file.read_text() == before


@pytest.mark.parametrize("verb", [name for name, verb in cli.VERBS.items() if verb.alone])
def test_a_verb_that_takes_no_argument_refuses_one_and_does_nothing(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "run", lambda *_: pytest.fail("it ran"))
    with environment({}):  # a verb says in it by which command it was called
        monkeypatch.setattr("sys.argv", ["andon", verb, "gone"])
        assert cli.main() == cli.MISUSED
        monkeypatch.setattr("sys.argv", ["andon", verb, "--help"])
        assert cli.main() == 0
    assert f"{verb} takes no gone" in capsys.readouterr().err


def test_a_variable_that_no_verb_reads_is_refused_with_the_option_that_it_may_be(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "run", lambda *_: pytest.fail("it ran"))
    with environment({}):
        monkeypatch.setattr("sys.argv", ["andon", "cutover", "board", "BACK=1"])
        assert cli.main() == cli.MISUSED
    assert "cutover takes no BACK=1; perhaps --back" in capsys.readouterr().err
