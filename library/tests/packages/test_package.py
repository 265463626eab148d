from pathlib import Path
from typing import get_args

import pytest

from andon.events.topic import ANY, is_included
from andon.handlers import listener
from andon.handlers.declared_listener import listener_of
from andon.packages import package
from andon.packages.discovery import packages, readers
from andon.packages.package import Package, Side, folder_of
from andon.project import project
from andon.testing.environment import LocalContext


def test_every_package_is_found() -> None:
    folders = {(side, file.parent.name) for side in get_args(Side) for file in folder_of(side).glob("*/__init__.py")}

    assert {(package.side, package.name) for package in packages()} == folders


def test_no_two_packages_name_a_table_by_one_variable() -> None:
    variables = [variable for package in packages() for variable in package.tables]

    assert len(set(variables)) == len(variables)


@pytest.mark.parametrize("package", readers(), ids=lambda package: package.name)
def test_a_reader_subscribes_to_exactly_what_its_listener_keeps(package: Package) -> None:
    assert package.subscriptions == frozenset(listener_of(package.folder).on)


def test_a_handler_without_a_package_in_its_environment_says_so() -> None:
    with pytest.raises(LookupError, match="ANDON_PACKAGE names no package"):
        listener.handler({}, LocalContext("listener"))


@pytest.mark.parametrize(
    ("subscribed", "expected"),
    [
        *((("equipment", "state-reported"), True), ((ANY, "state-reported"), True), (("equipment", ANY), True)),
        *(((ANY, ANY), True), (("dispatch", "state-reported"), False), (("equipment", "state"), False)),
        (("dispatch", ANY), False),
    ],
)
def test_a_topic_matches_in_source_and_type(subscribed: tuple[str, str], *, expected: bool) -> None:
    assert is_included(("equipment", "state-reported"), subscribed) == expected


def test_who_declares_no_facts_publishes_none() -> None:
    silent = Package("services", "silent").facts

    assert (silent.source, silent.types, silent.of) == ("silent", frozenset(), {})


FILES = {
    "command": "from services.brought import things",
    "query": "def late():\n    from andon.http.powertools import PowertoolsApi",
    "things": "import services.brought.routes, services.brought.command",
    "routes": "from aws_lambda_powertools.event_handler.api_gateway import Router",
}


@pytest.mark.parametrize(
    ("without", "roles"),
    [("", {"command", "query"}), ("routes", {"query"}), ("things", {"query"}), ("query", {"command"})],
)
def test_a_handler_needs_powertools_if_it_or_what_it_imports_of_the_project_does(
    without: str, roles: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought = Package("services", f"brought{without}")
    folder = tmp_path / "functions" / brought.folder
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        if name != without:
            (folder / f"{name}.py").write_text(text.replace("brought", brought.name))
    elsewhere = project()._replace(file=str(folder.parents[1] / "project.py"))
    monkeypatch.setattr(package, "project", lambda: elsewhere)

    assert brought.powertools == roles
