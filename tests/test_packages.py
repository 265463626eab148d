"""Handlers, roles and tables of packages follow from what they declare."""

import pytest

from andon.dynamodb.schema import TableSchema
from andon.packages.discovery import follower_of_table, reader_of_queue, subscribers_of
from andon.packages.package import Package
from views.board import view as board
from views.state_log import view as state_log

STATE_LOG = Package("views", "state_log")


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


@pytest.mark.parametrize(
    ("table", "package", "role"),
    [
        ("EQUIPMENT_TABLE", Package("services", "equipment"), "trigger"),
        ("Andon-EquipmentTable", Package("services", "equipment"), "trigger"),
        ("Andon-dispatchDispatchTable1A2B3C4D-5E6F", Package("services", "dispatch"), "trigger"),
        ("BOARD_TABLE", Package("views", "board"), "push"),
        ("Andon-boardBoardTable1A2B3C4D-5E6F", Package("views", "board"), "push"),
    ],
)
def test_a_table_is_found_by_its_variable_and_by_its_deployed_name(table: str, package: Package, role: str) -> None:
    assert follower_of_table(table) == (package, role)


def test_an_event_has_subscribers_of_every_side() -> None:
    assert [package.name for package in subscribers_of("equipment", "state-reported")] == [
        "anomalies",
        "dispatch",
        "board",
        "state_log",
        "lake",
    ]
    assert subscribers_of("state_log", "fault") == [Package("stores", "faults"), Package("stores", "lake")]
    assert subscribers_of("nobody", "state-reported") == [Package("stores", "lake")]


@pytest.mark.parametrize(
    ("queue", "owner", "role"),
    [
        ("Andon-lakeQueue1A2B3C4D-5E6F", Package("stores", "lake"), "listener"),
        ("Andon-statelogQueue1A2B3C4D-5E6F", Package("views", "state_log"), "listener"),
        ("World-state_log-Queue", Package("views", "state_log"), "listener"),
        ("Andon-equipment-Ingest", Package("services", "equipment"), "ingest"),
        ("Andon-equipment-Queue", Package("services", "equipment"), "listener"),
    ],
)
def test_a_queue_is_found_by_its_name_here_and_on_aws(queue: str, owner: Package, role: str) -> None:
    assert reader_of_queue(queue) == (owner, role)
