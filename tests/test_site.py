"""The site of docs/: the order of its pages, what it shows of the library, and that it knows no other host."""

import importlib.util
from itertools import chain
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    found = importlib.util.spec_from_file_location("pages_of_the_site", ROOT / "docs" / "site" / "pages.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_pages_stand_in_the_order_of_the_index_each_once_and_a_folder_behind_its_own(pages: ModuleType) -> None:
    nav = pages.nav_of((ROOT / "docs" / "README.md").read_text())
    entries = [entry for part in nav for titled in part.values() for entry in titled]
    listed = [page for entry in entries for page in ([entry] if isinstance(entry, str) else chain(*entry.values()))]

    assert {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")} == {"README.md", *listed}
    assert len(listed) == len(set(listed))
    assert "Runbooks" in {title for entry in entries if isinstance(entry, dict) for title in entry}
    assert listed.index("runbooks/drift.md") > listed.index("runbooks/README.md")


def test_the_reference_has_what_projects_import_and_nothing_private(pages: ModuleType) -> None:
    modules = [module for room in pages.public_modules().values() for module in room]

    assert {"andon.views.view_update", "andon.cdk.service", "andon.rules.rule", "andon.project"} <= set(modules)
    assert not [module for module in modules if "._" in module]


def test_a_link_to_code_leads_to_a_page_that_shows_it(pages: ModuleType) -> None:
    source = ROOT / "docs" / "patterns" / "README.md"

    assert (
        pages.moved("../../library/andon/project.py", source, "patterns/README.md")
        == "../source/library/andon/project.py.md"
    )
    assert pages.moved("../tour.md", source, "patterns/README.md") == "../tour.md"
    assert "class Project" in pages.shown(ROOT / "library" / "andon" / "project.py")


@pytest.mark.parametrize(
    "tag",
    [
        '<script src="https://elsewhere.example/a.js">',
        '<link rel="stylesheet" href="//elsewhere.example/a.css">',
        "<img alt='' src=https://elsewhere.example/a.png>",
    ],
)
def test_a_page_that_loads_from_another_host_is_refused(pages: ModuleType, tmp_path: Path, tag: str) -> None:
    made = SimpleNamespace(site_dir=tmp_path, site_url=None)
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text('<a href="https://elsewhere.example">a link</a>')
    (tmp_path / "a" / "index.html").write_text("of another folder")
    pages.on_post_build(made)
    for name in ("index.html", "a/index.html"):
        before = (tmp_path / name).read_text()
        (tmp_path / name).write_text(tag)
        with pytest.raises(PluginError, match=rf"{name}.*elsewhere\.example"):
            pages.on_post_build(made)
        (tmp_path / name).write_text(before)


def test_a_page_may_name_its_own_address_which_a_site_that_is_served_has(pages: ModuleType, tmp_path: Path) -> None:
    own = "http://127.0.0.1:8000/"
    (tmp_path / "a.html").write_text(f'<link rel="canonical" href="{own}a.html">')

    pages.on_post_build(SimpleNamespace(site_dir=tmp_path, site_url=own))
    with pytest.raises(PluginError):
        pages.on_post_build(SimpleNamespace(site_dir=tmp_path, site_url=None))
