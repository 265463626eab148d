import pytest

from andon.packages.discovery import follower_of_table, owner_of_route, packages, reader_of_queue
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
