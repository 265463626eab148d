"""Combinations of lakes and changes: what the tool says, held against the model."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from andon.tools.what_if.asked import asked_in
from andon.tools.what_if.replaying import LakePlace, what_if
from andon.tools.what_if.report import DecidedRow, WhatIf
from andon.tools.what_if.splitting import FEW_EVENTS
from andon.tools.what_if.trees import room
from lab.what_if.chained import decided_in_chains
from lab.what_if.decided import Decisions, ModelDecision, difference
from lab.what_if.facts import Facts
from lab.what_if.model import decided_alone
from lab.what_if.model_rules import ModelRules

MODELLED: Final = ("dispatch.", "notify.now", "notify.later")
BY_ARRIVAL: Final = "notify."
"""Messages are about what arrived together: which of it they name, the model does not say."""


def asked(lake: Path, root: Path, few_events: int = FEW_EVENTS, /, **given: str) -> WhatIf:
    """Ask the tool about a lake and the trees of a repository; few_events: see `Splitter`."""
    with room() as folder:
        question = asked_in({"RULE": "all", **given})
        return what_if(question, LakePlace(lake, None), root, folder, few_events=few_events)


def modelled(facts: Facts, rules: ModelRules, end_ms: int) -> Decisions:
    """Return all that the model decides until the end."""
    alone = decided_alone(facts, rules, end_ms)
    return {**alone, **decided_in_chains(alone, facts, rules, end_ms)}


def misfits(report: WhatIf, before: Decisions, after: Decisions) -> list[str]:
    """Return in what the tool and the model disagree."""
    return [*_misfits(report, before, after)]


def _misfits(report: WhatIf, before: Decisions, after: Decisions) -> Iterator[str]:
    expected = difference(before, after)
    for rule in report.rules:
        name = rule.rule
        if not name.startswith(MODELLED):
            if not rule.is_same:
                yield f"{name} differs, which the model does not have"
            continue
        yield from _of_rows(f"{name} added", rule.added, _of(name, expected.added.values()))
        yield from _of_rows(f"{name} removed", rule.removed, _of(name, expected.removed.values()))
        earlier = _of(name, (one for one, _ in expected.changed.values()))
        later = _of(name, (one for _, one in expected.changed.values()))
        if not name.startswith(BY_ARRIVAL):
            yield from _of_rows(f"{name} changed, before", [one.before for one in rule.changed], earlier)
            yield from _of_rows(f"{name} changed, after", [one.after for one in rule.changed], later)
        numbers = len(_of(name, before.values())), len(_of(name, after.values()))
        if (rule.before, rule.after) != numbers:
            yield f"{name}: the tool has {rule.before} and {rule.after} decisions, the model {numbers}"


def _of(rule: str, decisions: Iterable[ModelDecision]) -> list[ModelDecision]:
    return [one for one in decisions if one.rule == rule]


def _of_rows(what: str, rows: Iterable[DecidedRow], decisions: Iterable[ModelDecision]) -> Iterator[str]:
    found = {(str(row.key[0][1]), str(row.key[1][1])): row for row in rows}
    wanted = {one.key: one for one in decisions}
    for key in sorted(found.keys() | wanted.keys()):
        if key not in wanted:
            yield f"{what}: the model has no {key}, {found[key].row}"
        elif key not in found:
            yield f"{what}: the tool has no {key}, {wanted[key].row}"
        elif why := _misfit(found[key], wanted[key]):
            yield f"{what}: {key}: {why}"


def _misfit(row: DecidedRow, decision: ModelDecision) -> str:
    if (row.subject, row.at_ms) not in decision.anchors:
        return f"at {row.subject}, {row.at_ms}, in the model {sorted(decision.anchors)}"
    said = dict(row.row)
    if isinstance(triggers := said.get("triggers"), list):
        said["triggers"] = [(one["type"], one["timestamp"]) for one in triggers]
    wrong = [
        f"{name} {said.get(name)}, in the model {value}"
        for name, value in decision.row.items()
        if said.get(name) != value
    ]
    return "; ".join(wrong)
