import re

import pytest

from infra.checks.hot_partitions import is_hot, refuse_hot_partitions
from patterns.dynamodb.schema import Index, Keys, TableSchema
from tests.support.infra.synthesised import PACKAGES, declared_tables

DECLARED = {name: schema for package in PACKAGES for name, schema in declared_tables(package).items()}


@pytest.mark.parametrize(
    "attribute",
    [
        "Date",
        "date",
        "day",
        "timestamp",
        "createdAt",
        "event_date",
        "eventDateUTC",
        "DAY#HOUR",
        "type",
        "discriminator",
    ],
)
def test_a_date_or_a_constant_by_its_name_is_hot(attribute: str) -> None:
    assert is_hot(attribute)


@pytest.mark.parametrize(
    "attribute", ["pk", "DeviceID", "Operator", "equipmentDay", "DeviceID#Date", "Company", "entityId", "GSI1PK", "#"]
)
def test_what_names_a_thing_is_not_even_with_a_date_in_it(attribute: str) -> None:
    assert not is_hot(attribute)


@pytest.mark.parametrize("name", DECLARED)
def test_no_table_of_ours_is_refused(name: str) -> None:
    refuse_hot_partitions(name, DECLARED[name])


def test_a_table_is_refused_by_its_name_and_attribute() -> None:
    said = "LOG_TABLE: the partition key 'day' is a date or a constant"

    with pytest.raises(ValueError, match=said):
        refuse_hot_partitions("LOG_TABLE", TableSchema(Keys("day", "time")))


def test_an_index_is_refused_by_its_name_and_attribute() -> None:
    schema = TableSchema(Keys("pk", "sk"), indexes={"ByDay": Index(Keys("createdAt", "pk"))})

    with pytest.raises(ValueError, match=re.escape("LOG_TABLE, index ByDay: the partition key 'createdAt' is")):
        refuse_hot_partitions("LOG_TABLE", schema)


def test_to_sort_by_a_date_is_what_one_should_do() -> None:
    refuse_hot_partitions("LOG_TABLE", TableSchema(Keys("DeviceID", "Date")))
