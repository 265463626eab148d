"""What reports over MQTT cost, as their page says."""

from andon.project import project
from bench import thing_costs

PAGE = project().root / "docs" / "devices.md"


def test_the_page_has_the_dollars_that_are_counted() -> None:
    assert thing_costs.report() in PAGE.read_text(), "write them anew: make costs"
