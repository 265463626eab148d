"""Tables that declared things have for themselves, and the calls of each role on them: by the design of their versions.

A synth reads these, and a listener the schema; for tables that several kinds share, a service writes them itself.
"""

from typing import Any, Final

from andon.dynamodb.schema import TableSchema
from andon.versions.declared import Declared
from andon.versions.resource import HISTORY_SCHEMA, Resource

READ: Final = ("GetItem",)

Grants = dict[str, dict[str, tuple[str, ...]]]


def tables_of(*declared: Declared[Any, Any]) -> dict[str, TableSchema]:
    """Return the schemas of tables."""
    schemas: dict[str, TableSchema] = {}
    for one in declared:
        expires = isinstance(one, Resource)  # a tombstone does
        schemas[one.table.variable] = TableSchema(one.table.keys, stream=True, expires=expires)
        if isinstance(one, Resource):
            schemas[one.history.variable] = HISTORY_SCHEMA
    return schemas


def grants_of(*declared: Declared[Any, Any], crosses: bool = False) -> Grants:
    """Return the calls of the routes of resources; crosses: edits of another version come in by a listener.

    Of other designs the infrastructure decides.
    """
    grants: Grants = {}
    for one in declared:
        if isinstance(one, Resource):
            for role, calls in _grants_of(one, crosses=crosses).items():
                grants.setdefault(role, {}).update(calls)
    return grants


def _grants_of(resource: Resource[Any, Any], *, crosses: bool) -> Grants:
    current, history = resource.table.variable, resource.history.variable
    by_index = {f"{history}/{index}": ("Query",) for index in HISTORY_SCHEMA.indexes}
    grants: Grants = {
        "command": {current: (*READ, "PutItem", "UpdateItem"), history: (*READ, "PutItem", "Query")},
        "query": {current: READ, history: (*READ, "Query"), **by_index},
    }
    return grants | ({"listener": {current: ("PutItem",), history: ("PutItem", "Query")}} if crosses else {})
