"""A view that is new is filled from the lake, where there is one."""

from andon.tools.views.deployed import here
from andon.tools.views.fill import fill_new


def test_a_stack_without_replays_fills_nothing_and_none_asks_for_nothing() -> None:
    nowhere = {"ApiUrl": "http://127.0.0.1:9", "Endpoint": "http://127.0.0.1:9"}

    assert [*fill_new(here(nowhere), ["state_log"])] == []
    assert [*fill_new(here({**nowhere, "ReplaysQueueUrl": "one"}), [])] == []
