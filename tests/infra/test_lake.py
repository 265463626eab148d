"""The lake: it keeps everything for ever, one role adds to it, and nobody takes anything away."""

from typing import Any

import pytest

from andon.testing.synthesised import Properties, Synthesised, listed, text
from tests.support.infra.synthesised import KEPT

LISTENER = "stores/lake/listener"


def bucket(synthesised: Synthesised) -> dict[str, Any]:
    return synthesised.resources[synthesised.output("LakeBucket")]


def denied(aws: Synthesised) -> list[Properties]:
    own = {"Ref": aws.output("LakeBucket")}
    [policy] = [made for made in aws.of_type("AWS::S3::BucketPolicy").values() if made["Bucket"] == own]
    statements: list[Properties] = policy["PolicyDocument"]["Statement"]
    assert {statement["Effect"] for statement in statements} == {"Deny"}
    return statements


def role(aws: Synthesised) -> str:
    return str(aws.functions()[LISTENER]["Role"]["Fn::GetAtt"][0])


def rule(aws: Synthesised) -> Properties:
    queue = f"{aws.output('LakeQueueUrl')}.Arn"
    rules = [made for made in aws.of_type("AWS::Events::Rule").values() if "EventPattern" in made]
    [made] = [made for made in rules if text(made["Targets"][0]["Arn"]) == queue]
    return made


def is_denied(aws: Synthesised, action: str, resource: str, *, by: str) -> bool:
    """Return True if the bucket's policy denies an action to a role, by its logical id."""
    return any(
        action in listed(statement["Action"])
        and resource in {text(one) for one in listed(statement["Resource"])}
        and statement["Principal"] == {"AWS": "*"}
        and applies(statement.get("Condition"), by)
        for statement in denied(aws)
    )


def applies(condition: Properties | None, principal: str) -> bool:
    match condition:
        case None:
            return True
        case {"ArnNotEquals": {"aws:PrincipalArn": excepted}}:
            return f"{principal}.Arn" not in {text(one) for one in listed(excepted)}
        case {"Bool": {"aws:SecureTransport": "false"}}:
            return False  # over TLS
    raise NotImplementedError(condition)


def test_what_is_in_the_lake_never_expires_and_outlives_the_stack(aws: Synthesised) -> None:
    made = bucket(aws)

    old = {"NoncurrentVersionExpiration": {"NoncurrentDays": 28}, "Status": "Enabled"}
    assert made["Properties"]["LifecycleConfiguration"] == {"Rules": [old]}
    assert (made["DeletionPolicy"], made["UpdateReplacePolicy"]) == (KEPT, "Retain")
    assert made["Properties"]["VersioningConfiguration"] == {"Status": "Enabled"}


def test_nobody_but_the_listener_writes(aws: Synthesised) -> None:
    objects = f"{aws.output('LakeBucket')}.Arn/*"
    roles = aws.of_type("AWS::IAM::Role")

    writers = {name for name in roles if not is_denied(aws, "s3:PutObject", objects, by=name)}

    assert writers == {role(aws)}
    assert is_denied(aws, "s3:ReplicateObject", objects, by="anybody")


@pytest.mark.parametrize("action", ["s3:DeleteObject", "s3:DeleteObjectVersion", "s3:BypassGovernanceRetention"])
def test_nobody_deletes_not_even_the_listener(aws: Synthesised, action: str) -> None:
    objects = f"{aws.output('LakeBucket')}.Arn/*"

    assert is_denied(aws, action, objects, by="anybody")
    assert is_denied(aws, action, objects, by=role(aws))


def test_nobody_reads_what_was_replaced(aws: Synthesised, varied: Synthesised) -> None:
    objects = f"{aws.output('LakeBucket')}.Arn/*"

    assert is_denied(aws, "s3:GetObjectVersion", objects, by="anybody")
    assert is_denied(aws, "s3:GetObjectVersion", objects, by=role(aws))
    assert is_denied(varied, "s3:GetObjectVersion", f"{varied.output('LakeBucket')}.Arn/*", by="anybody")


@pytest.mark.parametrize("action", ["s3:PutLifecycleConfiguration", "s3:DeleteBucket"])
def test_nobody_lets_the_lake_expire(aws: Synthesised, action: str) -> None:
    assert is_denied(aws, action, f"{aws.output('LakeBucket')}.Arn", by="anybody")


def test_a_setting_of_the_stage_locks_what_is_written_without_a_new_bucket(
    aws: Synthesised, varied: Synthesised
) -> None:
    plain, changed = bucket(aws)["Properties"], bucket(varied)["Properties"]

    retention = {"DefaultRetention": {"Days": 21, "Mode": "GOVERNANCE"}}
    assert changed["ObjectLockConfiguration"] == {"ObjectLockEnabled": "Enabled", "Rule": retention}
    # To change this property replaces the bucket.
    assert plain["ObjectLockEnabled"] is changed["ObjectLockEnabled"] is True
    assert "Rule" not in plain.get("ObjectLockConfiguration", {})
    assert aws.output("LakeBucket") == varied.output("LakeBucket")


def test_everything_goes_into_the_lake_but_what_an_archive_replays(aws: Synthesised) -> None:
    assert rule(aws)["EventPattern"] == {"account": [{"Ref": "AWS::AccountId"}], "replay-name": [{"exists": False}]}


def test_the_listener_waits_for_many_except_on_the_emulator(aws: Synthesised, local: Synthesised) -> None:
    [mapping], [soon] = aws.mappings(LISTENER), local.mappings(LISTENER)

    assert (mapping["BatchSize"], mapping["MaximumBatchingWindowInSeconds"]) == (10_000, 300)
    assert soon["BatchSize"] == 10
    assert "MaximumBatchingWindowInSeconds" not in soon


def test_a_message_stays_hidden_while_its_batch_waits_and_may_be_tried(aws: Synthesised) -> None:
    queue = aws.of_type("AWS::SQS::Queue")[aws.output("LakeQueueUrl")]

    assert queue["VisibilityTimeout"] == 6 * aws.functions()[LISTENER]["Timeout"] + 300
