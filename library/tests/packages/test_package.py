from pathlib import Path
from typing import get_args

import pytest

from andon.dynamodb.schema import TableSchema
from andon.events.topic import ANY, is_included
from andon.handlers import listener
from andon.handlers.declared_listener import listener_of
from andon.packages import package
from andon.packages.discovery import packages, readers
from andon.packages.package import Package, Side, folder_of
from andon.project import project
from andon.testing.environment import LocalContext
from views.board import view as board
from views.state_log import view as state_log

STATE_LOG = Package("views", "state_log")


def test_every_package_is_found() -> None:
    folders = {(side, file.parent.name) for side in get_args(Side) for file in folder_of(side).glob("*/__init__.py")}

    assert {(package.side, package.name) for package in packages()} == folders


@pytest.mark.parametrize(
    ("package", "role", "module"),
    [
        (STATE_LOG, "query", "views.state_log.query"),
        (STATE_LOG, "listener", "andon.handlers.listener"),
        (Package("services", "equipment"), "trigger", "andon.handlers.trigger"),
        (Package("services", "dispatch"), "trigger", "andon.handlers.control_trigger"),
        (Package("services", "maintenance"), "trigger", "andon.handlers.keeping_trigger"),
        (Package("services", "anomalies"), "trigger", "services.anomalies.trigger"),
        (Package("stores", "lake"), "listener", "andon.stores.lake.listener"),
    ],
)
def test_a_handler_is_the_packages_own_if_it_has_one(package: Package, role: str, module: str) -> None:
    assert package.handler_name(role) == f"{module}.handler"


@pytest.mark.parametrize(
    ("package", "roles"),
    [
        (Package("views", "board"), ("query", "listener", "push", "recompute")),
        (
            Package("services", "equipment"),
            ("command", "query", "ingest", "provision", "trigger", "listener", "restore"),
        ),
        (Package("services", "dispatch"), ("command", "query", "trigger", "listener", "sweep", "restore")),
        (Package("services", "anomalies"), ("trigger", "listener", "sweep")),
        (Package("stores", "archive"), ("command", "query", "listener", "sweep")),
        (Package("pages", "board"), ("query",)),
    ],
    ids=lambda value: getattr(value, "folder", ""),
)
def test_the_roles_of_a_package_follow_from_what_it_declares(package: Package, roles: tuple[str, ...]) -> None:
    assert package.roles == roles


def test_a_view_has_one_table_by_the_variable_that_it_declares() -> None:
    schema = TableSchema(board.KEYS, board.INDEXES, stream=True, steady=True)
    assert STATE_LOG.tables == {"STATE_LOG_TABLE": TableSchema(state_log.KEYS, state_log.INDEXES, steady=True)}
    assert Package("views", "board").tables == {"BOARD_TABLE": schema}


def test_a_view_without_indexes_or_a_steady_load_needs_to_declare_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(state_log, "INDEXES")
    monkeypatch.delattr(state_log, "STEADY")

    assert STATE_LOG.tables == {"STATE_LOG_TABLE": TableSchema(state_log.KEYS)}


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
