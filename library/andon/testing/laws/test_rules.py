"""Rules: each decides the same, once and upon all, in whatever order its events come; see `andon/testing/rules.py`."""

import pytest

from andon.packages.discovery import services
from andon.packages.package import Package
from andon.testing.rules import require_ruled


@pytest.mark.parametrize("control", [one for one in services() if one.has("control")], ids=lambda one: one.name)
def test_rules_decide_the_same_whatever_order_duplicate_crash_or_repetition_their_events_meet(control: Package) -> None:
    require_ruled(control)
