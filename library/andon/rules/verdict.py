"""Verdicts: the results of evaluations, and how often a trigger or a sweep came to each."""

from collections import Counter
from enum import StrEnum


class Verdict(StrEnum):
    """The result of an evaluation, or of one of its decisions.

    `DECIDED`: its row was put. `STANDS`: the row was there already. `NOTHING`: there was nothing to decide. `LATE`: the
    anchor arrived too late to be decided upon. `GONE`: the anchor is no longer stored. `FLOODED`: more lies
    around it than the rule looks at. `FAULT`: the rule fails at it, and always will.
    """

    DECIDED = "decided"
    STANDS = "stands"
    NOTHING = "nothing"
    LATE = "late"
    GONE = "gone"
    FLOODED = "flooded"
    FAULT = "fault"


Counts = Counter[str]
"""Numbers by name: a `Verdict`, or what a trigger or a sweep counts beside."""
