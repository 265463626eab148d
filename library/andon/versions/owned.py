"""The tables that a declared thing has for itself, and what each role calls on them: by the design of its versions.

A synth reads these; no function does.
"""

from typing import Any, Final

from andon.dynamodb.schema import TableSchema
from andon.versions.resource import HISTORY_SCHEMA, Resource

READ: Final = ("GetItem",)
BY_INDEX: Final = ("Query",)

Grants = dict[str, dict[str, tuple[str, ...]]]


def tables_of(resource: Resource[Any, Any], *, steady: bool = False) -> dict[str, TableSchema]:
    """Return the schemas of the two tables of a resource."""
    return {
        resource.table.variable: TableSchema(resource.table.keys, stream=True, steady=steady),
        resource.history.variable: HISTORY_SCHEMA,
    }


def grants_of(resource: Resource[Any, Any], *, crosses: bool = False) -> Grants:
    """Return the calls of its routes; crosses: edits of another version come in by a listener."""
    current, history = resource.table.variable, resource.history.variable
    grants: Grants = {
        "command": {current: (*READ, "PutItem", "UpdateItem"), history: (*READ, "PutItem", "Query")},
        "query": {
            current: READ,
            history: (*READ, "Query"),
            **{f"{history}/{index}": BY_INDEX for index in HISTORY_SCHEMA.indexes},
        },
    }
    return grants | ({"listener": {current: ("PutItem",), history: ("PutItem", "Query")}} if crosses else {})
