"""The declared schema of a table as DynamoDB's CreateTable wants it."""

from andon.dynamodb.schema import Index, Keys, TableSchema
from andon.runtime.json_types import JsonObject


def create_table_request(name: str, schema: TableSchema) -> JsonObject:
    """Return the parameters of CreateTable."""
    indexes = schema.indexes.items()
    all_keys = [schema.keys, *(index.keys for _, index in indexes)]
    types = {key.partition: "S" for key in all_keys} | {
        key.sort: key.sort_type for key in all_keys if key.sort is not None
    }
    request: JsonObject = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key_schema(schema.keys),
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": kind} for n, kind in types.items()],
    }
    if indexes:
        request["GlobalSecondaryIndexes"] = [_index(index_name, index) for index_name, index in indexes]
    if schema.stream:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    return request


def _index(name: str, index: Index) -> JsonObject:
    projection: JsonObject = {"ProjectionType": "ALL" if index.projects is None else "KEYS_ONLY"}
    if index.projects:
        projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projects)}
    key_schema = _key_schema(index.keys)
    return {"IndexName": name, "KeySchema": key_schema, "Projection": projection}


def _key_schema(keys: Keys) -> list[dict[str, str]]:
    kinds = zip(keys.names, ("HASH", "RANGE"), strict=False)
    return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds]
