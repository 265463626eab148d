"""The question, as variables say it. Pure, but for the folders that it looks for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from andon.runtime import times
from andon.tools.called import as_called
from andon.tools.stack.errors import ToolFailed
from andon.tools.what_if.tree import RuleFacts, TreeRules

ALL: Final = "all"
HEAD: Final = "HEAD"

RuleNames = frozenset[tuple[str, str]]
"""Pairs of a service and the id of a rule."""


class WhatIfAsked(NamedTuple):
    """The variables, read; see `__main__`. since_ms, until_ms: None: as far as the lake goes."""

    rule: str
    since_ms: int | None
    until_ms: int | None
    base: str
    setting: str | None
    lake: Path | None
    rosters: Path | None
    json: Path | None
    plot: Path | None


def asked_in(given: Mapping[str, str]) -> WhatIfAsked:
    """Read the variables.

    Raises:
        ToolFailed: nothing is asked for, a time is none, or a file could not be written.

    """
    if not given.get("RULE"):
        raise ToolFailed(f"which rule? {as_called('what-if', RULE='…')}: its id, or all")
    json, plot = _file(given, "JSON"), _file(given, "PLOT")
    if plot is not None:
        from andon.tools.lake.plots import require_format  # noqa: PLC0415  matplotlib is for who wants a picture

        require_format(plot)
    since_ms, until_ms = _time(given, "SINCE", times.first_of), _time(given, "UNTIL", times.last_of)
    if since_ms is not None and until_ms is not None and until_ms < since_ms:
        raise ToolFailed("UNTIL lies before SINCE")
    lake, rosters = (Path(given[name]) if given.get(name) else None for name in ("LAKE", "ROSTERS"))
    base, setting = given.get("BASE") or HEAD, given.get("SET") or None
    return WhatIfAsked(given["RULE"], since_ms, until_ms, base, setting, lake, rosters, json, plot)


def _time(given: Mapping[str, str], name: str, read: Callable[[str], str]) -> int | None:
    try:
        return times.to_ms(read(given[name])) if given.get(name) else None
    except ValueError as error:
        raise ToolFailed(f"{name}={given[name]}: {error}") from error


def _file(given: Mapping[str, str], name: str) -> Path | None:
    if not given.get(name):
        return None
    file = Path(given[name])
    if not file.absolute().parent.is_dir():
        raise ToolFailed(f"there is no folder for {name}={file}")
    return file


def rules_asked(rule: str, trees: Sequence[TreeRules]) -> RuleNames:
    """Return the rules that are meant: by an id, by its service and id, or by the beginning of rules of numbers.

    Raises:
        ToolFailed: no tree has one, or one knows what no event says.

    """
    known = {name_of(one) for tree in trees for one in tree["rules"]}
    found = frozenset(one for one in known if rule in {ALL, one[1], ".".join(one), one[1].rstrip("0123456789")[:-1]})
    if not found:
        raise ToolFailed(f"there is no rule {rule}: {', '.join(sorted(rule_id for _, rule_id in known))}")
    left = left_to_lake(trees)
    if rule != ALL and found & left:
        raise ToolFailed(f"{rule} knows what no event says (`is_replayable`), and cannot be decided anew")
    return found - left


def left_to_lake(trees: Sequence[TreeRules]) -> RuleNames:
    """Return the rules that know what no event says, in any tree: they decided what the lake says."""
    return frozenset(name_of(one) for tree in trees for one in tree["rules"] if not one["is_replayable"])


def with_causes(asked: RuleNames, trees: Sequence[TreeRules]) -> RuleNames:
    """Return rules with those that decide what they are on, and so forth: these are decided anew, too."""
    left = left_to_lake(trees)
    rules = [rule for tree in trees for rule in tree["rules"] if name_of(rule) not in left]
    found = asked
    while True:
        wanted = {tuple(topic) for rule in rules if name_of(rule) in found for topic in rule["on"]}
        more = {name_of(rule) for rule in rules if any((rule["service"], kind) in wanted for kind in rule["emits"])}
        if more <= found:
            return found
        found |= more


def with_hearers(services: Iterable[str], replayed: RuleNames, trees: Sequence[TreeRules]) -> frozenset[str]:
    """Return services with those that hear what replayed rules of them decide, and so forth."""
    found = frozenset(services)
    rules = [rule for tree in trees for rule in tree["rules"] if name_of(rule) in replayed]
    heard = [
        (name, {tuple(topic) for topic in of["topics"]}) for tree in trees for name, of in tree["services"].items()
    ]
    while True:
        emitted = {(rule["service"], kind) for rule in rules if rule["service"] in found for kind in rule["emits"]}
        more = {name for name, topics in heard if topics & emitted} & {service for service, _ in replayed}
        if more <= found:
            return found
        found |= more


def reach_ms(names: RuleNames, trees: Sequence[TreeRules]) -> int:
    """Return the longest time that a decision looks back: window and wait of its rule, and of those that cause it."""
    rules = [rule for tree in trees for rule in tree["rules"] if name_of(rule) in names]
    longest: dict[tuple[str, str], int] = {}
    for rule in rules:
        own_ms = rule["window_ms"] + rule["after_ms"]
        longest[name_of(rule)] = max(own_ms, longest.get(name_of(rule), 0))
    emits = {name_of(rule): {(rule["service"], kind) for kind in rule["emits"]} for rule in rules}
    on = {name_of(rule): {tuple(topic) for topic in rule["on"]} for rule in rules}

    def reach(name: tuple[str, str], above: frozenset[tuple[str, str]]) -> int:
        causes = (one for one in emits if one not in above and emits[one] & on[name])
        return longest[name] + max((reach(one, above | {one}) for one in causes), default=0)

    return max((reach(name, frozenset({name})) for name in longest), default=0)


def name_of(rule: RuleFacts) -> tuple[str, str]:
    """Return the service and the id of a rule."""
    return rule["service"], rule["id"]
