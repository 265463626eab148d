"""Tables that declared things have for themselves, and the calls of each role on them: by the design of their versions.

A synth reads these, and a listener the schema; for tables that several kinds share, a service writes them itself.
"""

from typing import Any, Final

from andon.dynamodb.schema import TableSchema
from andon.versions.declared import Declared
from andon.versions.resource import HISTORY_SCHEMA, Resource

READ: Final = ("GetItem",)

# A command writes on condition and deletes nothing. It reads, consistently and therefore from no index, to check for a
# retry and to find an earlier revision.
COMMAND_ACTIONS: Final = ("ConditionCheckItem", *READ, "PutItem", "Query", "UpdateItem")

_EXPIRING: Final = frozenset({"TWO_TABLES", "TIME_BASED"})
"""Designs with rows that expire: tombstones, and what is kept for some days after its time."""

Grants = dict[str, dict[str, tuple[str, ...]]]


def tables_of(*declared: Declared[Any, Any]) -> dict[str, TableSchema]:
    """Return the schemas of tables."""
    schemas: dict[str, TableSchema] = {}
    for one in declared:
        variable, before = one.table.variable, schemas.get(one.table.variable)
        expires = one.design in _EXPIRING or (before is not None and before.expires)
        schemas[variable] = TableSchema(one.table.keys, stream=True, expires=expires)
        if isinstance(one, Resource):
            schemas[one.history.variable] = HISTORY_SCHEMA
    return schemas


def grants_of(*declared: Declared[Any, Any], crosses: bool = False) -> Grants:
    """Return the calls of the routes of resources; crosses: edits of another version come in by a listener.

    Where none has a history or a unique member, the infrastructure decides.
    """
    has_history, claimed = any(isinstance(one, Resource) for one in declared), [one for one in declared if one.unique]
    grants: Grants = {}
    for one in declared if has_history or claimed else ():
        _add(grants, _grants_of(one, crosses=crosses) if isinstance(one, Resource) else _plain(one, reads=has_history))
    for one in claimed:  # a change reads the version before, and deletes what that claims
        _add(grants, {"command": {one.table.variable: ("DeleteItem",)}})
    return grants


def _add(grants: Grants, more: Grants) -> None:
    for role, calls in more.items():
        known = grants.setdefault(role, {})
        known |= {place: tuple(dict.fromkeys((*known.get(place, ()), *actions))) for place, actions in calls.items()}


def _plain(one: Declared[Any, Any], *, reads: bool) -> Grants:
    """Return the calls that the infrastructure grants where nothing is said."""
    table = one.table.variable
    command: Grants = {"command": {table: COMMAND_ACTIONS}}
    return command | ({"query": {table: (*READ, "Query")}} if reads else {})


def _grants_of(resource: Resource[Any, Any], *, crosses: bool) -> Grants:
    current, history = resource.table.variable, resource.history.variable
    by_index = {f"{history}/{index}": ("Query",) for index in HISTORY_SCHEMA.indexes}
    grants: Grants = {
        "command": {current: (*READ, "PutItem", "UpdateItem"), history: (*READ, "PutItem", "Query")},
        "query": {current: READ, history: (*READ, "Query"), **by_index},
    }
    return grants | ({"listener": {current: ("PutItem",), history: ("PutItem", "Query")}} if crosses else {})
