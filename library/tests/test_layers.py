"""The order of the library: imports go down only, the vendor is called in one place, nothing speaks of the domain."""

import pytest
from support.sample_words import factory_words, sample_words

from andon.packages.source import source
from andon.project import library_folder
from andon.testing.layers import (
    DOMAIN,
    LEVELS,
    Sources,
    circles,
    imports_of,
    outside_of_rooms,
    outward_imports,
    read_sources,
    upward_imports,
    users_of_packages,
    vendor_imports,
)


@pytest.fixture(scope="module")
def library() -> Sources:
    """All modules of the library, those that no function gets included."""
    return read_sources((file, file.relative_to(library_folder().parent)) for file in library_folder().rglob("*.py"))


@pytest.fixture(scope="module")
def sources() -> Sources:
    """Its modules that functions get."""
    here = library_folder().parent
    return read_sources((file, place) for file, place in source().files() if file.is_relative_to(here / "andon"))


def test_imports_go_down_only(sources: Sources) -> None:
    assert upward_imports(sources) == set()


def test_only_the_places_that_call_the_vendor_import_its_library(sources: Sources) -> None:
    assert vendor_imports(sources) == set()


def test_no_modules_import_each_other(library: Sources) -> None:
    assert circles(library) == set()


@pytest.mark.parametrize(
    "back", ["import a.x", "if TYPE_CHECKING:\n    from a.x import X", "def late():\n    from a import x"]
)
def test_a_circle_is_found_however_it_is_closed(back: str) -> None:
    around = {"a.x": "from a.y import Y", "a.y": "from a import z", "a.z": back, "a.user": "import a.x"}

    assert circles(around) == {frozenset({"a.x", "a.y", "a.z"})}


def test_no_handler_imports_the_description_of_packages(sources: Sources) -> None:
    assert users_of_packages(sources) == set()


def test_every_module_of_the_library_is_in_a_room(sources: Sources) -> None:
    assert outside_of_rooms(sources) == set()
    assert {module.split(".")[1] for module in sources if module.startswith("andon.")} == {*LEVELS, "project"}


def test_the_library_does_not_speak_of_the_domain(sources: Sources) -> None:
    assert factory_words(sources) == set()


def test_nothing_in_the_library_imports_or_names_the_sample(library: Sources) -> None:
    # A template imports the packages that it consists of.
    assert {found for found in outward_imports(library) if not found[0].startswith("andon.tools.templates.")} == set()
    assert sample_words(library) == set()


def test_no_module_of_the_library_looks_for_the_project_by_its_own_place(library: Sources) -> None:
    assert {module for module, source in library.items() if "parents[" in source} == set()


@pytest.mark.parametrize("text", ["# of a board", '"""Factory: press 7."""', "name = 'dispatch'", "x = equipment.id"])
def test_a_word_of_the_sample_is_found(text: str) -> None:
    assert sample_words({"andon.tools.lake.query": text})
    assert sample_words({"andon.tools.lake.query": "field(default_factory=dict)"}) == set()


CUTS = [
    ("andon.events.change_data_capture", "from andon.rules.stored_event import EVENT"),
    ("andon.versions.optimistic_lock", "from andon.rules.rule import BY, RULE"),
    ("andon.views.view_update", "from andon.rules.collect import Collected"),
    ("andon.views.compaction", "from andon.rules import stored_event"),
    ("andon.views.materialize", "import andon.rules.micro_event_store"),
    ("andon.views.materialize", "from andon.rules.collect import Collected"),
    ("andon.http.page", "from andon.rules.rule import Rule"),
    ("andon.rules.rule", "from andon.http.page import Page"),
    ("andon.wire.aws", "from andon import dynamodb"),
    ("andon.wire.aws", "def late():\n    from andon.dynamodb.client import Table"),
    ("andon.wire.aws", "if TYPE_CHECKING:\n    from andon.dynamodb.client import Table"),
    ("andon.wire.aws", 'importlib.import_module("andon.dynamodb.client")'),
    ("andon.rules.rule", "from andon.packages.package import Package"),
]


@pytest.mark.parametrize(("module", "source"), CUTS)
def test_an_import_that_goes_up_or_aside_is_found(module: str, source: str) -> None:
    assert {found for found, _ in upward_imports({module: source})} == {module}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("andon.views.materialize", "from andon.events.publish import publish"),
        ("andon.views.materialize", "from andon.views.ledger import Result"),
        ("andon.http.page", "from andon.versions.optimistic_lock import Saved"),
        ("views.board.listener", "from andon.rules.rule import Rule"),
        ("andon.runtime.log", "import views_of_mine, json"),
    ],
)
def test_an_import_that_goes_down_is_not_found(module: str, source: str) -> None:
    assert upward_imports({module: source}) == set()
    assert outward_imports({module: source}) == set()


@pytest.mark.parametrize("package", sorted(DOMAIN))
def test_an_import_of_the_domain_is_found(package: str) -> None:
    assert outward_imports({"andon.runtime.log": f"import {package}.x.y"})
    assert not outward_imports({"views.board.view": f"import {package}.x.y"})


@pytest.mark.parametrize("module", ["andon.views.inverse_oplock", "andon.events.fault", "andon.stores.faults.record"])
def test_a_caught_error_of_the_vendor_is_found(module: str) -> None:
    assert vendor_imports({module: "def late():\n    from botocore.exceptions import ClientError"})
    assert not vendor_imports({"andon.wire.botocore_client": "from botocore.exceptions import ClientError"})


def test_a_handler_that_reads_declarations_by_itself_is_found() -> None:
    assert users_of_packages({"views.board.query": "from andon.packages.discovery import views"})


def test_a_module_without_a_room_is_found() -> None:
    assert outside_of_rooms({"andon.helpers": "", "andon.misc.things": "", "andon.wire.aws": ""}) == {
        "andon.helpers",
        "andon.misc.things",
    }


@pytest.mark.parametrize("source", ["equipmentId = 1", '"""Ask the operators."""', "# a press", "PRESS_KEYS = 1"])
def test_a_word_of_the_domain_is_found_and_one_that_only_contains_it_is_not(source: str) -> None:
    assert factory_words({"andon.runtime.log": source})
    assert (
        factory_words({"andon.runtime.log": "expression = compress(operation, field(default_factory=dict))"}) == set()
    )


def test_a_relative_import_is_refused() -> None:
    with pytest.raises(ValueError, match="absolute"):
        list(imports_of("from . import schema"))
