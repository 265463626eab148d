"""The documents that follow from a project's contracts: AsyncAPI, JSON Schemas, an EventCatalog, and a page."""

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from andon.events import drift
from andon.events.topic import ANY, Topic
from andon.packages.discovery import packages, recomputed
from andon.packages.package import Package
from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.consumers import ANY_TOPIC
from andon.tools.contracts.event_schema import event_schema, file_of, json_schema, summary_of
from andon.tools.contracts.members import text_of
from andon.tools.contracts.need import LostMember
from andon.tools.contracts.page import Blind, page
from andon.tools.contracts.state import ContractState, TypeState
from andon.tools.contracts.verdict import package_of, readers_of

# The AsyncAPI document (3.1.0): a channel for each type, who sends it, and who receives which members. Pure.

VERSION: Final = "3.1.0"
_COMPONENTS: Final = "#/components/schemas"

_DESCRIPTION: Final = """\
Facts on the bus, Amazon EventBridge. `source` of its envelope is the service, `detail-type` the type. `detail` is an
event, or a group of events of one type. An event comes twice, late and in any order. It may have members that are said
nowhere here: leave them alone."""

GROUP: Final = 1
"""The version of groups: `{"group": 1, "facts": [<event>, …]}`."""

MOST_FACTS: Final = 1_000
"""Events of a group, at the most."""


def document(state: ContractState, *, title: str, publishers: Mapping[Topic, list[str]]) -> JsonObject:
    """Return the document. title: of the project. publishers: type -> the packages that publish it."""
    definitions: dict[str, JsonObject] = {}
    schemas = {topic[1]: event_schema(topic, one, definitions, _COMPONENTS) for topic, one in _types(state)}
    return {
        "asyncapi": VERSION,
        "info": {"title": title, "version": "1.0.0", "description": _DESCRIPTION},
        "defaultContentType": "application/json",
        "channels": {topic[1]: _channel(topic) for topic, _ in _types(state)},
        "operations": {**_sends(state, publishers), **_receives(state)},
        "components": {
            "messages": {topic[1]: _async_message(topic, one) for topic, one in _types(state)},
            "schemas": {**schemas, **dict(sorted(definitions.items()))},
        },
    }


def _types(state: ContractState) -> list[tuple[Topic, TypeState]]:
    return sorted(state.types.items(), key=lambda item: item[0])


def _channel(topic: Topic) -> JsonObject:
    source, event_type = topic
    by = "Any service and any view publishes it." if source == ANY else f"{source} publishes it."
    message = {event_type: {"$ref": f"#/components/messages/{event_type}"}}
    return {"address": event_type, "description": by, "messages": message}


def _async_message(topic: Topic, one: TypeState) -> JsonObject:
    event = {"$ref": f"{_COMPONENTS}/{topic[1]}"}
    group = {
        "description": "Several events of the type, in the order in which they were published.",
        "type": "object",
        "properties": {
            "group": {"const": GROUP},
            "facts": {"type": "array", "items": event, "minItems": 1, "maxItems": MOST_FACTS},
        },
        "required": ["group", "facts"],
    }
    source = {} if topic[0] == ANY else {"const": topic[0]}
    return {
        "name": topic[1],
        "summary": summary_of(one),
        "headers": {
            "type": "object",
            "properties": {"source": {"type": "string", **source}, "detail-type": {"const": topic[1]}},
            "required": ["source", "detail-type"],
        },
        "payload": {"anyOf": [event, group]},
        "examples": [{"name": name, "payload": without_row(made)} for name, made in sorted(one.events.items())],
        "x-version": one.version,
    }


def without_row(event: JsonObject) -> JsonObject:
    """Return an event without the images of its row."""
    return {name: value for name, value in event.items() if name != "raw"}


def _sends(state: ContractState, publishers: Mapping[Topic, list[str]]) -> JsonObject:
    return {
        f"{who}.sends.{topic[1]}": _operation("send", topic, f"{who} publishes it.")
        for topic, _ in _types(state)
        for who in publishers[topic]
    }


def _receives(state: ContractState) -> JsonObject:
    return {
        f"{who}.receives.{topic[1]}": {
            **_operation("receive", topic, f"{who} reads it."),
            "x-reads": {text_of(path): str(need.gone) for path, need in sorted(needs.items()) if need.is_any},
        }
        for topic, _ in _types(state)
        for who, needs in sorted(readers_of(topic, state))
    }


def _operation(action: str, topic: Topic, summary: str) -> JsonObject:
    channel = f"#/channels/{topic[1]}"
    return {
        "action": action,
        "channel": {"$ref": channel},
        "summary": summary,
        "messages": [{"$ref": f"{channel}/messages/{topic[1]}"}],
    }


# The folder of an EventCatalog: services with what they send and receive, events with their schemas. Pure.
#
# https://www.eventcatalog.dev/docs

BUS: Final = "bus"
SCHEMA: Final = "schema.json"
FIRST: Final = "1.0.0"
"""The version of what has none of its own."""

GROUPED: Final = """\
An entry of the bus has one event of this type as its `detail`, or a group of them:
`{"group": 1, "facts": [<event>, …]}`."""


class CatalogPart(NamedTuple):
    """A package as a service of the catalog. name: of it, or of saved queries. summary: one line.

    keeps_all: it subscribes to whatever comes, and keeps it as it is.
    """

    name: str
    summary: str
    keeps_all: bool = False


def files(
    state: ContractState,
    parts: Iterable[CatalogPart],
    *,
    project: str,
    title: str,
    publishers: Mapping[Topic, list[str]],
) -> dict[str, str]:
    """Return the files of the catalog, by path; publishers: type -> the packages that publish it."""
    parts = [*parts]
    team = project.lower()
    listed = {"services": [{"id": part.name, "version": FIRST} for part in parts]}
    found = {
        f"teams/{team}.mdx": _page({"id": team, "name": f"The team of {project}", "summary": title}, title),
        f"channels/{BUS}/index.mdx": _Resource(BUS, "The bus", "Amazon EventBridge: all facts", GROUPED).text(team),
        f"domains/{team}/index.mdx": _Resource(team, project, title, title, listed).text(team),
    }
    for part in parts:
        found[f"services/{part.name}/index.mdx"] = _service(part, state, team, publishers)
    for topic, one in state.types.items():
        found[f"events/{topic[1]}/index.mdx"] = _event(topic, one, state, team)
        found[f"events/{topic[1]}/{SCHEMA}"] = json.dumps(json_schema(topic, one), indent=1, ensure_ascii=False) + "\n"
    return found


def _service(part: CatalogPart, state: ContractState, team: str, publishers: Mapping[Topic, list[str]]) -> str:
    sent = [topic for topic in sorted(state.types) if part.name in publishers[topic]]
    received = [topic for topic in sorted(state.types) if part.keeps_all or part.name in _readers(topic, state)]
    messages = {
        "sends": [{**_message(topic, state), "to": [{"id": BUS}]} for topic in sent],
        "receives": [{**_message(topic, state), "from": [{"id": BUS}]} for topic in received],
    }
    said = {name: listed for name, listed in messages.items() if listed}
    return _Resource(part.name, part.name, part.summary, part.summary, said).text(team)


def _event(topic: Topic, one: TypeState, state: ContractState, team: str) -> str:
    by = "whoever meets it" if topic[0] == ANY else f"`{topic[0]}`"
    lines = [f"Published by {by}. {GROUPED}", "", "| consumer | requires | loses something without |", "|---|---|---|"]
    lines += [
        f"| `{who}` | {_named(needs, LostMember.REQUIRED)} | {_named(needs, LostMember.LOST)} |"
        for who, needs in _rows(topic, state)
    ]
    body = "\n".join(lines)
    version = f"{one.version}.0.0"
    said = {"schemaPath": SCHEMA, "channels": [{"id": BUS}]}
    return _Resource(topic[1], topic[1], summary_of(one), body, said, version).text(team)


def _rows(topic: Topic, state: ContractState) -> Iterator[tuple[str, Mapping[tuple[str, ...], LostMember]]]:
    for who, needs in sorted(readers_of(topic, state)):
        yield who, {path: need.gone for path, need in needs.items()}


def _named(needs: Mapping[tuple[str, ...], LostMember], gone: LostMember) -> str:
    return ", ".join(f"`{text_of(path)}`" for path, one in sorted(needs.items()) if one is gone)


def _readers(topic: Topic, state: ContractState) -> set[str]:
    return {package_of(who) for who, _ in readers_of(topic, state)}


def _message(topic: Topic, state: ContractState) -> JsonObject:
    return {"id": topic[1], "version": f"{state.types[topic].version}.0.0"}


class _Resource(NamedTuple):
    """A page of the catalog. members: of its head beside those that all pages have."""

    id: str
    name: str
    summary: str
    body: str
    members: Mapping[str, object] = {}
    version: str = FIRST

    def text(self, team: str) -> str:
        """Return it as a file, owned by a team."""
        head = {"id": self.id, "name": self.name, "version": self.version, "summary": self.summary, "owners": [team]}
        return _page({**head, **self.members}, self.body)


def _page(head: Mapping[str, object], body: str) -> str:
    """Return a page; its head is JSON member by member, which YAML reads."""
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items())
    return "\n".join(["---", *lines, "---", "", _plain(body), ""])


def _plain(body: str) -> str:
    """Return a text without what MDX would take for code, outside of code."""
    parts = body.split("`")
    return "`".join(
        part if number % 2 else part.replace("{", "(").replace("<", "(") for number, part in enumerate(parts)
    )


ASYNCAPI: Final = "asyncapi.json"
CATALOG: Final = "eventcatalog"
PAGE: Final = "contracts.md"
SCHEMAS: Final = "schemas"

QUERIES: Final = CatalogPart("query", "Saved queries of the lake.")


def documents(state: ContractState, blind: Blind) -> dict[str, str]:
    """Return the documents by their paths in `folder`."""
    by = {topic: _publishers_of(topic) for topic in state.types}
    title = project().title
    catalog = files(state, _parts(), project=project().name, title=title, publishers=by)
    schemas = {
        f"{SCHEMAS}/{file_of(topic[1], one.version)}": _text(json_schema(topic, one))
        for topic, one in state.types.items()
    }
    return {
        ASYNCAPI: _text(document(state, title=title, publishers=by)),
        PAGE: page(state, blind, verb=_verb()),
        **schemas,
        **{f"{CATALOG}/{path}": text for path, text in catalog.items()},
    }


def _publishers_of(topic: Topic) -> list[str]:
    """Return the packages that publish a type."""
    if topic[0] != ANY:
        return [topic[0]]
    found = recomputed() if topic[1] == drift.TYPE else [one for one in packages() if one.side in {"services", "views"}]
    return [package.name for package in found]


def _verb() -> str:
    """Return the line of the page that says how it is written, whoever writes it."""
    makefile = project().root / "Makefile"
    has_verb = makefile.is_file() and "\ncontracts:" in makefile.read_text()
    return "make contracts" if has_verb else "andon contracts"


def _parts() -> list[CatalogPart]:
    own = (one for one in packages() if one.side != "pages")
    return [
        *(CatalogPart(one.name, _of_package(one), keeps_all=ANY_TOPIC in one.subscriptions) for one in own),
        QUERIES,
    ]


def _of_package(package: Package) -> str:
    """Return the first line of the docstring of a package's first file that has one for the whole."""
    for file in ("view", "facts", "store", "subscriptions"):
        if package.has(file):
            doc = ast.get_docstring(ast.parse(Path(package.load(file).__file__).read_text()))
            return (doc or package.folder).splitlines()[0]
    return package.folder


def folder() -> Path:
    """Return the folder that the documents of a project are written to."""
    return project().local / "contracts"


def write(into: Path, wanted: Mapping[str, str]) -> None:
    """Make a folder have these documents, by path, and no others."""
    for file in [*into.rglob("*")]:
        if file.is_file() and str(file.relative_to(into)) not in wanted:
            file.unlink()
    for path, text in wanted.items():
        file = into / path
        if not file.is_file() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def _text(document: JsonObject) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
