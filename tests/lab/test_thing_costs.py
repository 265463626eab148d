"""What reports over MQTT cost, and certificates, as their page says."""

from types import ModuleType

import pytest

from andon.project import project
from lab import claim_costs, thing_costs

PAGE = project().root / "docs" / "devices.md"


@pytest.mark.parametrize("costs", [thing_costs, claim_costs], ids=lambda costs: costs.__name__)
def test_the_page_has_the_dollars_that_are_counted(costs: ModuleType) -> None:
    assert costs.report() in PAGE.read_text(), "write them anew: make costs"
