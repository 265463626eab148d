"""The documents that follow from a project's contracts: AsyncAPI, JSON Schemas, an EventCatalog, and a page."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
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

ASYNCAPI: Final = "docs/asyncapi.json"
CATALOG: Final = "docs/eventcatalog"
PAGE: Final = "docs/contracts.md"
SCHEMAS: Final = "schemas"

QUERIES: Final = CatalogPart("query", "Saved queries of the lake.")
_VERSIONED: Final = re.compile(r"(.+)\.v(\d+)\.json")


def documents(state: ContractState, blind: Blind) -> dict[str, str]:
    """Return the documents by their paths in the project."""
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


def stale(root: Path, wanted: Mapping[str, str], state: ContractState) -> list[str]:
    """Return the documents in a project that are no more: of the catalog, and of versions that were never released."""
    catalog = root / CATALOG
    there = [str(file.relative_to(root)) for file in sorted(catalog.rglob("*")) if file.is_file()]
    return [path for path in (*there, *_unreleased(root, state)) if path not in wanted]


def _unreleased(root: Path, state: ContractState) -> Iterator[str]:
    versions = {event_type: one.version for (_, event_type), one in state.types.items()}
    for file in sorted((root / SCHEMAS).glob("*.json")):
        found = _VERSIONED.fullmatch(file.name)
        if found and int(found[2]) > versions.get(found[1], 0) and found[1] in versions:
            yield f"{SCHEMAS}/{file.name}"


def differing(root: Path, wanted: Mapping[str, str]) -> list[str]:
    """Return the documents that a project lacks, or has otherwise."""
    return [path for path, text in wanted.items() if not (root / path).is_file() or (root / path).read_text() != text]


def write(root: Path, wanted: Mapping[str, str], gone: list[str]) -> list[str]:
    """Write documents, and remove those that are no more; return the paths of both."""
    written = differing(root, wanted)
    for path in written:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(wanted[path])
    for path in gone:
        (root / path).unlink()
    return [*written, *gone]


def _text(document: JsonObject) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
