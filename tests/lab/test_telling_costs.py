"""What it costs to tell people, as its page says."""

from andon.project import project
from lab import telling_costs

PAGE = project().root / "docs" / "telling.md"


def test_the_page_has_the_dollars_that_are_counted() -> None:
    assert telling_costs.report() in PAGE.read_text(), "write them anew: make costs"
