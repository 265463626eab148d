"""What a photo costs, as its page says."""

from andon.project import project
from lab import content_costs

PAGE = project().root / "docs" / "maintenance.md"


def test_the_page_has_the_dollars_that_are_counted() -> None:
    assert content_costs.report() in PAGE.read_text(), "write them anew: make costs"


def test_a_photo_that_is_there_already_costs_half_as_much() -> None:
    first, another, again, stored = content_costs.dollars().values()

    assert again < another < first / 2 < stored
