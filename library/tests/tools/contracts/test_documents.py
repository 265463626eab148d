"""The documents: true to the contracts, the same each time, and nothing is left of what is no more."""

import json
import re
from pathlib import Path
from typing import Any, Final, TypedDict

import pytest
import yaml
from jsonschema import Draft202012Validator

from andon.events.topic import ANY, Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts import documents
from andon.tools.contracts.documents import CatalogPart
from andon.tools.contracts.event_schema import defined, file_of, json_schema
from andon.tools.contracts.members import path_in
from andon.tools.contracts.need import LostMember, Need
from andon.tools.contracts.page import UNSEEN, Blind, page
from andon.tools.contracts.publishers import schema_of
from andon.tools.contracts.state import ContractState, TypeState

MOVED: Final[Topic] = ("things", "thing-moved")
LOST_BY_ALL: Final[Topic] = (ANY, "thing-lost")


class Place(TypedDict):
    """Where; `{x}` and <y>."""

    name: str


class Thing(TypedDict):
    """A thing. It moves."""

    id: str
    place: Place


EVENT: Final[JsonObject] = {
    "id": "1",
    "type": "thing-moved",
    "timestamp": 1_000,
    "partitionKey": "a",
    "tags": {"actor": "ann", "source": "things", "stage": "local"},
    "thing": {"id": "a", "place": {"name": "north"}},
    "raw": {"new": {"id": "a"}, "old": None},
}
NEEDS: Final = {
    path_in("thing.place"): Need(LostMember.REQUIRED, keeps=True),
    path_in("thing.id"): Need(LostMember.LOST),
}
STATE: Final = ContractState(
    {
        MOVED: TypeState(2, "thing", schema_of(Thing), {"thing-moved": EVENT}, frozenset()),
        LOST_BY_ALL: TypeState(1, "place", schema_of(Place), {}, frozenset()),
    },
    {"shelf.listener": {MOVED: NEEDS}},
)
PUBLISHERS: Final = {MOVED: ["things"], LOST_BY_ALL: ["things", "shelf"]}
PARTS: Final = [
    CatalogPart("things", "Things."),
    CatalogPart("shelf", "A shelf."),
    CatalogPart("lake", "All.", keeps_all=True),
]


def resolved(document: JsonObject, reference: str) -> Any:  # noqa: ANN401  any JSON
    found: Any = document
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def references_in(value: Any) -> list[str]:  # noqa: ANN401
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [found for one in value.values() for found in references_in(one)]
    return [found for one in value for found in references_in(one)] if isinstance(value, list) else []


def head_of(page: str) -> JsonObject:
    head: JsonObject = yaml.safe_load(page.split("---\n")[1])
    return head


def catalog() -> dict[str, str]:
    return documents.files(STATE, PARTS, project="Acorn", title="Acorn: things", publishers=PUBLISHERS)


def test_an_event_fits_the_schema_of_its_type_whatever_else_it_says() -> None:
    schema = json_schema(MOVED, STATE.types[MOVED])

    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert (schema["$id"], schema["$schema"]) == ("thing-moved.v2.json", "https://json-schema.org/draft/2020-12/schema")
    assert validator.is_valid(EVENT)
    assert validator.is_valid({**EVENT, "more": 1, "thing": {**EVENT["thing"], "more": 1}})
    for lacks in ("id", "timestamp", "tags", "thing"):
        assert not validator.is_valid({name: value for name, value in EVENT.items() if name != lacks})
    assert not validator.is_valid({**EVENT, "thing": {"id": "a", "place": {}}})


def test_two_types_of_one_name_are_refused_unless_they_say_the_same() -> None:
    definitions: dict[str, JsonObject] = {}
    other = {**schema_of(Place), "description": "Elsewhere."}

    assert defined(schema_of(Thing), definitions, "#/$defs") == {"$ref": "#/$defs/Thing"}
    assert [*definitions] == ["Place", "Thing"]
    with pytest.raises(ValueError, match="two TypedDicts are called Place"):
        defined(other, definitions, "#/$defs")


def test_the_asyncapi_document_says_who_sends_who_receives_and_both_shapes_of_a_message() -> None:
    document = documents.document(STATE, title="Acorn", publishers=PUBLISHERS)

    assert all(resolved(document, reference) for reference in references_in(document))
    operations = document["operations"]
    assert [(name, one["action"]) for name, one in operations.items()] == [
        ("things.sends.thing-lost", "send"),
        ("shelf.sends.thing-lost", "send"),
        ("things.sends.thing-moved", "send"),
        ("shelf.listener.receives.thing-moved", "receive"),
    ]
    assert operations["shelf.listener.receives.thing-moved"]["x-reads"] == {
        "thing.id": "lost",
        "thing.place": "required",
    }
    message = document["components"]["messages"]["thing-moved"]
    validator = Draft202012Validator({**document, **message["payload"]})
    assert validator.is_valid(EVENT)
    assert validator.is_valid({"group": 1, "facts": [EVENT, EVENT]})
    assert not any(
        map(validator.is_valid, ({"group": 1, "facts": []}, {"group": 2, "facts": [EVENT]}, {"facts": [EVENT]}))
    )
    assert message["examples"] == [{"name": "thing-moved", "payload": documents.without_row(EVENT)}]
    assert "raw" not in message["examples"][0]["payload"]


def test_the_catalog_has_producers_and_consumers_of_each_event() -> None:
    files = catalog()

    heads = {path: head_of(text) for path, text in files.items() if path.endswith(".mdx")}
    sent = {path: [one["id"] for one in head.get("sends", ())] for path, head in heads.items()}
    received = {path: [one["id"] for one in head.get("receives", ())] for path, head in heads.items()}
    assert sent["services/things/index.mdx"] == ["thing-lost", "thing-moved"]
    assert received["services/shelf/index.mdx"] == ["thing-moved"]
    assert received["services/lake/index.mdx"] == ["thing-lost", "thing-moved"]
    moved = heads["events/thing-moved/index.mdx"]
    assert (moved["version"], moved["owners"], moved["schemaPath"]) == ("2.0.0", ["acorn"], "schema.json")
    assert json.loads(files["events/thing-moved/schema.json"]) == json_schema(MOVED, STATE.types[MOVED])
    assert all({"id", "name", "summary"} <= head.keys() for head in heads.values())


def test_what_is_no_code_is_none_for_mdx_either() -> None:
    bodies = [text.split("---\n", 2)[2] for path, text in catalog().items() if path.endswith(".mdx")]

    outside = "".join(part for body in bodies for part in body.split("`")[::2])
    assert bodies
    assert not re.search(r"[{<]", outside)


def test_the_page_has_a_picture_each_member_and_its_readers_and_what_nobody_saw() -> None:
    blind = Blind(["things.rule-odd"], {MOVED: [path_in("thing.note")]})

    text = page(STATE, blind, verb="make contracts")

    assert "    things -->|1| shelf" in text
    assert "| `thing.place` | **shelf.listener** |" in text
    assert "| `thing.id` | shelf.listener |" in text
    assert text.count("### thing-moved") == 1
    assert text.partition(f"## {UNSEEN}")[2].split("\n")[-3:-1] == [
        "- `things.rule-odd` decides nothing",
        "- thing-moved: `thing.note`",
    ]
    assert UNSEEN not in page(STATE, Blind(), verb="make contracts")


def test_documents_are_the_same_bytes_each_time() -> None:
    assert catalog() == catalog()
    assert [json.dumps(documents.document(STATE, title="A", publishers=PUBLISHERS)) for _ in "12"] == [
        json.dumps(documents.document(STATE, title="A", publishers=PUBLISHERS))
    ] * 2


def test_the_folder_has_what_is_so_now_and_nothing_else(tmp_path: Path) -> None:
    wanted = {documents.ASYNCAPI: "{}\n", f"{documents.SCHEMAS}/{file_of('thing-moved', 2)}": "{}\n"}
    for path in (f"{documents.SCHEMAS}/thing-moved.v1.json", f"{documents.CATALOG}/events/thing-left/index.mdx"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("old")
    (tmp_path / documents.ASYNCAPI).write_text("old")

    documents.write(tmp_path, wanted)

    there = {str(file.relative_to(tmp_path)): file.read_text() for file in tmp_path.rglob("*") if file.is_file()}
    assert there == wanted
