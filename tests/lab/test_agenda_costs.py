"""What a week of the agenda costs to read in a table and in objects, as its page says."""

from andon.project import project
from lab import agenda_costs

PAGE = project().root / "docs" / "maintenance.md"


def test_the_page_has_the_bytes_and_dollars_that_are_counted() -> None:
    assert agenda_costs.report() in PAGE.read_text(), "write them anew: make costs"
