import importlib
from pathlib import Path
from typing import Any

import pytest

from patterns.schema import Index, Keys, TableSchema
from tests.infra.synthesised import Synthesised, synthesise
from views.state_log import view as state_log

OWNED = [("EquipmentTable", "services.equipment.tables", "EQUIPMENT_TABLE")]
OWNED += [("DispatchTable", "services.dispatch.tables", "DISPATCH_TABLE")]
EVERY_TABLE = ["EquipmentTable", "DispatchTable", "StateLogTable"]


def table(synthesised: Synthesised, output: str) -> dict[str, Any]:
    properties: dict[str, Any] = synthesised.resources[synthesised.output(output)]
    return properties


def test_every_table_has_an_output_of_its_name(aws: Synthesised) -> None:
    assert set(aws.of_type("AWS::DynamoDB::Table")) == {aws.output(name) for name in EVERY_TABLE}


@pytest.mark.parametrize("name", EVERY_TABLE)
def test_on_aws_a_table_outlives_mistakes(aws: Synthesised, name: str) -> None:
    made = table(aws, name)

    assert (made["DeletionPolicy"], made["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert made["Properties"]["DeletionProtectionEnabled"] is True
    assert made["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


@pytest.mark.parametrize("name", EVERY_TABLE)
def test_on_the_emulator_a_table_goes_with_its_stack(local: Synthesised, name: str) -> None:
    made = table(local, name)

    assert made["DeletionPolicy"] == "Delete"
    assert made["Properties"]["DeletionProtectionEnabled"] is False


@pytest.mark.parametrize("name", EVERY_TABLE)
def test_a_table_is_on_demand_and_has_no_fixed_name(aws: Synthesised, name: str) -> None:
    made = table(aws, name)["Properties"]

    assert made["BillingMode"] == "PAY_PER_REQUEST"
    assert "TableName" not in made
    assert "ProvisionedThroughput" not in made


@pytest.mark.parametrize(("name", "module", "variable"), OWNED)
def test_a_table_is_what_its_service_declares(aws: Synthesised, name: str, module: str, variable: str) -> None:
    schema: TableSchema = importlib.import_module(module).TABLES[variable]

    assert_is(table(aws, name)["Properties"], schema)


def test_a_table_is_what_its_view_declares(aws: Synthesised) -> None:
    schema = TableSchema(state_log.KEYS, state_log.INDEXES, expires=state_log.TTL_DAYS is not None)

    assert_is(table(aws, "StateLogTable")["Properties"], schema)


def test_rows_without_an_end_leave_the_table_without_a_ttl(layer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_log, "TTL_DAYS", None)

    made = table(synthesise(layer), "StateLogTable")["Properties"]

    assert "TimeToLiveSpecification" not in made


def test_an_index_copies_only_what_it_declares_and_sorts_numbers_as_numbers(
    layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = Index(Keys("Operator", "Count", sort_type="N"), projects=("Detail",))
    monkeypatch.setattr(state_log, "INDEXES", {"Narrow": narrow})

    made = table(synthesise(layer), "StateLogTable")["Properties"]

    assert {"AttributeName": "Count", "AttributeType": "N"} in made["AttributeDefinitions"]
    [index] = made["GlobalSecondaryIndexes"]
    assert index["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Detail"]}


def test_a_customer_key_is_a_context_value_away_and_whoever_uses_the_table_may_use_it(layer: Path) -> None:
    made = synthesise(layer, customerKey="true")

    for name in EVERY_TABLE:
        properties = table(made, name)["Properties"]
        assert properties["SSESpecification"]["SSEType"] == "KMS"
        key = properties["SSESpecification"]["KMSMasterKeyId"]["Fn::GetAtt"][0]
        assert made.of_type("AWS::KMS::Key")[key]["EnableKeyRotation"] is True
    for file in made.functions():
        assert any(action == "kms:Decrypt" for action, _ in made.allowed(file))
        assert not any("*" in action for action, _ in made.allowed(file))


def assert_is(made: dict[str, Any], schema: TableSchema) -> None:
    assert made["KeySchema"] == key_schema(schema.keys)
    assert {index["IndexName"]: index["KeySchema"] for index in made.get("GlobalSecondaryIndexes", [])} == {
        name: key_schema(index.keys) for name, index in schema.indexes.items()
    }
    assert made.get("StreamSpecification") == ({"StreamViewType": "NEW_AND_OLD_IMAGES"} if schema.stream else None)
    assert made.get("TimeToLiveSpecification") == (
        {"AttributeName": "ttl", "Enabled": True} if schema.expires else None
    )


def key_schema(keys: Keys) -> list[dict[str, str]]:
    return [
        {"AttributeName": keys.partition, "KeyType": "HASH"},
        {"AttributeName": keys.sort, "KeyType": "RANGE"},
    ]
