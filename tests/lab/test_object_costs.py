"""What a view costs in a table and in objects, as its page says."""

from andon.project import project
from lab import object_costs

PAGE = project().root / "docs" / "patterns" / "view-as-objects.md"


def test_the_page_has_the_dollars_that_are_counted() -> None:
    assert object_costs.report() in PAGE.read_text(), "write them anew: make costs"


def test_objects_are_cheaper_from_five_events_of_a_group_and_from_a_hundred_rows_on() -> None:
    stay, move, lists = (
        object_costs.of_events(moving=False),
        object_costs.of_events(moving=True),
        object_costs.of_lists(),
    )

    assert [number for number, one in stay.items() if one.objects < one.table] == [5, 10, 100]
    assert [number for number, one in move.items() if one.objects < one.table] == [10, 100]
    assert [number for number, one in lists.items() if one.objects < one.table] == [100, 1000]
