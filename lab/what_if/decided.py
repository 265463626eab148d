"""Decisions of the model, and in what two of its results differ."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from andon.rules.sweep import EVERY_SECONDS
from lab.what_if.facts import Facts, Key

MOST_LAG_MS: Final = 5 * 60_000
TRIGGER_LAG_MS: Final = 1_000
SWEEP_LAG_MS: Final = EVERY_SECONDS * 1000 // 2


class ModelDecision(NamedTuple):
    """A row that a rule decides.

    anchors: the events at which it may have been decided first, each as machine and time; mostly it is one. subject:
    its machine, or its person. decided_ms: when the rule was due. row: those of its members that the model knows.
    """

    rule: str
    key: Key
    anchors: frozenset[tuple[str, int]]
    subject: str
    decided_ms: int
    row: Mapping[str, object]


Decisions = Mapping[Key, ModelDecision]


def first_ones(decided: Iterable[ModelDecision], facts: Facts, end_ms: int) -> dict[Key, ModelDecision]:
    """Return the first decision under each key, of those that were due until the end; a row of a person stays."""
    found: dict[Key, ModelDecision] = {}
    for one in sorted(decided, key=lambda one: one.decided_ms):
        if one.decided_ms <= end_ms and not facts.taken.get(one.key, end_ms + 1) <= one.decided_ms:
            found.setdefault(one.key, one)
    return found


def known_from(one: ModelDecision, facts: Facts, lag_ms: int) -> int:
    """Return when the fact of a decision arrives: when the lake says so, or after the usual lag."""
    recorded = facts.recorded.get(one.key, -1)
    return recorded if one.decided_ms <= recorded <= one.decided_ms + MOST_LAG_MS else one.decided_ms + lag_ms


class ModelDifference(NamedTuple):
    """The difference of two results: decisions of one alone, and pairs of those whose rows differ."""

    added: Decisions
    removed: Decisions
    changed: Mapping[Key, tuple[ModelDecision, ModelDecision]]


def difference(before: Decisions, after: Decisions) -> ModelDifference:
    """Compare two results. What another rule decides under the same key is removed, and added."""
    both = {key for key, one in after.items() if key in before and before[key].rule == one.rule}
    return ModelDifference(
        added={key: one for key, one in after.items() if key not in both},
        removed={key: one for key, one in before.items() if key not in both},
        changed={key: (before[key], after[key]) for key in both if before[key].row != after[key].row},
    )
