from pathlib import Path
from typing import Any

import pytest

from andon.cdk.owned_table import refuse_remembering
from andon.dynamodb.schema import MOST_RECOVERY_DAYS, Index, Keys, TableSchema
from andon.testing.synthesised import Properties, Synthesised
from tests.support.infra.synthesised import KEPT, PACKAGES, VIEWS, declared_tables, files, only, synthesise
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
    days = DECLARED[name].recovery_days
    shorter = {} if days == MOST_RECOVERY_DAYS else {"RecoveryPeriodInDays": days}
    assert recovery == {"PointInTimeRecoveryEnabled": name not in OF_VIEWS} | shorter
    assert here["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": False}


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
    indexes = table(aws, "BoardTable")["Properties"]["GlobalSecondaryIndexes"]

    assert indexes
    assert all(index["Projection"] == {"ProjectionType": "KEYS_ONLY"} for index in indexes)


def test_a_customer_key_is_a_setting_of_the_stage_and_whoever_uses_the_table_may_use_it(varied: Synthesised) -> None:
    for name in DECLARED:
        properties = table(varied, name)["Properties"]
        assert properties["SSESpecification"]["SSEType"] == "KMS"
        key = properties["SSESpecification"]["KMSMasterKeyId"]["Fn::GetAtt"][0]
        assert varied.of_type("AWS::KMS::Key")[key]["EnableKeyRotation"] is True
    with_tables = [file for package in PACKAGES if package.tables for file in files(package)]
    assert with_tables
    for file in with_tables:
        assert any(action == "kms:Decrypt" for action, _ in varied.allowed(file))
        assert not any("*" in action for action, _ in varied.allowed(file))


def test_names_of_people_leave_their_table_by_no_stream_and_stay_in_backups_for_a_day(aws: Synthesised) -> None:
    """The index has keys only, so that a name is in no second place either."""
    names, erasures = (table(aws, name)["Properties"] for name in ("PeopleTable", "ErasuresTable"))

    assert "StreamSpecification" not in names
    assert names["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"] == 1
    assert [index["Projection"] for index in names["GlobalSecondaryIndexes"]] == [{"ProjectionType": "KEYS_ONLY"}]
    assert "StreamSpecification" in erasures
    assert "RecoveryPeriodInDays" not in erasures["PointInTimeRecoverySpecification"]


@pytest.mark.parametrize("days", [0, 36, -1])
def test_a_table_is_refused_whose_recovery_aws_does_not_know(days: int) -> None:
    schema = TableSchema(Keys("pk", one_partition_per="entity"), recovery_days=days)

    with pytest.raises(ValueError, match=f"NAMES_TABLE: recovery_days is {days}, but should be 1 to 35"):
        refuse_remembering("NAMES_TABLE", schema)


def test_a_table_that_is_to_forget_soon_is_refused_a_stream() -> None:
    schema = TableSchema(Keys("pk", one_partition_per="entity"), stream=True, recovery_days=1)

    with pytest.raises(ValueError, match="NAMES_TABLE: 1 recovery_days and a stream"):
        refuse_remembering("NAMES_TABLE", schema)


def key_schema(keys: Keys) -> list[dict[str, str]]:
    kinds = zip(keys.names, ("HASH", "RANGE"), strict=False)
    return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds]
