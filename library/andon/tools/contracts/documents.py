"""The documents that follow from a project's contracts: AsyncAPI, JSON Schemas, an EventCatalog, and a page."""

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from andon.events import drift
from andon.events.topic import ANY, Topic
from andon.packages.discovery import packages, recomputed
from andon.packages.package import Package
from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.tools.contracts import asyncapi, eventcatalog
from andon.tools.contracts.consumers import EVERY
from andon.tools.contracts.event_schema import file_of, json_schema
from andon.tools.contracts.eventcatalog import CatalogPart
from andon.tools.contracts.page import Blind, page
from andon.tools.contracts.state import ContractState

ASYNCAPI: Final = "asyncapi.json"
CATALOG: Final = "eventcatalog"
PAGE: Final = "contracts.md"
SCHEMAS: Final = "schemas"

QUERIES: Final = CatalogPart("query", "Saved queries of the lake.")


def documents(state: ContractState, blind: Blind) -> dict[str, str]:
    """Return the documents by their paths in `folder`."""
    by = {topic: publishers_of(topic) for topic in state.types}
    title = project().title
    catalog = eventcatalog.files(state, _parts(), project=project().name, title=title, publishers=by)
    schemas = {
        f"{SCHEMAS}/{file_of(topic[1], one.version)}": _text(json_schema(topic, one))
        for topic, one in state.types.items()
    }
    return {
        ASYNCAPI: _text(asyncapi.document(state, title=title, publishers=by)),
        PAGE: page(state, blind, verb=_verb()),
        **schemas,
        **{f"{CATALOG}/{path}": text for path, text in catalog.items()},
    }


def publishers_of(topic: Topic) -> list[str]:
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
    return [*(CatalogPart(one.name, summary_of(one), keeps_all=EVERY in one.subscriptions) for one in own), QUERIES]


def summary_of(package: Package) -> str:
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
