"""What it costs to ask for help by chains, as its page says."""

from andon.project import project
from lab import chain_costs

PAGE = project().root / "docs" / "duty.md"


def test_the_page_has_the_dollars_that_are_counted() -> None:
    assert chain_costs.report() in PAGE.read_text(), "write them anew: make costs"
