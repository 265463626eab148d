"""The words of a story: what a decision says, and not what each row has."""

import pytest

from andon.events.domain_event import DomainEvent
from andon.tools.what_if.report import ChangedRow, DecidedRow
from andon.tools.what_if.telling import change_text, decision_text, text_of

VERSION = {"version": 1, "changedBy": "rule", "timestamp": 1_588_000_000_000, "since": 1}
OF_RULE = {"by": "rule", "rule": "late", "discriminator": "delay", "triggers": []}


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({**OF_RULE, **VERSION, "id": "press-7", "state": "ERROR", "who": "liz"}, "state=ERROR who=liz"),
        ({**OF_RULE, "since": "2020-04-28", "at": 1_588_000_000_000}, "since=2020-04-28 at=2020-04-27T15:06:40.000Z"),
        ({**OF_RULE, "at": 1_588_000_000_000, "timestamp": "2020-04-27T15:06:40.000Z"}, "at=2020-04-27T15:06:40.000Z"),
        ({**OF_RULE, "people": ["liz"], "minutes": 15}, "minutes=15"),
    ],
)
def test_a_decision_is_told_without_what_each_row_has_times_as_times_and_nothing_twice(
    row: dict[str, object], text: str
) -> None:
    one = DecidedRow("things.late", (("pk", "x"),), 0, "e", "press-7", row)
    assert decision_text(one) == text


def test_a_change_is_told_with_what_was_and_what_is() -> None:
    before, after = (
        {"at": 1_588_000_000_000, "people": ["liz"], "who": "liz"},
        {"at": 1_588_000_060_000, "people": []},
    )
    old, new = (DecidedRow("things.late", (), 0, "e", "press-7", row) for row in (before, after))
    text = "at 2020-04-27T15:06:40.000Z → 2020-04-27T15:07:40.000Z, people, who liz → nothing"
    assert change_text(ChangedRow(old, new, ("at", "people", "who"))) == text


def test_an_event_is_told_without_its_subject_its_time_and_what_follows_from_a_rule() -> None:
    said = {"id": "press-7", "at": "2020-04-27T15:06:40.000Z", "by": "rule", "rule": "late", "who": "liz", "others": []}
    assert (
        text_of(DomainEvent("e", "thing-late", 1_588_000_000_000, "press-7", {"delay": said})) == "thing-late who=liz"
    )
