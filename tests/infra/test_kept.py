"""Ids of all that outlives its stack are held: nothing goes, moves or is replaced that nobody named."""

from pathlib import Path

import pytest

from andon.cdk.api import Api
from andon.cdk.event_hub import EventHub
from andon.cdk.view import View
from andon.testing.synthesised import Synthesised
from andon.tools.ops.kept import assembled, held, kept_in, lost, require_held
from andon.tools.stack.errors import ToolFailed
from infra.stack import Andon
from tests.support.infra.synthesised import only, synthesise

TABLE = "AWS::DynamoDB::Table"
BEFORE = {"Board/BoardTable1": f"{TABLE} EquipmentID (S)", "Lake/Bucket2": "AWS::S3::Bucket"}


def kept(made: Synthesised, stack: str) -> dict[str, str]:
    return kept_in(assembled(made.folder)[stack])


def test_what_the_templates_of_both_stages_keep_is_held(aws: Synthesised, prod: Synthesised) -> None:
    assert {stack: kept(made, stack) for stack, made in (("Andon", aws), ("Andon-prod", prod))} == held(), "make kept"


def test_a_package_with_another_name_keeps_its_ids_by_the_one_before(layer: Path) -> None:
    def declare(stack: Andon, hub: EventHub, api: Api) -> None:
        View(stack, "board", hub, api, formerly="wall")

    before, now = (kept(synthesise(layer, declare=one), "Andon") for one in (only("views/board"), declare))

    assert "Board/BoardTable8FAAD6DD" in before
    assert now == {name.replace("Board/", "Wall/"): what for name, what in before.items()}


@pytest.mark.parametrize(
    ("now", "why"),
    [
        ({}, "Board/BoardTable1: AWS::DynamoDB::Table EquipmentID (S) would be gone"),
        ({"Board/BoardTable3": BEFORE["Board/BoardTable1"]}, "would be gone"),
        ({"Wall/BoardTable1": BEFORE["Board/BoardTable1"]}, "would be gone"),
        ({"Board/BoardTable1": f"{TABLE} EquipmentID (N)"}, f"would be replaced by {TABLE} EquipmentID (N)"),
        ({"Board/BoardTable1": "AWS::DynamoDB::GlobalTable EquipmentID (S)"}, "would be replaced by"),
    ],
    ids=["removed", "another id", "another stack", "another key", "another type"],
)
def test_what_would_be_lost_is_refused_unless_it_is_named(now: dict[str, str], why: str) -> None:
    after = {"Lake/Bucket2": "AWS::S3::Bucket", "New/Bucket": "AWS::S3::Bucket", **now}

    with pytest.raises(ToolFailed) as refused:
        require_held(BEFORE, after, "Andon")

    assert why in str(refused.value)
    assert "Lake" not in str(refused.value)
    assert "make kept GONE=Board/BoardTable1" in str(refused.value)
    require_held(BEFORE, after, "Andon", gone=["Board/BoardTable1"])


def test_a_template_keeps_what_is_retained_and_no_code_and_the_keys_of_a_table_are_fixed() -> None:
    table = {
        "Type": TABLE,
        "DeletionPolicy": "RetainExceptOnCreate",
        "Properties": {
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("at", "by", "id")],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
        },
    }
    root = {
        "Key": {"Type": "AWS::KMS::Key", "DeletionPolicy": "Retain"},
        "Named": {"Type": "AWS::S3::Bucket", "DeletionPolicy": "Retain", "Properties": {"BucketName": "one"}},
        "Version": {"Type": "AWS::Lambda::Version", "DeletionPolicy": "Retain"},
        "Queue": {"Type": "AWS::SQS::Queue"},
    }

    found = kept_in({"": {"Resources": root}, "Things": {"Resources": {"Table": table}}})

    assert found == {"Key": "AWS::KMS::Key", "Named": "AWS::S3::Bucket one", "Things/Table": f"{TABLE} id (S) at (S)"}
    assert lost(found, found) == {}
