import pytest

from andon.packages.discovery import follower_of_table, owner_of_route, packages, reader_of_queue, subscribers_of
from andon.packages.package import Package


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_each_route_has_one_owner_and_it_has_the_handler(package: Package) -> None:
    for route in package.routes:
        owner, role = owner_of_route(route)

        assert owner == package
        assert package.side == "pages" or route in owner.api(role).declared


def test_routes_tables_and_queues_of_nobody_are_refused() -> None:
    with pytest.raises(LookupError, match="GET /nothing"):
        owner_of_route("GET /nothing")
    for table in ("Andon-Nobody", "STATE_LOG_TABLE", "EQUIPMENT_HISTORY_TABLE", ""):
        with pytest.raises(LookupError, match="nobody follows"):
            follower_of_table(table)
    for queue in ("Andon-EquipmentTable", "Andon-NobodyQueue", ""):
        with pytest.raises(LookupError, match="feeds nobody"):
            reader_of_queue(queue)


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
