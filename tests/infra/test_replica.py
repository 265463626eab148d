"""A region is lost: the copies of lake and archive in another one, and what may write them."""

import json
from pathlib import Path
from typing import Any

import pytest

from andon.cdk.operations.signals import rpo_seconds
from andon.cdk.replica import COPY_MINUTES
from andon.cdk.target import AWS
from andon.testing.synthesised import Properties, Synthesised, listed, text
from tests.support.infra.synthesised import KEPT, THERE, synthesise

LAKE, ARCHIVE = (f"andon-{kind}-AWS::AccountId-{THERE}" for kind in ("lake", "archive"))


@pytest.fixture(scope="module")
def replica(varied: Synthesised) -> Synthesised:
    [name] = [name for name in varied.templates if "replica" in name]
    return Synthesised(varied.templates[name])


def rule(stack: Synthesised, output: str) -> Properties:
    """Return the one rule by which a bucket is copied."""
    configuration = stack.resources[stack.output(output)]["Properties"]["ReplicationConfiguration"]
    [found] = configuration["Rules"]
    assert (found["Status"], found["Filter"]) == ("Enabled", {"Prefix": ""})
    made: Properties = found
    return made


def test_a_stage_without_a_replica_region_copies_nothing(aws: Synthesised) -> None:
    assert not any("ReplicationConfiguration" in made for made in aws.of_type("AWS::S3::Bucket").values())
    assert not any("replica" in name for name in aws.templates)


def test_the_lake_is_copied_in_time_and_what_is_deleted_stays_in_the_copy(varied: Synthesised) -> None:
    copied = rule(varied, "LakeBucket")

    assert text(copied["Destination"]["Bucket"]) == f"arn:AWS::Partition:s3:::{LAKE}"
    within = {"Status": "Enabled", "Time": {"Minutes": COPY_MINUTES}}
    assert copied["Destination"]["ReplicationTime"] == within
    assert copied["Destination"]["Metrics"] == {"Status": "Enabled", "EventThreshold": {"Minutes": COPY_MINUTES}}
    assert copied["DeleteMarkerReplication"] == {"Status": "Disabled"}


def test_the_archive_is_copied_as_it_comes_and_goes(varied: Synthesised) -> None:
    copied = rule(varied, "ArchiveBucket")

    assert text(copied["Destination"]["Bucket"]) == f"arn:AWS::Partition:s3:::{ARCHIVE}"
    assert "ReplicationTime" not in copied["Destination"]
    assert copied["DeleteMarkerReplication"] == {"Status": "Enabled"}


def test_both_copies_are_private_versioned_and_outlive_their_stack(replica: Synthesised) -> None:
    copies = [made for made in replica.resources.values() if made["Type"] == "AWS::S3::Bucket"]

    assert sorted(text(made["Properties"]["BucketName"]) for made in copies) == [ARCHIVE, LAKE]
    for made in copies:
        assert made["DeletionPolicy"] == KEPT
        assert made["Properties"]["VersioningConfiguration"] == {"Status": "Enabled"}
        assert set(made["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}


def test_the_copy_of_the_lake_is_locked_as_the_lake_is_or_s3_would_not_copy(
    varied: Synthesised, replica: Synthesised
) -> None:
    locks = [
        stack.resources[stack.output(output)]["Properties"]["ObjectLockConfiguration"]
        for stack, output in ((varied, "LakeBucket"), (replica, "LakeCopy"))
    ]

    assert locks[0] == locks[1]


def test_nobody_but_the_role_that_copies_writes_into_the_copy_of_the_lake(replica: Synthesised) -> None:
    own = {"Ref": replica.output("LakeCopy")}
    [policy] = [made for made in replica.of_type("AWS::S3::BucketPolicy").values() if made["Bucket"] == own]
    statements = policy["PolicyDocument"]["Statement"]
    [writes] = [one for one in statements if "s3:ReplicateObject" in listed(one["Action"])]
    [destroys] = [one for one in statements if "s3:DeleteObjectVersion" in listed(one["Action"])]

    [excepted] = listed(writes["Condition"]["ArnNotEquals"]["aws:PrincipalArn"])
    assert text(excepted) == f"arn:AWS::Partition:iam::AWS::AccountId:role/Andon-lake-to-{THERE}"
    assert (writes["Effect"], destroys["Effect"]) == ("Deny", "Deny")
    assert "Condition" not in destroys


def test_a_role_copies_one_bucket_to_one_other(varied: Synthesised) -> None:
    roles = {
        made["RoleName"]: {"Ref": name}
        for name, made in varied.of_type("AWS::IAM::Role").items()
        if "-to-" in str(made.get("RoleName"))
    }
    assert sorted(roles) == [f"Andon-{kind}-to-{THERE}" for kind in ("archive", "lake")]
    allowed: dict[str, dict[str, set[str]]] = {}
    for name, role in roles.items():
        [policy] = [made for made in varied.of_type("AWS::IAM::Policy").values() if made["Roles"] == [role]]
        statements = policy["PolicyDocument"]["Statement"]
        allowed[name] = {text(one["Resource"]): {*listed(one["Action"])} for one in statements}
    for kind, bucket in (("lake", "LakeBucket"), ("archive", "ArchiveBucket")):
        own, copy = f"{varied.output(bucket)}.Arn", f"arn:AWS::Partition:s3:::{LAKE if kind == 'lake' else ARCHIVE}"
        found = allowed[f"Andon-{kind}-to-{THERE}"]
        assert set(found) == {own, f"{own}/*", f"{copy}/*"}
        assert ("s3:ReplicateDelete" in found[f"{copy}/*"]) == (kind == "archive")
        assert "s3:GetObjectRetention" in found[f"{own}/*"]


def test_what_the_archive_replaced_goes_in_both_regions(varied: Synthesised, replica: Synthesised) -> None:
    for stack, output in ((varied, "ArchiveBucket"), (replica, "ArchiveCopy")):
        rules = stack.resources[stack.output(output)]["Properties"]["LifecycleConfiguration"]["Rules"]
        [old] = [one for one in rules if "NoncurrentVersionExpiration" in one]
        assert old["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}
        assert old["ExpiredObjectDeleteMarker"] is True


def test_an_alarm_rings_when_the_copy_is_older_than_is_promised(varied: Synthesised) -> None:
    alarms: dict[str, Any] = {
        made["MetricName"]: made
        for made in varied.of_type("AWS::CloudWatch::Alarm").values()
        if made.get("Namespace") == "AWS/S3"
    }

    assert set(alarms) == {"ReplicationLatency", "OperationsFailedReplication"}
    assert alarms["ReplicationLatency"]["Threshold"] == COPY_MINUTES * 60
    assert all("/copy-behind.md" in made["AlarmDescription"] for made in alarms.values())


def test_what_is_promised_is_the_sum_of_the_steps_of_which_a_trigger_that_is_later_rings(varied: Synthesised) -> None:
    ages = [
        made for made in varied.of_type("AWS::CloudWatch::Alarm").values() if made.get("MetricName") == "IteratorAge"
    ]
    [behind] = {made["Threshold"] / 1000 for made in ages if "/trigger-failing.md" in made["AlarmDescription"]}

    assert rpo_seconds(AWS) == behind + AWS.lake_settles_seconds + COPY_MINUTES * 60
    assert rpo_seconds(AWS) <= 29 * 60, "docs/region-lost.md says 29 minutes"


@pytest.mark.parametrize("here", [None, THERE], ids=["unknown", "the same"])
def test_a_replica_region_has_to_be_another_one_than_the_stages(layer: Path, here: str | None) -> None:
    with pytest.raises(ValueError, match=r"replicaRegion is eu-west-1: stages.prod of cdk.json needs another one"):
        synthesise(layer, stage="prod", region=here, replicaRegion=THERE)


def test_both_stacks_are_deployed_by_the_roles_of_the_stage(varied: Synthesised) -> None:
    artifacts = json.loads((varied.folder / "manifest.json").read_text())["artifacts"]
    deployed = {
        name: json.dumps(one["properties"]) for name, one in artifacts.items() if one["type"].endswith(":stack")
    }

    assert deployed.keys() == {"Andon", "Andon-replica"}
    assert all("cdk-andon1-deploy-role" in said and "hnb659fds" not in said for said in deployed.values())
