"""Stages: the settings of each in cdk.json, and that none can be forgotten."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App

from andon.cdk.stage import Stage
from andon.cdk.target import Target
from tests.support.infra.synthesised import KEPT, PROJECT, STAGES, Synthesised, synthesise, text

KEEPS_DATA = {
    "AWS::Cognito::UserPool",
    "AWS::DynamoDB::Table",
    "AWS::Events::Archive",
    "AWS::KMS::Key",
    "AWS::S3::Bucket",
}


def target(stage: str = "dev", *, flags: dict[str, Any] | None = None, **settings: Any) -> Target:  # noqa: ANN401
    """The target of an app whose stage has these settings, too; those that are None are not there."""
    changed = {name: value for name, value in (STAGES["stages"][stage] | settings).items() if value is not None}
    return Target.of(App(context=STAGES | {"stages": {stage: changed}, "stage": stage} | (flags or {})))


def test_prod_has_the_customer_key_the_lock_and_termination_protection() -> None:
    prod = target("prod")

    assert (prod.customer_key, prod.protected, prod.lake_lock_days) == (True, True, 30)
    assert prod.deployment == "CANARY_10_PERCENT_5_MINUTES"
    assert (prod.capacity is None, prod.traced) == (False, False)
    assert (target("dev").capacity is None, target("dev").traced) == (True, True)


def test_each_stage_is_a_stack_of_its_own_and_the_first_keeps_its_name() -> None:
    assert (target("dev").stack_name, target("prod").stack_name) == ("Andon", "Andon-prod")


def test_a_protected_stack_says_so(aws: Synthesised, prod: Synthesised, local: Synthesised) -> None:
    assert [one.protected for one in (aws, prod, local)] == [False, True, False]


@pytest.mark.parametrize(
    "forgotten", ["customerKey", "terminationProtection", "deployment", "logRetention", "reportsPerSecondOfOne"]
)
def test_a_setting_that_is_missing_is_refused(forgotten: str) -> None:
    with pytest.raises(ValueError, match=rf"stages.prod of cdk.json: {forgotten} is missing"):
        target("prod", **{forgotten: None})


def test_a_setting_that_is_misspelt_or_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"nobody knows the setting customerkey"):
        target(customerkey=True)
    with pytest.raises(ValueError, match=r"customerKey is 'true', but should be"):
        target(customerKey="true")
    with pytest.raises(ValueError, match="RetentionDays has no EVER"):
        target(logRetention="EVER")


@pytest.mark.parametrize("flag", ["customerKey", "holdBackSeconds", "lakeLockDays", "origin", "terminationProtection"])
def test_a_setting_as_a_flag_is_refused_for_the_next_deployment_would_forget_it(flag: str) -> None:
    with pytest.raises(ValueError, match=rf"{flag} is no flag but a setting: put it into stages.dev"):
        target(flags={flag: "true"})


def test_a_stage_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match=r"-c stage=production: cdk.json has dev and prod"):
        Target.of(App(context=STAGES | {"stage": "production"}))


def test_on_aws_there_is_no_synth_without_a_topic_for_alarms() -> None:
    with pytest.raises(ValueError, match=r"stage prod: alarms would wake nobody.* alarmTopic in stages.prod"):
        target("prod", flags={"alarmTopic": ""})

    assert target(flags={"alarmTopic": ""}, alarmTopic="ours").alarm_topic == "ours"


def test_the_environment_is_that_of_the_stage_or_of_the_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDK_DEFAULT_ACCOUNT", "000000000000")
    monkeypatch.setenv("CDK_DEFAULT_REGION", "eu-west-1")

    found, own = target().environment, target(account="111111111111", region="us-east-1").environment

    assert found
    assert (found.account, found.region) == ("000000000000", "eu-west-1")
    assert own
    assert (own.account, own.region) == ("111111111111", "us-east-1")


def test_an_explicit_environment_needs_no_other_acknowledgement(layer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDK_DEFAULT_ACCOUNT", "000000000000")
    monkeypatch.setenv("CDK_DEFAULT_REGION", "eu-west-1")

    synthesise(layer, stage="prod", audited=True)


def test_everything_that_keeps_data_outlives_its_stack_and_what_would_replace_it(prod: Synthesised) -> None:
    keeping = [made for made in prod.resources.values() if made["Type"] in KEEPS_DATA]

    assert {made["Type"] for made in keeping} == KEEPS_DATA
    assert {made["DeletionPolicy"] for made in keeping} <= {KEPT, "Retain"}
    assert {made["UpdateReplacePolicy"] for made in keeping} == {"Retain"}


def test_stages_of_one_account_share_neither_metrics_nor_topics_nor_names(aws: Synthesised, prod: Synthesised) -> None:
    def own_metrics(stack: Synthesised) -> set[str]:
        alarms = stack.of_type("AWS::CloudWatch::Alarm").values()
        own = [made for made in alarms if made["Namespace"] == "Andon"]
        return {text({"Fn::Join": ["|", [made["MetricName"], *map(str, made["Dimensions"])]]}) for made in own}

    assert own_metrics(aws)
    assert not own_metrics(aws) & own_metrics(prod)
    for one, stage, root in ((aws, "dev", "Andon"), (prod, "prod", "Andon-prod")):
        variables = [made["Environment"]["Variables"] for made in one.functions().values()]
        assert {every["STAGE"] for every in variables} == {stage}
        assert {every["LIVE_ROOT"] for every in variables if "LIVE_ROOT" in every} == {root}
        [dashboard] = one.of_type("AWS::CloudWatch::Dashboard").values()
        assert f'"stage","{stage}"' in text(dashboard["DashboardBody"])
    named = [name for stack in (aws, prod) for name in names(stack)]
    assert len(named) == len(set(named))


def names(stack: Synthesised) -> set[str]:
    """The names that a template fixes: each has to be another one in another stage."""
    fixed = {"BucketName", "TableName", "QueueName", "FunctionName", "RoleName", "AlarmName", "DashboardName"}
    fixed |= {"ApplicationName", "DeploymentGroupName"}
    return {
        f"{made['Type']} {value}"
        for made in stack.resources.values()
        for name, value in made.get("Properties", {}).items()
        if name in fixed and isinstance(value, str)
    } | {str(made["Name"]) for made in stack.of_type("AWS::Athena::WorkGroup").values()}


@pytest.mark.parametrize("field", [field.name for field in fields(Stage) if field.name != "name"])
def test_the_page_about_deployments_has_every_setting(field: str) -> None:
    first, *others = field.split("_")
    setting = first + "".join(word.capitalize() for word in others)

    assert f"`{setting}`" in (PROJECT / "docs" / "deploy.md").read_text()


def test_no_stage_of_the_repository_names_an_account() -> None:
    for settings in json.loads((PROJECT / "cdk.json").read_text())["context"]["stages"].values():
        assert "account" not in settings
        assert not str(settings.get("alarmTopic", "")).startswith("arn:")
