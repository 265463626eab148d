"""The folder of an EventCatalog: services with what they send and receive, events with their schemas. Pure.

https://www.eventcatalog.dev/docs
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from andon.events.topic import ANY, Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.event_schema import json_schema, summary_of
from andon.tools.contracts.members import text_of
from andon.tools.contracts.need import LostMember
from andon.tools.contracts.state import ContractState, TypeState
from andon.tools.contracts.verdict import package_of, readers_of

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
