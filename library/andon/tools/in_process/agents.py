"""AGENTS.md and llms.txt: what a program that works on this project has to know, out of packages, docs and verbs."""

import re
from pathlib import Path
from typing import Final

from andon.packages import package as declared
from andon.packages.discovery import packages
from andon.packages.package import Package
from andon.project import project
from andon.tools.docs_index import Listed, listed_in

AGENTS: Final = "AGENTS.md"
LLMS: Final = "llms.txt"

VERB: Final = re.compile(r"^([a-z-]+):[^\n]*## (.+)$", re.MULTILINE)
SHOWN: Final = (
    "up",
    "redeploy",
    "call",
    "test",
    "check",
    "format",
    "replay",
    "samples",
    "openapi",
    "figures",
    "agents",
)
"""Verbs of a Makefile that whoever changes code needs; `make more` lists the others."""

TABLE: Final = re.compile(r"^\|.*\|$", re.MULTILINE)

RULES: Final = """\
- A package imports the library, what all services agree on (`contract`, if there is one), and itself alone.
- What decides is pure: time and ids come in as arguments (`now_ms`), rows and events go out. Handlers do the I/O.
- Each write has a condition. A command never publishes: its trigger makes a fact of each row that changed.
- The listener of a view in a table reads nothing: `ON` says of each event which fields it sets, under which oplock.
- Events come twice, late and in any order. The laws (`andon.testing.plugin`) try that for every package without a word.
- What was published once is read for ever: keep a sample of an old shape, and lift it.
- Derived files are written by a verb, never by hand: samples, `docs/openapi.json`, this file.
- Python: `ruff` with all rules, `mypy --strict`; docstrings say units and errors, names of tests are sentences."""

LIBRARY: Final = """\
The library has its own: `andon docs` lists them, `andon docs how-do-i` shows one, and `andon docs unique name` finds
sections. `.venv/bin/` has `andon`."""

WHAT: Final = "A serverless event-driven CQRS system in Python on AWS Lambda, with the library `andon`."
PACKAGE: Final = """\
A folder below `functions/` is a package. Functions, queues, rights, alarms and laws follow from what it declares."""


def agents() -> str:
    """Return AGENTS.md."""
    verbs = _verbs()
    return _joined(
        f"# {project().name}: for programs that work on it",
        f"Written by `{'make agents' if verbs else 'andon agents'}` from packages, docs and verbs: do not edit it.",
        f"{project().title}. {WHAT}",
        "## Verbs",
        "\n".join(f"- `make {name}`: {about}" for name, about in verbs) or "`andon` alone lists its verbs.",
        "## Rules",
        RULES,
        "## Packages",
        PACKAGE,
        "\n".join(["| package | routes | publishes | subscribes to |", "|---|---|---|---|", *map(_row, _own())]),
        "## Declarations",
        "\n".join(TABLE.findall(declared.__doc__ or "")),
        "## Pages",
        _titled(pages()) if pages() else LIBRARY,
    )


def llms() -> str:
    """Return llms.txt, as https://llmstxt.org describes it."""
    parts = dict.fromkeys(page.part for page in pages())
    return _joined(
        f"# {project().name}",
        f"> {project().title}. {WHAT}",
        *(_joined(f"## {part}", _listed([page for page in pages() if page.part == part])).strip() for part in parts),
        "## Packages",
        "\n".join(f"- [{one.folder}](functions/{one.folder}/): {_summary(one)}" for one in _own()),
    )


def pages() -> list[Listed]:
    """Return the pages that the index of docs/ lists, in its order, with paths below the project."""
    index = project().root / "docs" / "README.md"
    if not index.is_file():
        return []
    return [page._replace(path=f"docs/{page.path}") for page in listed_in(index.read_text())]


def _listed(listed: list[Listed]) -> str:
    return "\n".join(f"- [{page.title}]({page.path}): {page.says}" for page in listed)


def _titled(listed: list[Listed]) -> str:
    parts = dict.fromkeys(page.part for page in listed)
    links = {part: ", ".join(f"[{one.title}]({one.path})" for one in listed if one.part == part) for part in parts}
    return "\n".join(f"- {part}: {found}" for part, found in links.items())


def _own() -> list[Package]:
    return [package for package in packages() if package.side != "stores"]


def _verbs() -> list[tuple[str, str]]:
    makefile = project().root / "Makefile"
    found = dict(VERB.findall(makefile.read_text())) if makefile.is_file() else {}
    return [(name, found[name]) for name in SHOWN if name in found]


def _row(package: Package) -> str:
    routes = ", ".join(f"`{route}`" for route in sorted(package.routes))
    types = ", ".join(sorted(package.types))
    topics = sorted(package.subscriptions)
    by_source = {source: ", ".join(type_ for of, type_ in topics if of == source) for source, _ in topics}
    subscribed = "; ".join(f"{source}: {found}" for source, found in by_source.items())
    return f"| `{package.folder}` | {routes} | {types} | {subscribed} |"


def _summary(package: Package) -> str:
    counted = {
        "routes": package.routes,
        "types of events that it publishes": package.types,
        "topics that it subscribes to": package.subscriptions,
    }
    return "; ".join(f"{what}: {len(found)}" for what, found in counted.items() if found) or "no routes"


def _joined(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs) + "\n"


def write(root: Path) -> None:
    """Write AGENTS.md, and llms.txt, if the project keeps it."""
    (root / AGENTS).write_text(agents())
    if (root / LLMS).is_file():
        (root / LLMS).write_text(llms())


if __name__ == "__main__":
    write(project().root)
