"""The bucket of models: private, nothing in it is lost, and two functions read it."""

import json

import pytest

from tests.support.infra.synthesised import FILES, KEPT, Synthesised

READERS = ("services/anomalies/trigger", "services/anomalies/sweep")


def test_models_are_kept_privately_encrypted_with_all_their_versions_and_outlive_the_stack(aws: Synthesised) -> None:
    made = aws.resources[aws.output("ModelsBucket")]

    assert made["DeletionPolicy"] == KEPT
    assert set(made["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
    assert "AES256" in json.dumps(made["Properties"]["BucketEncryption"])
    assert made["Properties"]["VersioningConfiguration"] == {"Status": "Enabled"}
    assert "LifecycleConfiguration" not in made["Properties"]


def test_who_decides_by_models_alone_may_read_them_and_no_function_may_write_them(aws: Synthesised) -> None:
    bucket = aws.output("ModelsBucket")

    found = {(file, action) for file in FILES for action, on in aws.allowed(file) if on.startswith(f"{bucket}.")}

    assert found == {(file, action) for file in READERS for action in ("s3:GetObject", "s3:ListBucket")}


@pytest.mark.parametrize("file", READERS)
def test_who_reads_models_knows_the_bucket_and_has_the_memory_for_a_model(aws: Synthesised, file: str) -> None:
    function = aws.functions()[file]
    environment = function["Environment"]["Variables"]

    assert function["MemorySize"] == 1024
    assert environment["MODELS_BUCKET"] == {"Ref": aws.output("ModelsBucket")}


def test_an_alarm_rings_when_the_model_cannot_be_read_for_five_minutes(aws: Synthesised) -> None:
    [made] = [one for one in aws.of_type("AWS::CloudWatch::Alarm").values() if one["MetricName"] == "model_unreadable"]

    assert made["Dimensions"] == [{"Name": "service", "Value": "anomalies"}, {"Name": "stage", "Value": "dev"}]
    assert (made["Threshold"], made["EvaluationPeriods"]) == (0, 5)
