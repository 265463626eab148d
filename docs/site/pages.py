"""The order of the site's pages, the API of the library, and what links lead to outside of docs/."""

import ast
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from andon.tools.docs_index import anchor_of

ROOT: Final = Path(__file__).parents[2]
LIBRARY: Final = ROOT / "library"
INDEX: Final = ROOT / "docs" / "README.md"
MERMAID: Final = ROOT / "node_modules" / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"
CONTRACTS: Final = ROOT / ".local" / "contracts"
"""What `make contracts` derives."""

DERIVED_PAGE: Final = "contracts.md"
"""It stands in the place of that in docs/."""

LOADABLE: Final = ("asyncapi.json", "schemas/*.json")

OUTSIDE: Final = "source"
"""Folder of the site with files that are not in docs/."""

PROJECTS: Final = ("app.py", "functions", "infra", "library/tests/foreign", "library/andon/tools/templates")
"""The library's public modules are those that a project imports, and these are projects."""

IMPORTED: Final = re.compile(r"^\s*from (andon\.[a-z_.]+) import", re.MULTILINE)
CODE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
TITLED: Final = re.compile(r"\[([^\]]+)\]\((?!https?:|#|\.\.)([^)\s#]+\.md)\)")
LINK: Final = re.compile(r"(?<=\]\()(?!https?:|#)([^)\s#]+)")
LOADED: Final = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"']?((?:https?:)?//[^\"' >]+)")
PART: Final = re.compile(r"^## (.+)$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Order the pages as their index does, and give headings the anchors that they have on GitHub."""
    config.mdx_configs["toc"]["slugify"] = lambda heading, _: anchor_of(heading)
    config.nav = [{"Andon": ["README.md"]}, *nav_of(INDEX.read_text()), {"Library": [*_library()]}]
    return config


def nav_of(index: str) -> list[dict[str, list[Any]]]:
    """Return the parts of the index, each with its pages in order; a folder's are below its own index."""
    texts = PART.split(index)[1:]
    return [
        {title: [_entry(*found) for found in dict.fromkeys(TITLED.findall(text))]}
        for title, text in zip(texts[::2], texts[1::2], strict=True)
    ]


def _entry(title: str, link: str) -> str | dict[str, list[str]]:
    docs = INDEX.parent
    folder = (docs / link).parent
    if folder == docs:
        return link
    beside = [str(page.relative_to(docs)) for page in sorted(folder.glob("*.md")) if page.name != "README.md"]
    return {title.capitalize(): [link, *beside]}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what lies elsewhere or is derived."""
    files.append(File.generated(config, "javascripts/mermaid.tiny.js", abs_src_path=str(MERMAID)))
    for room, modules in public_modules().items():
        files.append(File.generated(config, f"reference/{room}.md", content=reference(room, modules)))
    for derived in sorted(file for pattern in LOADABLE for file in CONTRACTS.glob(pattern)):
        files.append(File.generated(config, str(derived.relative_to(CONTRACTS)), abs_src_path=str(derived)))
    for target in sorted(_outside(ROOT / "docs" / file.src_uri for file in files.documentation_pages())):
        files.append(File.generated(config, page_of(target), content=shown(target)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Let links to what is not in docs/ lead to its page."""
    at = page.file.src_uri
    if at == DERIVED_PAGE:
        return (CONTRACTS / DERIVED_PAGE).read_text()
    source = _source_of(at)
    if source is None:
        return markdown
    blocks = CODE.findall(markdown)
    parts = [LINK.sub(lambda link: moved(link[1], source, at), prose) for prose in CODE.split(markdown)]
    return "".join(prose + block for prose, block in zip(parts, [*blocks, ""], strict=True))


def moved(link: str, source: Path, at: str) -> str:
    """Return a link of a file as the page `at` of the site says it."""
    target = (source.parent / link).resolve()
    uri = page_of(target)
    return os.path.relpath(uri, PurePosixPath(at).parent)


def page_of(target: Path) -> str:
    """Return the address of a file of this repository, or of a folder, on the site."""
    path = target.relative_to(ROOT)
    if path.parts[0] == "docs":
        return str(PurePosixPath(*path.parts[1:]))
    return f"{OUTSIDE}/{path}" if path.suffix == ".md" else f"{OUTSIDE}/{path}.md"


def shown(target: Path) -> str:
    """Return the page of a file, or of a folder."""
    if target.suffix == ".md":
        return target.read_text()
    name = target.relative_to(ROOT)
    if target.is_dir():
        listed = sorted(one.name for one in target.iterdir() if not one.name.startswith(("_", ".")))
        return "\n".join([f"# {name}/", "", *(f"- `{one}`" for one in listed)])
    return f"# {name}\n\n````{target.suffix[1:]}\n{target.read_text()}\n````\n"


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site that loads anything from another host: whoever reads it would be known there.

    `mkdocs serve` gives the site an address, which each page then names as its own.
    """
    own, site = config.site_url, Path(config.site_dir)
    found = {
        str(file.relative_to(site)): [
            url for url in LOADED.findall(file.read_text()) if not (own and url.startswith(own))
        ]
        for file in site.rglob("*.html")
    }
    if any(found.values()):
        raise PluginError(f"these pages load from other hosts: { {name: one for name, one in found.items() if one} }")


def _outside(pages: Iterable[Path]) -> Iterator[Path]:
    """Files and folders that links lead to, directly or over one of them."""
    found: set[Path] = set()
    waiting = [page for page in pages if page.is_file()] + [
        ROOT / "library" / one for one in ("README.md", "CHANGELOG.md")
    ]
    while waiting:
        page = waiting.pop()
        if page.parts[: len(ROOT.parts) + 1] != (*ROOT.parts, "docs"):
            found.add(page)
            yield page
        if page.suffix == ".md":
            links = {(page.parent / link).resolve() for link in LINK.findall(CODE.sub("", page.read_text()))}
            beside = {link for link in links if link.exists() and not link.is_relative_to(ROOT / "docs")}
            waiting += beside - found
            found |= beside


def _source_of(at: str) -> Path | None:
    parts = PurePosixPath(at).parts
    if parts[0] == "reference":
        return None
    return ROOT / PurePosixPath(*parts[1:]) if parts[0] == OUTSIDE else ROOT / "docs" / at


def public_modules() -> dict[str, list[str]]:
    """Return the modules of the library that projects import, by room."""
    files = [file for name in PROJECTS for file in (ROOT / name, *(ROOT / name).rglob("*.py")) if file.is_file()]
    rooms = defaultdict[str, set[str]](set)
    for module in {one for file in files for one in IMPORTED.findall(file.read_text())}:
        if (LIBRARY / module.replace(".", "/")).with_suffix(".py").is_file():
            rooms[module.split(".")[1]].add(module)
    return {room: sorted(modules) for room, modules in sorted(rooms.items())}


def reference(room: str, modules: list[str]) -> str:
    """Return the page of a room: each public module with its docstrings."""
    package = LIBRARY / "andon" / room / "__init__.py"
    about = (ast.get_docstring(ast.parse(package.read_text())) or "") if package.is_file() else ""
    return "\n\n".join([f"# andon.{room}", about, *(f"::: {module}" for module in modules)])


def _library() -> Iterator[str]:
    yield from (f"{OUTSIDE}/library/README.md", f"{OUTSIDE}/library/CHANGELOG.md")
    yield from (f"reference/{room}.md" for room in public_modules())
