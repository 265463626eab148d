import pytest

from andon.packages.discovery import follower_of_table, owner_of_queue, owner_of_route, packages, subscribers_of
from andon.packages.package import Package


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_each_route_has_one_owner_and_it_has_the_handler(package: Package) -> None:
    for route in package.routes:
        owner, role = owner_of_route(route)

        assert owner == package
        assert package.side == "pages" or route in owner.load(role).app.declared


def test_a_route_of_nobody_is_refused() -> None:
    with pytest.raises(LookupError, match="GET /nothing"):
        owner_of_route("GET /nothing")


@pytest.mark.parametrize(
    ("table", "owner"),
    [
        ("EQUIPMENT_TABLE", "equipment"),
        ("Andon-EquipmentTable", "equipment"),
        ("Andon-equipmentEquipmentTable1A2B3C4D-5E6F", "equipment"),
        ("Andon-dispatchDispatchTable1A2B3C4D-5E6F", "dispatch"),
    ],
)
def test_a_table_is_found_by_its_variable_and_by_its_deployed_name(table: str, owner: str) -> None:
    assert follower_of_table(table) == (Package("services", owner), "trigger")


@pytest.mark.parametrize("table", ["BOARD_TABLE", "Andon-boardBoardTable1A2B3C4D-5E6F"])
def test_the_table_of_a_view_is_followed_by_its_push(table: str) -> None:
    assert follower_of_table(table) == (Package("views", "board"), "push")


@pytest.mark.parametrize("table", ["Andon-Nobody", "STATE_LOG_TABLE", "EQUIPMENT_HISTORY_TABLE", ""])
def test_a_table_whose_stream_nobody_follows_is_refused(table: str) -> None:
    with pytest.raises(LookupError, match="nobody follows"):
        follower_of_table(table)


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
    ("queue", "owner"),
    [
        ("Andon-lakeQueue1A2B3C4D-5E6F", Package("stores", "lake")),
        ("Andon-statelogQueue1A2B3C4D-5E6F", Package("views", "state_log")),
        ("STATE_LOG_QUEUE_URL", Package("views", "state_log")),
    ],
)
def test_a_queue_is_found_by_its_variable_and_by_its_deployed_name(queue: str, owner: Package) -> None:
    assert owner_of_queue(queue) == owner


@pytest.mark.parametrize("queue", ["Andon-EquipmentTable", "Andon-NobodyQueue", ""])
def test_a_queue_that_feeds_nobody_is_refused(queue: str) -> None:
    with pytest.raises(LookupError, match="feeds no listener"):
        owner_of_queue(queue)
