from pathlib import Path
from typing import Any

import pytest

from andon.dynamodb.schema import Index, Keys
from andon.testing.synthesised import Properties, Synthesised
from tests.support.infra.synthesised import KEPT, PACKAGES, VIEWS, declared_tables, only, synthesise
from views.state_log import view as state_log

OF_VIEWS = {name for package in VIEWS for name in declared_tables(package)}
DECLARED = {name: schema for package in PACKAGES for name, schema in declared_tables(package).items()}


def table(synthesised: Synthesised, output: str) -> dict[str, Any]:
    properties: dict[str, Any] = synthesised.resources[synthesised.output(output)]
    return properties


def test_every_table_has_an_output_of_its_name(aws: Synthesised) -> None:
    assert set(aws.of_type("AWS::DynamoDB::Table")) == {aws.output(name) for name in DECLARED}


@pytest.mark.parametrize("name", DECLARED)
def test_a_table_outlives_mistakes_is_backed_up_unless_events_write_it_again_and_goes_with_the_emulators_stack(
    aws: Synthesised, local: Synthesised, name: str
) -> None:
    made, here = table(aws, name), table(local, name)
    recovery = made["Properties"]["PointInTimeRecoverySpecification"]

    assert (made["DeletionPolicy"], made["UpdateReplacePolicy"], here["DeletionPolicy"]) == (KEPT, "Retain", "Delete")
    assert [one["Properties"]["DeletionProtectionEnabled"] for one in (made, here)] == [True, False]
    assert recovery == {"PointInTimeRecoveryEnabled": name not in OF_VIEWS}


@pytest.mark.parametrize("name", DECLARED)
def test_a_table_is_what_its_package_declares_and_has_no_fixed_name(aws: Synthesised, name: str) -> None:
    made, schema = table(aws, name)["Properties"], DECLARED[name]

    assert made["KeySchema"] == key_schema(schema.keys)
    assert {index["IndexName"]: index["KeySchema"] for index in made.get("GlobalSecondaryIndexes", [])} == {
        index: key_schema(declared.keys) for index, declared in schema.indexes.items()
    }
    ttl, stream = {"AttributeName": "ttl", "Enabled": True}, {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert made.get("TimeToLiveSpecification") == (ttl if schema.expires else None)
    assert made.get("StreamSpecification") == (stream if schema.stream else None)
    assert (made.get("TableClass") == "STANDARD_INFREQUENT_ACCESS") == schema.seldom_read
    assert not made.keys() & {"TableName", "ProvisionedThroughput"}


@pytest.fixture(scope="module")
def redeclared(layer: Path) -> Properties:
    """The table of a view whose rows have no end, with an index that copies one attribute."""
    narrow = Index(Keys("Operator", "Count", sort_type="N", one_partition_per="entity"), projects=("Detail",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_log, "TTL_DAYS", None)
        patch.setattr(state_log, "INDEXES", {"Narrow": narrow})
        made: Properties = table(synthesise(layer, declare=only("views/state_log")), "StateLogTable")["Properties"]
    return made


def test_rows_without_an_end_leave_the_table_without_a_ttl(redeclared: Properties) -> None:
    assert "TimeToLiveSpecification" not in redeclared


def test_an_index_copies_only_what_it_declares_and_sorts_numbers_as_numbers(redeclared: Properties) -> None:
    assert {"AttributeName": "Count", "AttributeType": "N"} in redeclared["AttributeDefinitions"]
    [index] = redeclared["GlobalSecondaryIndexes"]
    assert index["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Detail"]}


def test_an_index_that_copies_nothing_has_keys_only(aws: Synthesised) -> None:
    [index] = table(aws, "BoardTable")["Properties"]["GlobalSecondaryIndexes"]

    assert index["Projection"] == {"ProjectionType": "KEYS_ONLY"}


def test_a_customer_key_is_a_setting_of_the_stage_and_whoever_uses_the_table_may_use_it(varied: Synthesised) -> None:
    for name in DECLARED:
        properties = table(varied, name)["Properties"]
        assert properties["SSESpecification"]["SSEType"] == "KMS"
        key = properties["SSESpecification"]["KMSMasterKeyId"]["Fn::GetAtt"][0]
        assert varied.of_type("AWS::KMS::Key")[key]["EnableKeyRotation"] is True
    with_tables = (file for file in varied.functions() if file.startswith(("services/", "views/")))
    for file in with_tables:
        assert any(action == "kms:Decrypt" for action, _ in varied.allowed(file))
        assert not any("*" in action for action, _ in varied.allowed(file))


def key_schema(keys: Keys) -> list[dict[str, str]]:
    kinds = zip(keys.names, ("HASH", "RANGE"), strict=False)
    return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds]
