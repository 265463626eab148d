"""Rows of other kinds: whatever ids are typed, a declared thing replaces none of them, and is read from none."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.runtime.errors import Conflict, Rejected
from andon.runtime.marks import ResourceEntity
from andon.runtime.times import to_utc
from andon.testing.memory.aws import AwsInMemory
from andon.versions.bitemporal import Asked
from andon.versions.claims import CLAIM
from andon.versions.current_resource import CurrentResource
from andon.versions.declared import Declaration, Declared
from andon.versions.numbered_resource import FromStream, NumberedResource
from andon.versions.optimistic_lock import Command, fingerprint_of
from andon.versions.resource import HISTORY, HISTORY_SCHEMA, Resource
from andon.versions.timed_resource import TimedResource
from andon.wire import aws
from toys.clock import NOW

KEYS: Final = Keys("pk", "sk", one_partition_per="entity")
TABLE, PAST = Table("THINGS_TABLE", KEYS), Table("THINGS_HISTORY_TABLE", HISTORY)
SCHEMAS: Final = {TABLE.variable: TableSchema(KEYS, stream=True), PAST.variable: HISTORY_SCHEMA}
TIME: Final = to_utc(NOW)


class Content(TypedDict):
    """A thing with a name; some things have an owner, as claims have."""

    name: str
    owner: str


class Entity(Content, ResourceEntity):
    """The same in an event."""


def said_of(kind: str, id_: tuple[str, ...] = ("id",)) -> Declaration:
    return {"service": "s", "kind": kind, "content": Content, "entity": Entity, "missing": "none", "id": id_}


def at(*parts: str) -> dict[str, str | int]:
    return KEYS.of(parts[0], "-")


def claim(name: str) -> dict[str, str | int]:
    return KEYS.of(f"Name#{name}", "-")


def whole(id_: str) -> str:
    return id_


# All have their rows at the id itself, so that each id names a row of any of them, or the claim of a name.
THINGS: Final[list[Declared[Any, Any]]] = [
    Resource(table=TABLE, history=PAST, partition_of=whole, sort=("-",), unique={"name": claim}, **said_of("unique")),
    Resource(table=TABLE, history=PAST, partition_of=whole, sort=("-",), **said_of("plain")),
    CurrentResource(table=TABLE, key_of=at, fact="noted", unique={"name": claim}, **said_of("current")),
    NumberedResource(table=TABLE, partition_of=whole, name="N", fact="n", **said_of("numbered", ("id", "part"))),
    FromStream(table=TABLE, partition_of=whole, name="N", fact="f", **said_of("streamed", ("id", "part"))),
    TimedResource(table=TABLE, key_of=at, fact="timed", days=3, **said_of("timed", ("id", "at"))),
]
IDS: Final = st.sampled_from(["a", "Name#a", "Name#Name#a", "N#p#a"])
NAMES: Final = st.sampled_from(["a", "Name#a"])
DO: Final = st.sampled_from(["save", "save", "delete", "roll back", "read", "reap"])
STEP: Final = st.tuples(st.sampled_from(THINGS), DO, IDS, NAMES, st.sampled_from([None, 1, 2]))


class Tables(AwsInMemory):
    """The tables of all kinds."""

    def __init__(self) -> None:
        super().__init__(SCHEMAS)

    def kinds(self) -> dict[tuple[object, ...], object]:
        """Return key -> kind of each row."""
        found: dict[tuple[object, ...], object] = {}
        for name, schema in SCHEMAS.items():
            for row in map(to_plain, self.tables[name].rows()):
                found[name, *(row[key] for key in schema.keys.names)] = row.get("discriminator")
        return found


def do(thing: Declared[Any, Any], what: str, id_: Any, name: str, if_match: int | None) -> list[Any]:  # noqa: ANN401
    """Do a step; return the rows that it answers with."""
    said = {"name": name, "owner": "a"}
    by = fingerprint_of(route=what, path={"id": id_}, if_match=if_match, body=said, actor=thing.kind)
    command = Command(thing.kind, NOW, if_match, by)
    if isinstance(thing, TimedResource):
        return [thing.at(id_, now_ms=NOW) if what == "read" else thing.keep(id_, said, actor="x", now_ms=NOW).row]
    if what == "read":
        revisions = [] if isinstance(thing, CurrentResource) else [thing.get_version(id_, 1)]
        past = [thing.get(id_, Asked(10**14, 10**14)), *thing.get_many([id_])] if isinstance(thing, Resource) else []
        return [thing.get(id_), *revisions, *past]
    if isinstance(thing, Resource) and what in {"delete", "roll back"}:
        saved = thing.delete(id_, command) if what == "delete" else thing.roll_back(id_, 1, command)
        return [saved.row]
    return [thing.save(id_, said, command).row]


@example(steps=[(THINGS[0], "save", "Name#a", "a", None)])  # its row is where the claim of its name would be
@given(steps=st.lists(STEP, min_size=2, max_size=8))
def test_no_row_of_another_kind_is_replaced_or_read_whatever_id_is_typed(steps: list[Any]) -> None:
    with Tables() as tables:
        for thing, what, text, name, if_match in steps:
            id_ = text if len(thing.id) == 1 else (text, TIME if isinstance(thing, TimedResource) else "p")
            if what == "reap":
                aws.client("dynamodb").delete_item(TableName=TABLE.variable, Key=to_typed(at(text)))
                continue
            before = tables.kinds()
            try:
                rows = do(thing, what, id_, name, if_match)
            except Rejected:
                rows = []
            after = tables.kinds()

            assert {key: kind for key, kind in after.items() if before.get(key, kind) != kind} == {}
            assert {kind for key, kind in before.items() if key not in after} <= {CLAIM}
            assert {row["discriminator"] for row in rows if row} <= {thing.kind, f"{thing.kind}-revision"}


ROWS_OF_BEFORE: Final[Mapping[str, Mapping[str, object]]] = {
    "a claim": {"discriminator": CLAIM, "owner": "b"},
    "another kind": {
        "discriminator": "plate",
        "version": 1,
        "timestamp": 1,
        "digest": "",
        "fingerprint": "",
        "since": 1,
    },
    "one from before it had versions": {"discriminator": "unique", "name": "old"},
    "one without a kind": {"name": "old"},
}


@pytest.mark.parametrize("thing", THINGS[:3], ids=lambda thing: thing.kind)
@pytest.mark.parametrize("row", ROWS_OF_BEFORE.values(), ids=ROWS_OF_BEFORE)
def test_what_stands_there_is_a_clear_conflict_for_each_write(
    thing: Declared[Any, Any], row: Mapping[str, object]
) -> None:
    with Tables() as tables:
        TABLE.put({**at("x"), **row}, condition=TABLE.absent)
        before = [*tables.tables[TABLE.variable].rows()]

        with pytest.raises(Conflict):
            do(thing, "save", "x", "n", None)
        for what in ("save", "delete", "read"):
            with pytest.raises(Rejected):
                do(thing, what, "x", "n", 1)

        assert [*tables.tables[TABLE.variable].rows()] == before
