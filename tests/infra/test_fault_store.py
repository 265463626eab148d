import json
from typing import Any

import pytest

from andon.cdk.names import pascal
from andon.packages.package import Package
from tests.support.infra.synthesised import KEPT, READERS, Synthesised


def bucket(synthesised: Synthesised) -> dict[str, Any]:
    return synthesised.resources[synthesised.output("FaultsBucket")]


def test_faults_are_kept_privately_encrypted_for_a_year_and_outlive_the_stack(aws: Synthesised) -> None:
    made = bucket(aws)

    assert made["DeletionPolicy"] == KEPT
    assert set(made["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
    assert "AES256" in json.dumps(made["Properties"]["BucketEncryption"])
    assert made["Properties"]["LifecycleConfiguration"] == {"Rules": [{"ExpirationInDays": 365, "Status": "Enabled"}]}


def test_on_the_emulator_faults_go_with_the_stack(local: Synthesised) -> None:
    assert bucket(local)["DeletionPolicy"] == "Delete"


def test_the_bucket_is_refused_without_tls(aws: Synthesised) -> None:
    own = {"Ref": aws.output("FaultsBucket")}
    [policy] = [made for made in aws.of_type("AWS::S3::BucketPolicy").values() if made["Bucket"] == own]

    [denied] = policy["PolicyDocument"]["Statement"]
    assert (denied["Effect"], denied["Action"]) == ("Deny", "s3:*")
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_the_queue_of_every_reader_is_known_to_the_command_that_puts_messages_back(
    aws: Synthesised, reader: Package
) -> None:
    environment = aws.functions()["stores/faults/command"]["Environment"]["Variables"]

    assert environment[f"{reader.name.upper()}_QUEUE_URL"] == {"Ref": aws.output(f"{pascal(reader.name)}QueueUrl")}
