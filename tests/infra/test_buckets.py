"""Every bucket: private, encrypted, over TLS only, which cdk-nag says; on AWS it outlives its stack."""

import json

from andon.testing.synthesised import Synthesised
from tests.support.infra.synthesised import KEPT

BUCKET = "AWS::S3::Bucket"


def test_every_bucket_is_private_and_encrypted(aws: Synthesised) -> None:
    for made in aws.of_type(BUCKET).values():
        assert set(made["PublicAccessBlockConfiguration"].values()) == {True}
        assert "AES256" in json.dumps(made["BucketEncryption"])


def test_a_bucket_outlives_its_stack_except_on_the_emulator(aws: Synthesised, local: Synthesised) -> None:
    policies = [{one.resources[name]["DeletionPolicy"] for name in one.of_type(BUCKET)} for one in (aws, local)]

    assert policies == [{KEPT}, {"Delete"}]


def test_each_bucket_forgets_what_it_is_to_forget_and_the_others_nothing(aws: Synthesised) -> None:
    def days(output: str) -> list[int]:
        rules = aws.resources[aws.output(output)]["Properties"].get("LifecycleConfiguration", {"Rules": []})["Rules"]
        return sorted(rule["ExpirationInDays"] for rule in rules if "ExpirationInDays" in rule)

    forgetting = {name: days(name) for name in aws.outputs if name.endswith("Bucket") and days(name)}
    failures = {name: [28] for name in aws.outputs if name.endswith("FailuresBucket")}
    assert len(failures) > 1
    named = {"ArchiveBucket": [90, 400, 3650], "FaultsBucket": [365], "DriftBucket": [365], "AgendaDaysBucket": [457]}
    assert forgetting == named | failures
    versioned = [made for made in aws.of_type(BUCKET).values() if "VersioningConfiguration" in made]
    own = [aws.of_type(BUCKET)[aws.output(name)] for name in ("LakeBucket", "ModelsBucket")]
    assert all(made in versioned for made in own)
