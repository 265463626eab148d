"""Stages: the settings of each in cdk.json, and that none can be forgotten."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App
from jsonschema import Draft202012Validator

from andon.cdk.api import Api, hours_of_device
from andon.cdk.event_hub import EventHub
from andon.cdk.lake import Lake
from andon.cdk.stage import MOST_LOCK_DAYS, NEEDED, SETTINGS, read, schema
from andon.cdk.target import Target
from andon.packages.discovery import subscribers_of
from andon.testing.synthesised import Synthesised, text
from infra.stack import Andon
from tests.support.infra.synthesised import KEPT, OTHER_SETTINGS, PROJECT, PROTECTED, STAGES, only, synthesise

KEEPS_DATA = {
    "AWS::Cognito::UserPool",
    "AWS::DynamoDB::Table",
    "AWS::KMS::Key",
    "AWS::S3::Bucket",
}


def target(stage: str = "dev", *, flags: dict[str, Any] | None = None, **settings: Any) -> Target:  # noqa: ANN401
    """The target of an app whose stage has these settings, too; those that are None are not there."""
    changed = {name: value for name, value in (STAGES["stages"][stage] | settings).items() if value is not None}
    own = PROTECTED if changed.get("terminationProtection") else {}
    return Target.of(App(context=STAGES | own | {"stages": {stage: changed}, "stage": stage} | (flags or {})))


def test_prod_has_the_customer_key_the_lock_and_termination_protection() -> None:
    prod, dev = target("prod"), target("dev")

    assert (prod.stage.customer_key, prod.stage.termination_protection, prod.stage.lake_lock_days) == (True, True, 28)
    assert prod.deployment == "CANARY_10_PERCENT_5_MINUTES"
    assert (prod.capacity is None, prod.stage.traced) == (True, False)
    assert (dev.capacity is None, dev.stage.traced) == (True, True)


def test_each_stage_is_a_stack_of_its_own_and_the_first_keeps_its_name() -> None:
    assert (target("dev").stack_name, target("prod").stack_name) == ("Andon", "Andon-prod")


def test_a_protected_stack_says_so(aws: Synthesised, prod: Synthesised, local: Synthesised) -> None:
    assert [one.protected for one in (aws, prod, local)] == [False, True, False]


@pytest.fixture(scope="module")
def first(layer: Path) -> Synthesised:
    """A first deployment in a region with small quotas: tables, users, what a trail watches, and many routes.

    cdk-nag finds nothing that is not acknowledged with a reason. An explicit environment needs no other acknowledgement
    than one that is left to whoever deploys; `varied` has one, too, with all packages.
    """
    packages = only("services/equipment", "services/maintenance", "views/board")

    def declare(stack: Andon, hub: EventHub, api: Api) -> None:
        packages(stack, hub, api)
        Lake(stack, hub, api)

    somewhere: dict[str, Any] = {"region": "eu-south-1", "account": "1" * 12}
    return synthesise(layer, stage="prod", unprotected="true", audited=True, declare=declare, **somewhere)


def test_a_first_deployment_refuses_no_deletion_and_the_next_one_does(first: Synthesised, prod: Synthesised) -> None:
    def protections(stack: Synthesised) -> set[object]:
        tables, pools = stack.of_type("AWS::DynamoDB::Table"), stack.of_type("AWS::Cognito::UserPool")
        return {one["DeletionProtectionEnabled"] for one in tables.values()} | {
            one.get("DeletionProtection") for one in pools.values()
        }

    assert (first.protected, protections(first)) == (False, {False, "INACTIVE"})
    assert not first.of_type("AWS::CloudTrail::Trail")  # it fills its bucket, which then could not be deleted
    assert (prod.protected, protections(prod)) == (True, {True, "ACTIVE"})


def test_one_deployment_may_bring_a_new_table_and_mend_what_a_roll_back_alarm_rings_about(
    layer: Path, aws: Synthesised
) -> None:
    made = synthesise(
        layer,
        stage="prod",
        declare=only("services/equipment"),
        unprotected="EquipmentHistoryTable,OfNobodyTable",
        repair="true",
    )

    protected = {
        name: made.resources[made.output(name)]["Properties"]["DeletionProtectionEnabled"]
        for name in ("EquipmentTable", "EquipmentHistoryTable")
    }
    assert protected == {"EquipmentTable": True, "EquipmentHistoryTable": False}
    assert made.protected

    def heeds(stack: Synthesised) -> set[bool]:
        groups = stack.of_type("AWS::CodeDeploy::DeploymentGroup").values()
        return {one["AlarmConfiguration"]["Enabled"] for one in groups}

    assert (heeds(made), heeds(aws)) == ({False}, {True})


@pytest.mark.parametrize("region", ["cn-north-1", "us-gov-west-1", "eusc-de-east-1", "us-iso-east-1"])
def test_a_region_of_another_partition_is_refused_by_name(region: str) -> None:
    with pytest.raises(ValueError, match=rf"{region} is a region of the partition aws-.*: only aws is supported"):
        target(region=region)


@pytest.mark.parametrize(
    ("variable", "kind"), [("AWS_USE_FIPS_ENDPOINT", "FIPS"), ("AWS_USE_DUALSTACK_ENDPOINT", "dual-stack")]
)
def test_whoever_needs_other_endpoints_is_told_that_functions_do_not_use_them(
    variable: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "true")

    with pytest.raises(ValueError, match=f"{variable}: functions do not use {kind} endpoints"):
        target()


def test_more_reports_than_api_gateway_takes_in_the_region_are_refused_until_aws_has_raised_it() -> None:
    with pytest.raises(ValueError, match=r"reportsPerSecond is 2,501, but API Gateway takes 2,500 .* eu-south-1"):
        target(region="eu-south-1", reportsPerSecond=2_501)

    assert target(region="eu-west-1", reportsPerSecond=2_501).quotas.api == 10_000
    assert target(region="eu-south-1", reportsPerSecond=2_501, apiRequestsPerSecond=9_000).quotas.api == 9_000


def test_quotas_of_the_region_that_are_too_small_for_the_plan_are_said_at_synth(first: Synthesised) -> None:
    said = (first.folder / "Andon-prod.metadata.json").read_text()

    assert re.search(r"eu-south-1: all routes together take [\d,]{5,} requests a second, API Gateway 2,500", said)
    readers = len(subscribers_of("equipment", "state-reported"))
    assert f"400 reports a second are {400 * readers:,} invocations by rules, EventBridge makes 750" in said


def test_a_trail_writes_down_who_reads_the_lake_the_archive_and_the_faults(aws: Synthesised, prod: Synthesised) -> None:
    [trail] = prod.of_type("AWS::CloudTrail::Trail").values()
    [selector] = trail["EventSelectors"]
    [objects] = selector["DataResources"]

    watched = {prod.output(name) for name in ("LakeBucket", "ArchiveBucket", "FaultsBucket", "DriftBucket")}
    assert {text(one) for one in objects["Values"]} == {f"{bucket}.Arn/" for bucket in watched}
    assert (objects["Type"], selector["IncludeManagementEvents"]) == ("AWS::S3::Object", False)
    assert trail["EnableLogFileValidation"] is True
    [policy] = [
        made for made in prod.of_type("AWS::S3::BucketPolicy").values() if made["Bucket"] == trail["S3BucketName"]
    ]
    [others] = [
        one
        for one in policy["PolicyDocument"]["Statement"]
        if one["Effect"] == "Deny" and one["Principal"] == {"Service": "cloudtrail.amazonaws.com"}
    ]
    arn = text(others["Condition"]["StringNotEquals"]["aws:SourceArn"])
    assert arn.endswith(f":trail/{trail['TrailName']}")
    assert not aws.of_type("AWS::CloudTrail::Trail")


@pytest.mark.parametrize(("planned", "hours"), [(400, 1), (1_440, 1), (1_441, 2), (6_667, 5)])
def test_the_tokens_of_devices_live_so_long_that_cognito_can_renew_them_all(planned: int, hours: int) -> None:
    """https://docs.aws.amazon.com/cognito/latest/developerguide/quotas.html."""
    renewed_per_second = planned / 2 * 300 / (hours_of_device(planned) * 3600)

    assert hours_of_device(planned) == hours
    assert renewed_per_second <= 60  # half of 120: the other half is for who signs in


@pytest.mark.parametrize(
    "forgotten", ["customerKey", "terminationProtection", "deployment", "logRetention", "reportsPerSecondOfOne"]
)
def test_a_setting_that_is_missing_is_refused(forgotten: str) -> None:
    with pytest.raises(ValueError, match=rf"stages.prod of cdk.json: {forgotten} is missing"):
        target("prod", **{forgotten: None})


def test_a_lock_may_not_outlive_what_is_erased() -> None:
    with pytest.raises(ValueError, match="lakeLockDays is 29, but should be at most 28"):
        target(lakeLockDays=29)

    assert target(lakeLockDays=28).stage.lake_lock_days == 28


def test_a_setting_that_is_misspelt_or_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"nobody knows the setting customerkey"):
        target(customerkey=True)
    with pytest.raises(ValueError, match=r"customerKey is 'true', but should be"):
        target(customerKey="true")
    with pytest.raises(ValueError, match="logRetention is 'EVER', but should be one of CDK's RetentionDays"):
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

    assert target(flags={"alarmTopic": ""}, alarms=True, alarmTopic="ours").stage.alarm_topic == "ours"


def test_a_stage_without_alarms_needs_no_topic() -> None:
    assert not target(flags={"alarmTopic": ""}).stage.alarms


def test_a_protected_stage_names_its_own_broker() -> None:
    with pytest.raises(ValueError, match=r"stage prod: name the account's own broker.* liveOrigin in stages.prod"):
        target("prod", flags={"liveOrigin": ""})

    assert target().stage.live_origin is None
    assert target("prod", flags={"liveOrigin": ""}, liveOrigin="wss://ours").stage.live_origin == "wss://ours"


def test_a_stage_may_be_deployed_by_roles_of_its_own(aws: Synthesised, varied: Synthesised) -> None:
    versions = [
        one.templates["Andon.template.json"]["Parameters"]["BootstrapVersion"]["Default"] for one in (aws, varied)
    ]

    assert versions == ["/cdk-bootstrap/hnb659fds/version", "/cdk-bootstrap/andon1/version"]


def test_the_environment_is_that_of_the_stage_or_of_the_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDK_DEFAULT_ACCOUNT", "000000000000")
    monkeypatch.setenv("CDK_DEFAULT_REGION", "eu-west-1")

    found, own = target().environment, target(account="111111111111", region="us-east-1").environment

    assert found
    assert (found.account, found.region) == ("000000000000", "eu-west-1")
    assert own
    assert (own.account, own.region) == ("111111111111", "us-east-1")


def test_everything_that_keeps_data_outlives_its_stack_and_what_would_replace_it(prod: Synthesised) -> None:
    keeping = [made for made in prod.resources.values() if made["Type"] in KEEPS_DATA]

    assert {made["Type"] for made in keeping} == KEEPS_DATA
    assert {made["DeletionPolicy"] for made in keeping} <= {KEPT, "Retain"}
    assert {made["UpdateReplacePolicy"] for made in keeping} == {"Retain"}


def test_the_bus_and_its_archive_go_together(prod: Synthesised) -> None:
    """An archive can be replayed to its own bus alone, whose name the next deployment of the stage takes again."""
    fates = {
        made.get("DeletionPolicy", "Delete")
        for made in prod.resources.values()
        if made["Type"] in {"AWS::Events::EventBus", "AWS::Events::Archive"}
    }

    assert fates == {"Delete"}


def test_what_is_replaced_in_a_bucket_goes(varied: Synthesised) -> None:
    """A person who was erased is in it."""
    for made in varied.of_type("AWS::S3::Bucket").values():
        if "VersioningConfiguration" in made:
            rules = made["LifecycleConfiguration"]["Rules"]
            [days] = [
                one["NoncurrentVersionExpiration"]["NoncurrentDays"]
                for one in rules
                if "NoncurrentVersionExpiration" in one
            ]
            assert days <= MOST_LOCK_DAYS


def test_stages_of_one_account_share_neither_metrics_nor_topics_nor_names(aws: Synthesised, prod: Synthesised) -> None:
    def own_metrics(stack: Synthesised) -> set[str]:
        alarms = stack.of_type("AWS::CloudWatch::Alarm").values()
        own = [made for made in alarms if made.get("Namespace") == "Andon"]
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


OTHERS: list[Any] = [None, True, "", "EVER", "a@b", -1, 0, 29, [], [1], ["https://hooks.example.com/x"], {}, 1.5]
"""Values of all kinds; 1.0 is an integer to JSON Schema."""


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_schema_of_settings_refuses_what_a_synth_refuses(setting: str) -> None:
    usual = STAGES["stages"]["prod"]
    without = {name: value for name, value in usual.items() if name != setting}
    alike = Draft202012Validator(schema())

    for settings in (usual, without, {**without, setting.lower(): 1}, *({**usual, setting: one} for one in OTHERS)):
        try:
            read("prod", settings)
        except ValueError:
            assert not alike.is_valid(settings), settings.get(setting)
        else:
            assert alike.is_valid(settings), settings.get(setting)


def test_a_setting_that_refuses_values_says_which_it_takes() -> None:
    for name, one in SETTINGS.items():
        said = one.metadata["setting"]
        assert bool(said.may_be) == bool(said.should), name


def test_no_stage_of_the_repository_names_an_account() -> None:
    for settings in json.loads((PROJECT / "cdk.json").read_text())["context"]["stages"].values():
        assert "account" not in settings
        assert not str(settings.get("alarmTopic", "")).startswith("arn:")


def test_a_stage_with_every_option_at_once_says_each_setting_that_may_be_left_out() -> None:
    assert SETTINGS.keys() - NEEDED <= OTHER_SETTINGS.keys()


def test_a_stage_whose_name_begins_another_ones_is_refused() -> None:
    stages = dict.fromkeys(("prod", "prod2", "dev"), STAGES["stages"]["dev"])

    for name in ("prod", "prod2"):
        with pytest.raises(ValueError, match=r"stages of cdk.json: prod2? and prod2? begin alike"):
            Target.of(App(context=STAGES | {"stages": stages, "stage": name}))
    assert Target.of(App(context=STAGES | {"stages": stages, "stage": "dev"})).stage.name == "dev"
