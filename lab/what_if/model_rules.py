"""The rules as the model has them: constants and conditions that a change may have otherwise."""

from collections.abc import Callable
from typing import Final, NamedTuple

MINUTE_MS: Final = 60_000
DAY_MS: Final = 24 * 60 * MINUTE_MS

HOLD_BACK_MS: Final = 30_000

OfState = Callable[[str], bool]


def is_abnormal(state: str) -> bool:
    """Return True for each state but NORMAL."""
    return state != "NORMAL"


def is_error(state: str) -> bool:
    """Return True for the states of errors."""
    return state.startswith("ERROR")


class ModelRules(NamedTuple):
    """The rules of the sample, as its pages and docstrings have them, with a name for each part that may change.

    silent_after_ms: a machine that reports nothing for so long is silent. sees_before: a report with another one just
    before it is followed by no silence. escalate_after_ms: after so long an episode is escalated. escalates, assigns:
    states whose reports are looked at. repeats, within_ms, repeated: so many abnormal reports within so long are a
    risk, in words. risk_window_ms: so far is looked back for one. risk_is_about_first: it is named by the first report
    of its episode, else by that which completes it. owner: the end of the name of who has a log, behind its kind.
    stale_ms: an older report begins no chain. ends_at_normal: chains look back to the last normal report alone.
    acknowledged_ends: who has seen a log ends its chains. slot_ms: the length of the slots of messages. without: rules
    that are not there.
    """

    silent_after_ms: int = 30 * MINUTE_MS
    sees_before: bool = False
    escalate_after_ms: int = 15 * MINUTE_MS
    escalates: OfState = is_abnormal
    assigns: OfState = is_abnormal
    repeats: int = 3
    risk_window_ms: int = DAY_MS
    within_ms: int = 15 * MINUTE_MS
    repeated: str = "three abnormal reports in 15 minutes"
    risk_is_about_first: bool = True
    owner: str = ""
    stale_ms: int = 10 * MINUTE_MS
    ends_at_normal: bool = True
    acknowledged_ends: bool = True
    slot_ms: int = 150_000
    without: frozenset[str] = frozenset()
